import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { listenOnLoopback } from '../../demo/listen-on-loopback.ts';
import { createShopApi } from '../../demo/shop-api/shop-api.ts';
import { ShopDatabase } from '../../demo/shop-api/shop-database.ts';
import { createStandInHost } from '../../demo/stand-in-host/stand-in-host.ts';

export const APPLICATION_ID = 'app-under-test';
export const API_KEY = 'key-of-the-account';
export const VISITOR_CREDENTIAL = 'credential-of-a-visitor';

export interface StoredOrder {
  readonly id: string;
  readonly owner: string;
  readonly quantity: number;
  readonly session_id: string | null;
  readonly idempotency_key: string | null;
}

/** A shop on a free port, its database in a file of its own; all gone after the test. */
export async function startShop(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-shop-test-'));
  const file = join(folder, 'shop.sqlite');
  const database = new ShopDatabase(file);
  const credentials = new Map([
    [API_KEY, 'account'],
    [VISITOR_CREDENTIAL, 'visitor'],
  ]);
  const server = await listenOnLoopback(createShopApi({ database, credentials }));
  t.after(async () => {
    await server.close();
    database.close();
    rmSync(folder, { recursive: true });
  });
  return {
    url: server.url,
    /** Reads the file itself, past the API. */
    orders(): StoredOrder[] {
      const reader = new DatabaseSync(file, { readOnly: true });
      const rows = reader.prepare('select * from orders order by rowid').all();
      reader.close();
      return rows as unknown as StoredOrder[];
    },
    stockOf(productId: string): unknown {
      const reader = new DatabaseSync(file, { readOnly: true });
      const row = reader.prepare('select stock from products where id = ?').get(productId);
      reader.close();
      return row?.stock;
    },
  };
}

/** A stand-in host without pauses, in front of a shop. */
export async function startStandIn(
  t: TestContext,
  shopApiUrl: string,
  { chunkMs = 0, now = Date.now }: { chunkMs?: number; now?: () => number } = {},
) {
  const logged: string[] = [];
  const lines = new EventEmitter();
  const server = await listenOnLoopback(
    createStandInHost({
      applicationId: APPLICATION_ID,
      apiKey: API_KEY,
      visitorCredentials: [VISITOR_CREDENTIAL],
      shopApiUrl,
      pace: { chunkMs, thinkingMs: 0 },
      log: (line) => {
        logged.push(line);
        lines.emit('line');
      },
      now,
    }),
  );
  t.after(() => server.close());
  return {
    url: server.url,
    applicationUrl: `${server.url}/stream/${APPLICATION_ID}`,
    logged,
    async waitForLog(part: string): Promise<void> {
      while (!logged.some((line) => line.includes(part))) await once(lines, 'line', { signal: t.signal });
    },
  };
}
