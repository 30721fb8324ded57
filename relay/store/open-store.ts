import { resolve } from 'node:path';
import type { Store } from './store.ts';
import { StoreSettingError } from './store-setting-error.ts';

/** Where the relay keeps what outlives a request, as the setting `STORE` says it. */
export type StoreLocation =
  | { readonly type: 'memory' }
  /** An absolute path. */
  | { readonly type: 'sqlite'; readonly file: string }
  /** `redis://` or `rediss://`, with user and password where there are any: never to be logged. */
  | { readonly type: 'redis'; readonly url: string };

const EXPECTED = 'expected memory:, sqlite:<file> or redis://<host>:<port>, for example sqlite:.parley/store.sqlite';

/** Reads the setting `STORE`. `valkey://` and `valkeys://` are taken for `redis://` and `rediss://`. */
export function parseStoreLocation(setting: string): StoreLocation {
  const scheme = /^([a-z]+):/i.exec(setting)?.[1]?.toLowerCase();
  const rest = setting.slice((scheme?.length ?? 0) + 1);
  switch (scheme) {
    case 'memory':
      if (rest !== '') throw new StoreSettingError('STORE', `memory: takes nothing after the colon; ${EXPECTED}.`);
      return { type: 'memory' };
    case 'sqlite':
      if (rest === '' || rest.startsWith('//')) {
        throw new StoreSettingError('STORE', `sqlite: needs the path of a file right after it; ${EXPECTED}.`);
      }
      return { type: 'sqlite', file: resolve(rest) };
    case 'redis':
    case 'rediss':
    case 'valkey':
    case 'valkeys':
      return { type: 'redis', url: redisUrl(setting, scheme === 'rediss' || scheme === 'valkeys') };
    default: {
      const received = scheme ? `${scheme}: is no kind of store` : 'it names no kind of store';
      throw new StoreSettingError('STORE', `${received}; ${EXPECTED}.`);
    }
  }
}

function redisUrl(setting: string, isEncrypted: boolean): string {
  const url = `${isEncrypted ? 'rediss' : 'redis'}${setting.slice(setting.indexOf(':'))}`;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed?.hostname || !/^\/?\d*$/.test(parsed.pathname)) {
    const example = 'redis://user:password@redis.example:6379/0';
    throw new StoreSettingError(
      'STORE',
      `the Redis address needs a host and at most a number after it, like ${example}.`,
    );
  }
  return url;
}

/**
 * Opens the store that the setting `STORE` names; throws `StoreSettingError` when it names none. Memory and SQLite are ready
 * or throw `StoreUnavailableError`. A Redis server that is not there yet is waited for by its store, whose calls reject
 * until then: relay and server may start in any order. There is no falling back to memory, because what a relay forgets
 * without saying so is lost.
 */
export async function openStore(setting: string): Promise<Store> {
  const location = parseStoreLocation(setting);
  // Each kind is loaded only where it is used: a relay on SQLite never loads the Redis client.
  switch (location.type) {
    case 'memory': {
      const { MemoryStore } = await import('./memory-store.ts');
      return new MemoryStore();
    }
    case 'sqlite': {
      const { SqliteStore } = await import('./sqlite-store.ts');
      return new SqliteStore(location.file);
    }
    case 'redis': {
      const { RedisStore } = await import('./redis-store.ts');
      return RedisStore.open(location.url);
    }
  }
}
