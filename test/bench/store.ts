/**
 * What an event costs on its way through each store: `node test/bench/store.ts [rounds]`. All stores take part in each round, in
 * turns, so that what the machine does meanwhile meets all alike; the table shows medians. Needs `redis-server`.
 *
 * A commit is what a running turn writes: an append and the count of appends, under the conditions that the turn's record has not
 * changed, that the count has not, and that it is not too late.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { MemoryStore } from '../../relay/store/memory-store.ts';
import { RedisStore } from '../../relay/store/redis-store.ts';
import { SqliteStore } from '../../relay/store/sqlite-store.ts';
import type { Store } from '../../relay/store/store.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';

interface Load {
  readonly name: string;
  readonly streams: number;
  readonly eventsPerCommit: number;
  readonly commitsPerStream: number;
}

interface Cost {
  /** Processor time of this process, user and system. */
  readonly cpuMicroseconds: number;
  /** Processor time of the Redis server. */
  readonly serverMicroseconds: number;
  readonly wallMicroseconds: number;
  /** The longest time that the event loop stood still. */
  readonly stallMs: number;
}

const LOADS: readonly Load[] = [
  { name: '1 stream, 1 event a commit', streams: 1, eventsPerCommit: 1, commitsPerStream: 1_000 },
  { name: '200 streams, 1 event a commit', streams: 200, eventsPerCommit: 1, commitsPerStream: 20 },
  { name: '200 streams, 8 events a commit', streams: 200, eventsPerCommit: 8, commitsPerStream: 10 },
];
const EVENT = `1 chunk ${JSON.stringify({ chunk: 'some words of an answer ', timestamp: '2026-01-01T00:00:00.000Z' })}`;
const LIFE_MS = 3_600_000;
const KEPT_ENTRIES = 50_000;

const SIZED_SESSIONS = 1_000;
const SIZED_EVENTS = 60;

let lastTurn = 0;

async function measure(store: Store, server: RedisServer | undefined, load: Load): Promise<Cost> {
  const expiresAtMs = Date.now() + LIFE_MS;
  const entries = Array.from({ length: load.eventsPerCommit }, () => EVENT);
  const turns = await Promise.all(
    Array.from({ length: load.streams }, async () => {
      const id = ++lastTurn;
      const key = `turn:${id}`;
      const result = await store.commit([], [{ type: 'put', key, value: { turn: 1 }, expiresAtMs }]);
      const [put] = result.isCommitted ? result.results : [];
      if (put?.type !== 'put') throw new Error('the store did not take the turn');
      const appendsKey = `appends:${id}`;
      return { key, log: `log:${id}`, version: put.version, appendsKey };
    }),
  );

  const delay = monitorEventLoopDelay({ resolution: 1 });
  const serverBefore = await serverCpuMicroseconds(server);
  delay.enable();
  const cpuBefore = process.cpuUsage();
  const begunMs = performance.now();
  await Promise.all(
    turns.map(async ({ key, log, version, appendsKey }) => {
      let appendsVersion: number | undefined;
      for (let count = 0; count < load.commitsPerStream; count++) {
        const result = await store.commit(
          [
            { type: 'version', key, version },
            appendsVersion === undefined
              ? { type: 'absent', key: appendsKey }
              : { type: 'version', key: appendsKey, version: appendsVersion },
            { type: 'before', timeMs: expiresAtMs },
          ],
          [
            { type: 'append', log, entries, expiresAtMs, keepLast: KEPT_ENTRIES },
            { type: 'put', key: appendsKey, value: count, expiresAtMs },
          ],
        );
        const [, appends] = result.isCommitted ? result.results : [];
        if (appends?.type !== 'put') throw new Error('a commit failed');
        appendsVersion = appends.version;
      }
    }),
  );
  const wallMs = performance.now() - begunMs;
  const cpu = process.cpuUsage(cpuBefore);
  delay.disable();
  const serverAfter = await serverCpuMicroseconds(server);

  const events = load.streams * load.commitsPerStream * load.eventsPerCommit;
  return {
    cpuMicroseconds: (cpu.user + cpu.system) / events,
    serverMicroseconds: (serverAfter - serverBefore) / events,
    wallMicroseconds: (wallMs * 1_000) / events,
    stallMs: delay.max / 1e6,
  };
}

async function serverCpuMicroseconds(server: RedisServer | undefined): Promise<number> {
  if (!server) return 0;
  const text = await server.command('INFO', 'cpu');
  const seconds = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(text)?.[1]);
  return (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1e6;
}

/** What a session of a usual size takes where it is kept, in bytes. */
async function bytesPerSession(store: Store, usedBytes: () => Promise<number>): Promise<number> {
  const expiresAtMs = Date.now() + LIFE_MS;
  const before = await usedBytes();
  for (let index = 0; index < SIZED_SESSIONS; index++) {
    const id = `sized-${index}-0123456789`;
    const record = { tokenHash: 'h'.repeat(64), sealedSecret: 's'.repeat(160), initialMessage: 'm'.repeat(200), id };
    await store.commit(
      [],
      [
        { type: 'put', key: `session:${id}`, value: record, expiresAtMs },
        { type: 'put', key: `host-session:${id}`, value: id, expiresAtMs },
        { type: 'put', key: `turn:${id}`, value: { turn: 1, status: 'running', relay: 'r'.repeat(36) }, expiresAtMs },
        { type: 'put', key: `message:${id}`, value: { turn: 1, textHash: 'h'.repeat(43) }, expiresAtMs },
        { type: 'append', log: `log:${id}`, entries: Array.from({ length: SIZED_EVENTS }, () => EVENT), expiresAtMs },
      ],
    );
  }
  return ((await usedBytes()) - before) / SIZED_SESSIONS;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

const rounds = Number(process.argv[2] ?? 5);
const directory = await mkdtemp(join(tmpdir(), 'parley-bench-'));
const redis = await startRedisServer();
const stores: readonly { readonly name: string; readonly store: Store; readonly server?: RedisServer }[] = [
  { name: 'memory', store: new MemoryStore() },
  { name: 'SQLite', store: new SqliteStore(join(directory, 'store.sqlite')) },
  { name: 'Redis', store: await RedisStore.open(redis.url), server: redis },
];

try {
  for (const load of LOADS) {
    const costs = new Map(stores.map(({ name }) => [name, [] as Cost[]]));
    // The first round warms up.
    for (let round = 0; round <= rounds; round++) {
      for (const { name, store, server } of stores) {
        const cost = await measure(store, server, load);
        if (round > 0) costs.get(name)?.push(cost);
      }
    }
    const of = (name: string, figure: keyof Cost) => median((costs.get(name) ?? []).map((cost) => cost[figure]));
    console.log(`\n${load.name} (microseconds per event, median of ${rounds} rounds)`);
    console.table(
      Object.fromEntries(
        stores.map(({ name }) => [
          name,
          {
            'CPU here': of(name, 'cpuMicroseconds').toFixed(1),
            '× memory': (of(name, 'cpuMicroseconds') / of('memory', 'cpuMicroseconds')).toFixed(1),
            'CPU server': of(name, 'serverMicroseconds').toFixed(1),
            wall: of(name, 'wallMicroseconds').toFixed(1),
            'longest stall, ms': of(name, 'stallMs').toFixed(1),
          },
        ]),
      ),
    );
  }
  const file = join(directory, 'sized.sqlite');
  const sized = new SqliteStore(file);
  const redisBytes = async () => Number(/^used_memory:(\d+)/m.exec(await redis.command('INFO', 'memory'))?.[1]);
  const sqliteBytes = await bytesPerSession(sized, async () => {
    // What is still in the write-ahead log counts too.
    new DatabaseSync(file).exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return (await stat(file)).size;
  });
  await sized.close();
  console.log(`\nA session of one turn with ${SIZED_EVENTS} events of ${EVENT.length} characters`);
  console.table({
    SQLite: { 'bytes in the file': Math.round(sqliteBytes) },
    Redis: { 'bytes of memory': Math.round(await bytesPerSession(stores[2]!.store, redisBytes)) },
  });
} finally {
  for (const { store } of stores) await store.close();
  await redis.stop();
  await rm(directory, { recursive: true });
}
