import type { DatabaseSync } from 'node:sqlite';

/** Runs `step`; all that it writes happens or, where it throws, nothing. Throws what it throws. */
export function inOneTransaction<Result>(database: DatabaseSync, step: () => Result): Result {
  database.exec('begin immediate');
  try {
    const result = step();
    database.exec('commit');
    return result;
  } catch (error) {
    database.exec('rollback');
    throw error;
  }
}
