import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MemoryStore } from '../../relay/store/memory-store.ts';
import { RedisStore } from '../../relay/store/redis-store.ts';
import { SqliteStore } from '../../relay/store/sqlite-store.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { testStoreContract } from './store-contract.ts';

/** A clock of the test's own. */
function startClock() {
  let nowMs = Date.now();
  return {
    now: () => nowMs,
    pass: async (ms: number) => {
      nowMs += ms;
    },
  };
}

testStoreContract('memory', async () => {
  const clock = startClock();
  const store = new MemoryStore({ now: clock.now });
  return { ...clock, open: async () => store, dispose: () => store.close() };
});

testStoreContract('SQLite', async () => {
  const clock = startClock();
  const directory = await mkdtemp(join(tmpdir(), 'parley-store-'));
  const stores: SqliteStore[] = [];
  return {
    ...clock,
    open: async () => {
      const store = new SqliteStore(join(directory, 'store.sqlite'), { now: clock.now });
      stores.push(store);
      return store;
    },
    dispose: async () => {
      for (const store of stores) await store.close();
      await rm(directory, { recursive: true });
    },
  };
});

testStoreContract('Redis', async () => {
  const server = await startRedisServer();
  const stores: RedisStore[] = [];
  return {
    // The server's clock cannot be set, so that here time really passes.
    now: Date.now,
    pass: async (ms) => {
      await wait(ms + 5);
    },
    open: async () => {
      const store = await RedisStore.open(server.url);
      stores.push(store);
      return store;
    },
    dispose: async () => {
      for (const store of stores) await store.close();
      await server.stop();
    },
  };
});
