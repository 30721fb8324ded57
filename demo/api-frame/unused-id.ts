import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';

/** A new number such as `ord_9c14a7` for a row of this table. They are short, for people to read out; so a drawn one may be taken. */
export function unusedId(database: DatabaseSync, table: 'orders' | 'bookings', prefix: string): string {
  const isTaken = database.prepare(`select 1 from ${table} where id = ?`);
  for (;;) {
    const id = `${prefix}_${randomBytes(3).toString('hex')}`;
    if (isTaken.get(id) === undefined) return id;
  }
}
