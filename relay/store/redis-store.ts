import { createClient } from 'redis';
import {
  REDIS_CLIENT_OPTIONS,
  REDIS_SOCKET_OPTIONS,
  type RedisClient,
  RedisConnection,
  type RedisReply,
} from './redis-connection.ts';
import { COMMIT_SCRIPT, READ_LOG_SCRIPT, REMOVE_SCRIPT, type RedisScript } from './redis-scripts.ts';
import type { CommitResult, Condition, JsonValue, LogSlice, Store, StoredValue, Write, WriteResult } from './store.ts';
import { StoreUnavailableError } from './store.ts';
import { WakeUps } from './wake-ups.ts';

const VERSION_KEY = 'parley:version';
const VALUE_PREFIX = 'parley:v:';
const LOG_PREFIX = 'parley:l:';
const CHANNEL_PREFIX = 'parley:w:';
const CHECK_TIME_TO_LIVE_MS = 10_000;

/**
 * A store for several relays on one Redis (7.0 or newer) or Valkey server. Every commit is one script, which the server
 * runs as one step; every key expires at the server by itself (PEXPIREAT, by the server's clock); a wake-up is a message
 * on a channel per topic, so that a relay hears only of what somebody waits for there.
 *
 * What survives is what the server keeps: with its append-only file, the last second may be lost when it dies; after a
 * failover, what the replica had not received. Its `maxmemory-policy` must be `noeviction`: a server that forgets sessions
 * under pressure makes them unknown.
 *
 * Not for Redis Cluster: a commit joins keys of a session, a limit and a log, which a cluster would spread over servers,
 * and one key more would hold all versions. One server carries some ten thousand commits a second; a larger site gives
 * each group of relays its own. Failover by a stable name (a proxy, DNS, a managed service) is followed; Sentinel is not asked.
 *
 * While the server is away, slow or full, every call rejects with `StoreUnavailableError` within 1.5 s, mostly at once; it
 * is found again within some two seconds, and all who wait are woken then, because messages may have been missed.
 * Source: redis.io, "EVAL", "Scripting with Lua" (script flags), "Pub/Sub".
 */
export class RedisStore implements Store {
  readonly #commands: RedisConnection;
  readonly #subscriber: RedisConnection;
  readonly #wakeUps = new WakeUps();
  readonly #onMessage = (_message: string, channel: string) => this.#wakeUps.wake(channel.slice(CHANNEL_PREFIX.length));
  /** By how much the server's clock is ahead of this process's: what holds until a time here holds until then there. */
  #serverAheadMs = 0;
  #isClosed = false;

  /** Tries to connect, for two seconds at most, and keeps trying after. `url`: redis:// or rediss://. Never rejects. */
  static async open(url: string): Promise<RedisStore> {
    const store = new RedisStore(url);
    await Promise.all([store.#commands.open(), store.#subscriber.open()]);
    return store;
  }

  private constructor(url: string) {
    const connect = (): RedisClient =>
      createClient({ url, ...REDIS_CLIENT_OPTIONS, socket: { ...REDIS_SOCKET_OPTIONS } });
    this.#commands = new RedisConnection(connect, { prepare: (client) => this.#prepare(client) });
    this.#subscriber = new RedisConnection(connect, { onReady: () => this.#follow(this.#wakeUps.topics()) });
  }

  async get(key: string): Promise<StoredValue | undefined> {
    const row = (await this.#commands.send(['GET', VALUE_PREFIX + key])) as string | null;
    if (row === null) return undefined;
    const space = row.indexOf(' ');
    return { value: JSON.parse(row.slice(space + 1)) as JsonValue, version: Number(row.slice(0, space)) };
  }

  async commit(conditions: readonly Condition[], writes: readonly Write[]): Promise<CommitResult> {
    const topics = [...new Set(writes.flatMap(topicsOf))];
    const keys = [
      VERSION_KEY,
      ...conditions.flatMap((condition) => (condition.type === 'before' ? [] : [VALUE_PREFIX + condition.key])),
      ...writes.flatMap(keysOf),
    ];
    const args = [String(conditions.length)];
    for (const condition of conditions) {
      args.push(condition.type);
      if (condition.type === 'version') args.push(String(condition.version));
      else if (condition.type === 'before') args.push(String(condition.timeMs + this.#serverAheadMs));
    }
    args.push(String(writes.filter(({ type }) => type !== 'wake').length));
    for (const write of writes) pushArguments(args, write);
    for (const topic of topics) args.push(CHANNEL_PREFIX + topic);

    const script = writes.every(isRemoval) ? REMOVE_SCRIPT : COMMIT_SCRIPT;
    const [isCommitted, ...answers] = (await this.#runScript(script, keys, args)) as readonly RedisReply[];
    if (isCommitted === 0) return { isCommitted: false, failed: conditions[Number(answers[0])] as Condition };
    // Without its subscriber this relay still wakes its own readers.
    if (!this.#subscriber.isReady) for (const topic of topics) this.#wakeUps.wake(topic);
    let next = 0;
    return {
      isCommitted: true,
      results: writes.map((write) => toResult(write, write.type === 'wake' ? null : (answers[next++] as RedisReply))),
    };
  }

  async readLog(log: string, afterSequence: number, limit: number): Promise<LogSlice> {
    const [dropped, kept, texts] = (await this.#runScript(
      READ_LOG_SCRIPT,
      [LOG_PREFIX + log],
      [String(afterSequence), String(limit)],
    )) as [number, number, readonly string[]];
    if (kept === 0) return { entries: [], firstSequence: 0, lastSequence: 0 };
    const from = Math.max(afterSequence, dropped) + 1;
    return {
      entries: texts.map((entry, index) => ({ sequence: from + index, entry })),
      firstSequence: dropped + 1,
      lastSequence: dropped + kept,
    };
  }

  subscribe(topic: string, listener: () => void): () => void {
    if (this.#isClosed) return () => {};
    const isFirst = !this.#wakeUps.has(topic);
    const end = this.#wakeUps.subscribe(topic, listener);
    if (isFirst) this.#follow([topic]);
    return () => {
      if (!this.#wakeUps.has(topic)) return;
      end();
      if (!this.#wakeUps.has(topic)) this.#unfollow(topic);
    };
  }

  /** Resolves when a commit goes through and wake-ups are heard. */
  async check(): Promise<void> {
    const expiresAtMs = Date.now() + CHECK_TIME_TO_LIVE_MS;
    await this.commit([], [{ type: 'put', key: 'check:store', value: expiresAtMs, expiresAtMs }]);
    await this.#subscriber.send(['PING']);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wakeUps.clear();
    this.#commands.close();
    this.#subscriber.close();
  }

  async #prepare(client: RedisClient): Promise<void> {
    await loadScripts(client);
    const askedAtMs = Date.now();
    const [seconds, microseconds] = (await client.sendCommand(['TIME'])) as readonly [string, string];
    const answeredAtMs = Date.now();
    this.#serverAheadMs = Number(seconds) * 1_000 + Number(microseconds) / 1_000 - (askedAtMs + answeredAtMs) / 2;
  }

  async #runScript(script: RedisScript, keys: readonly string[], args: readonly string[]): Promise<RedisReply> {
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await this.#commands.send(['EVALSHA', script.sha, ...rest]);
    } catch (error) {
      // Loaded when the connection began, but a server can be told to forget its scripts.
      if (!(error instanceof StoreUnavailableError) || !error.message.includes('NOSCRIPT')) throw error;
      return this.#commands.send(['EVAL', script.source, ...rest]);
    }
  }

  #follow(topics: readonly string[]): void {
    if (topics.length === 0 || !this.#subscriber.isReady) return; // all are followed when the connection is back
    const channels = topics.map((topic) => CHANNEL_PREFIX + topic);
    this.#subscriber
      .run((client) => client.subscribe(channels, this.#onMessage))
      .then(() => {
        // For what was written before the server knew of the subscription.
        for (const topic of topics) this.#wakeUps.wake(topic);
      })
      .catch(() => {}); // the connection is broken, and follows all topics when it is back
  }

  #unfollow(topic: string): void {
    if (!this.#subscriber.isReady) return;
    this.#subscriber.run((client) => client.unsubscribe([CHANNEL_PREFIX + topic], this.#onMessage)).catch(() => {}); // a new connection begins without it
  }
}

function loadScripts(client: RedisClient): Promise<unknown> {
  const scripts = [COMMIT_SCRIPT, REMOVE_SCRIPT, READ_LOG_SCRIPT];
  return Promise.all(scripts.map((script) => client.sendCommand(['SCRIPT', 'LOAD', script.source])));
}

function isRemoval(write: Write): boolean {
  return write.type === 'delete' || write.type === 'delete-log' || write.type === 'wake';
}

function topicsOf(write: Write): readonly string[] {
  if (write.type === 'append') return [write.log];
  return write.type === 'wake' ? [write.topic] : [];
}

function keysOf(write: Write): readonly string[] {
  switch (write.type) {
    case 'put':
    case 'delete':
    case 'add':
      return [VALUE_PREFIX + write.key];
    case 'append':
    case 'delete-log':
      return [LOG_PREFIX + write.log];
    case 'wake':
      return [];
  }
}

function pushArguments(args: string[], write: Write): void {
  switch (write.type) {
    case 'put':
      args.push('put', JSON.stringify(write.value), String(write.expiresAtMs));
      return;
    case 'add':
      args.push('add', String(write.amount), String(write.expiresAtMs));
      return;
    case 'append':
      args.push('append', String(write.entries.length), String(write.keepLast ?? 0), String(write.expiresAtMs));
      for (const entry of write.entries) args.push(entry);
      return;
    case 'delete':
    case 'delete-log':
      args.push('delete');
      return;
    case 'wake':
      return;
  }
}

function toResult(write: Write, answer: RedisReply): WriteResult {
  switch (write.type) {
    case 'put':
      return { type: 'put', version: Number(answer) };
    case 'append':
      return { type: 'append', lastSequence: Number(answer) };
    case 'add': {
      const [count, expiresAtMs] = answer as readonly [string, number];
      return { type: 'add', count: Number(count), expiresAtMs };
    }
    case 'delete':
    case 'delete-log':
    case 'wake':
      return { type: write.type };
  }
}
