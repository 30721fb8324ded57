import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { MemoryStore } from '../../relay/store/memory-store.ts';
import { openStore, parseStoreLocation } from '../../relay/store/open-store.ts';
import { RedisStore } from '../../relay/store/redis-store.ts';
import { SqliteStore } from '../../relay/store/sqlite-store.ts';
import { StoreUnavailableError } from '../../relay/store/store.ts';
import { StoreSettingError } from '../../relay/store/store-setting-error.ts';
import { startRedisServer } from '../support/redis-server.ts';

describe('STORE', () => {
  test('names memory, a file or a Redis server', () => {
    assert.deepEqual(parseStoreLocation('memory:'), { type: 'memory' });
    assert.deepEqual(parseStoreLocation('sqlite:a/b c.sqlite'), { type: 'sqlite', file: resolve('a/b c.sqlite') });
    assert.deepEqual(parseStoreLocation('sqlite:/a/b.sqlite'), { type: 'sqlite', file: '/a/b.sqlite' });
    for (const [setting, url] of [
      ['redis://127.0.0.1', 'redis://127.0.0.1'],
      ['redis://u:p%40ss@redis.example:6380/3', 'redis://u:p%40ss@redis.example:6380/3'],
      ['rediss://[::1]:6379/', 'rediss://[::1]:6379/'],
      ['valkey://valkey.example', 'redis://valkey.example'],
      ['valkeys://valkey.example', 'rediss://valkey.example'],
      ['REDIS://redis.example', 'redis://redis.example'],
    ] as const) {
      assert.deepEqual(parseStoreLocation(setting), { type: 'redis', url });
    }
  });

  test('that names anything else is refused by a sentence that says what is expected and repeats no password', () => {
    for (const setting of [
      '',
      'memory',
      'memory:x',
      'sqlite:',
      'sqlite:///a/b.sqlite',
      'sqlite3:a',
      'postgres://user:hidden@host/db',
      'redis:',
      'redis://',
      'redis://user:hidden@host:port',
      'redis://user:hidden@host/name',
      '/var/lib/parley',
    ]) {
      assert.throws(
        () => parseStoreLocation(setting),
        (error) =>
          error instanceof StoreSettingError &&
          error.setting === 'STORE' &&
          error.message.startsWith('STORE: ') &&
          /sqlite:<file>|sqlite:\.|redis:\/\//.test(error.message) &&
          !error.message.includes('hidden'),
        setting,
      );
    }
  });

  test('opens the store that it names, and no other when that one cannot be used', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'parley-open-'));
    t.after(() => rm(directory, { recursive: true }));
    const server = await startRedisServer();
    t.after(() => server.stop());
    for (const [setting, kind] of [
      ['memory:', MemoryStore],
      [`sqlite:${join(directory, 'store.sqlite')}`, SqliteStore],
      [server.url, RedisStore],
      [server.url.replace('redis:', 'valkey:'), RedisStore],
    ] as const) {
      const store = await openStore(setting);
      assert.ok(store instanceof kind, setting);
      await store.check();
      await store.close();
    }
    await writeFile(join(directory, 'text'), 'no database, but long enough to be taken for one'.repeat(40));
    await assert.rejects(openStore(`sqlite:${join(directory, 'text')}`), StoreUnavailableError);
    await assert.rejects(openStore('file:x'), StoreSettingError);
  });
});
