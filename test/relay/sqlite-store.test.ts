/** What a SQLite store promises beyond the contract of all stores: the file, other processes, faults of disk and lock. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { SqliteStore, type SqliteStoreOptions } from '../../relay/store/sqlite-store.ts';
import { StoreUnavailableError, type Write } from '../../relay/store/store.ts';

const APPENDER = fileURLToPath(new URL('../support/sqlite-appender.ts', import.meta.url));
const ON_FULL_DISK = fileURLToPath(new URL('../support/sqlite-on-full-disk.ts', import.meta.url));
const LIFE_MS = 3_600_000;
/** How many processes are killed: a few with every run of the tests, more in a soak. */
const KILLS = Number(process.env.SOAK_ROUNDS ?? 3);
const LOG = 'log:1';

async function temporaryFile(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-sqlite-'));
  t.after(() => rm(directory, { recursive: true }));
  return join(directory, 'store.sqlite');
}

function openStore(t: TestContext, file: string, options?: SqliteStoreOptions): SqliteStore {
  const store = new SqliteStore(file, options);
  t.after(() => store.close());
  return store;
}

function append(entries: readonly string[], expiresAtMs = Date.now() + LIFE_MS): Write {
  return { type: 'append', log: LOG, entries, expiresAtMs };
}

/** Another process that appends to the log. `said` are the sequences that it was promised. */
function startAppender(t: TestContext, file: string, writer: string) {
  const child: ChildProcess = spawn(process.execPath, [APPENDER, file, LOG, writer], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said: number[] = [];
  assert.ok(child.stdout);
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => said.push(Number(line)));
  const closed = once(lines, 'close');
  const kill = async () => {
    child.kill('SIGKILL');
    await closed;
  };
  t.after(kill);
  return {
    said,
    kill,
    /** Resolves when so many commits were promised to it. */
    async hasCommitted(count: number): Promise<void> {
      while (said.length < count) await once(lines, 'line');
    },
  };
}

describe('the file of a SQLite store', () => {
  test('and its companions can be read by their owner alone, wherever they are made', async (t) => {
    const file = join(await temporaryFile(t), 'new', 'deep', 'store.sqlite');
    const store = openStore(t, file);
    await store.commit([], [append(['a'])]);
    for (const suffix of ['', '-wal', '-shm']) {
      assert.equal((await stat(`${file}${suffix}`)).mode & 0o777, 0o600, suffix);
    }
  });

  test('keeps everything over a restart, and versions go on', async (t) => {
    const file = await temporaryFile(t);
    const expiresAtMs = Date.now() + LIFE_MS;
    const first = new SqliteStore(file);
    await first.commit([], [append(['a', 'b']), { type: 'put', key: 'key', value: { a: 1 }, expiresAtMs }]);
    const before = await first.get('key');
    await first.close();

    const second = openStore(t, file);
    assert.deepEqual(await second.get('key'), before);
    assert.equal((await second.readLog(LOG, 0, 10)).lastSequence, 2);
    const result = await second.commit([], [{ type: 'put', key: 'other', value: 1, expiresAtMs }]);
    const [put] = result.isCommitted ? result.results : [];
    assert.ok(put?.type === 'put' && put.version > (before?.version ?? Number.POSITIVE_INFINITY));
  });

  test('is left alone when it is another program’s database or a newer relay’s', async (t) => {
    const file = await temporaryFile(t);
    const foreign = new DatabaseSync(file);
    foreign.exec('CREATE TABLE theirs (id INTEGER)');
    foreign.close();
    assert.throws(() => new SqliteStore(file), /StoreUnavailableError: .*database of another program/);
    const tables = new DatabaseSync(file);
    t.after(() => tables.close());
    assert.deepEqual({ ...tables.prepare('SELECT name FROM sqlite_schema').get() }, { name: 'theirs' });

    const newer = `${file}-newer`;
    await new SqliteStore(newer).close();
    const database = new DatabaseSync(newer);
    database.exec('PRAGMA user_version = 99');
    database.close();
    assert.throws(() => new SqliteStore(newer), /StoreUnavailableError: .*schema 99, expected 1/);
  });

  test('that cannot be a file is refused by a sentence that names it', async (t) => {
    const directory = join(await temporaryFile(t), '..');
    assert.throws(
      () => new SqliteStore(directory),
      (error) => error instanceof StoreUnavailableError && error.message.includes(directory),
    );
  });

  test('loses what is expired, and the entries of logs that are gone, without holding up the event loop', async (t) => {
    const file = await temporaryFile(t);
    let nowMs = Date.now();
    const store = openStore(t, file, { now: () => nowMs, sweepIntervalMs: 50 });
    const soon = nowMs + 1_000;
    for (let log = 0; log < 40; log++) {
      const entries = Array.from({ length: 500 }, (_, index) => `entry ${index}`);
      await store.commit(
        [],
        [
          { type: 'append', log: `log:${log}`, entries, expiresAtMs: log % 2 ? soon : soon + LIFE_MS },
          { type: 'put', key: `key:${log}`, value: 'x', expiresAtMs: soon },
        ],
      );
    }
    await store.commit([], [{ type: 'delete-log', log: 'log:0' }]);
    nowMs += 2_000;

    const database = new DatabaseSync(file);
    t.after(() => database.close());
    const count = (table: string) => {
      const row = database.prepare(`SELECT count(*) AS count FROM ${table}`).get();
      return Number(row?.count);
    };
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    while (count('rows') + count('gone_logs') > 0 || count('logs') > 19) await wait(20);
    delay.disable();
    assert.equal(count('entries'), 19 * 500);
    assert.ok(delay.max < 250e6, `the event loop stood for ${delay.max / 1e6} ms`);
    assert.equal((await store.readLog('log:2', 0, 1_000)).entries.length, 500);
  });
});

describe('a SQLite store and other processes', () => {
  test('kill -9 in the middle of appends loses nothing that was promised, and leaves no part of a commit', async (t) => {
    for (let round = 0; round < KILLS; round++) {
      const file = await temporaryFile(t);
      const appender = startAppender(t, file, 'a');
      await appender.hasCommitted(20 + Math.floor(Math.random() * 400));
      await appender.kill();

      const begunMs = performance.now();
      const store = openStore(t, file);
      const { entries } = await store.readLog(LOG, 0, 100_000);
      assert.ok(performance.now() - begunMs < 5_000);
      assert.ok(entries.length >= Math.max(...appender.said));
      assert.equal(entries.length % 2, 0);
      assert.deepEqual(
        entries,
        entries.map((_, index) => ({ sequence: index + 1, entry: `a ${index + 1}` })),
      );
      const result = await store.commit([], [append(['b'])]);
      assert.deepEqual(result.isCommitted && result.results, [{ type: 'append', lastSequence: entries.length + 1 }]);
    }
  });

  test('two processes on one file number a log together, and one wakes the other', async (t) => {
    const file = await temporaryFile(t);
    const store = openStore(t, file);
    await store.commit([], [append(['first'])]);
    const woken = Promise.withResolvers<void>();
    t.after(store.subscribe(LOG, woken.resolve));

    const appenders = [startAppender(t, file, 'a'), startAppender(t, file, 'b')];
    await woken.promise;
    assert.ok((await store.readLog(LOG, 1, 1)).entries.length > 0);
    const own = await Promise.all(
      Array.from({ length: 30 }, (_, index) => store.commit([], [append([`own ${index}`])])),
    );
    for (const result of own) assert.equal(result.isCommitted, true);
    await Promise.all(appenders.map((appender) => appender.hasCommitted(100)));
    await Promise.all(appenders.map((appender) => appender.kill()));

    const { entries } = await store.readLog(LOG, 0, 1_000_000);
    assert.deepEqual(
      entries.map(({ sequence }) => sequence),
      entries.map((_, index) => index + 1),
    );
    for (const writer of ['a', 'b']) {
      const mine = entries.flatMap(({ entry }) => (entry.startsWith(`${writer} `) ? [entry] : []));
      assert.deepEqual(
        mine,
        mine.map((_, index) => `${writer} ${index + 1}`),
      );
    }
  });

  test('many processes can open a new file at the same moment', async (t) => {
    const file = await temporaryFile(t);
    const appenders = Array.from({ length: 4 }, (_, index) => startAppender(t, file, `${index}`));
    await Promise.all(appenders.map((appender) => appender.hasCommitted(1)));
  });

  test('a file that is held for a moment is waited for, one that is held for long is unavailable until it is free', async (t) => {
    const file = await temporaryFile(t);
    const store = openStore(t, file);
    await store.commit([], [append(['a'])]);
    const holder = new DatabaseSync(file);
    t.after(() => holder.close());
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();

    holder.exec('BEGIN IMMEDIATE');
    const patient = store.commit([], [append(['b'])]);
    await wait(300);
    holder.exec('COMMIT');
    assert.equal((await patient).isCommitted, true);

    holder.exec('BEGIN IMMEDIATE');
    const begunMs = performance.now();
    const refused = [store.commit([], [append(['c'])]), store.check()];
    for (const call of refused) await assert.rejects(call, StoreUnavailableError);
    assert.ok(performance.now() - begunMs < 2_000, `refused after ${performance.now() - begunMs} ms`);
    assert.equal((await store.readLog(LOG, 0, 10)).lastSequence, 2, 'what is there can still be read');
    holder.exec('COMMIT');

    assert.equal((await store.commit([], [append(['d'])])).isCommitted, true);
    delay.disable();
    assert.ok(delay.max < 250e6, `the event loop stood for ${delay.max / 1e6} ms`);
    assert.deepEqual(
      (await store.readLog(LOG, 0, 10)).entries.map(({ entry }) => entry),
      ['a', 'b', 'd'],
    );
  });

  test('a store that is closed while the file is held rejects what waits, and closes', async (t) => {
    const file = await temporaryFile(t);
    const store = openStore(t, file);
    const holder = new DatabaseSync(file);
    t.after(() => holder.close());
    holder.exec('BEGIN IMMEDIATE');
    const waiting = assert.rejects(store.commit([], [append(['a'])]), StoreUnavailableError);
    await wait(50);
    await store.close();
    await waiting;
  });
});

test('a full disk makes a SQLite store unavailable, not wrong, and it goes on when there is room again', async (t) => {
  const directory = join(await temporaryFile(t), '..');
  const script = `mount -t tmpfs -o size=1m tmpfs "${directory}" && exec "$0" "$@"`;
  const inOwnNamespace = ['--user', '--map-root-user', '--mount'];
  try {
    await promisify(execFile)('unshare', [...inOwnNamespace, 'sh', '-c', script, 'true']);
  } catch {
    t.skip('this system does not let a test mount a small file system of its own');
    return;
  }
  const args = [...inOwnNamespace, 'sh', '-c', script, process.execPath, ON_FULL_DISK, directory];
  const { refused, ...seen } = JSON.parse((await promisify(execFile)('unshare', args)).stdout);
  assert.ok(refused.length > 0);
  for (const problem of refused) assert.match(problem, /disk/);
  assert.deepEqual(seen, {
    before: 'written',
    checkWhileFull: seen.checkWhileFull,
    readWhileFull: 'read',
    after: 'written',
    checkAfter: 'ready',
    isExact: true,
    isGapless: true,
  });
  assert.match(seen.checkWhileFull, /disk/);
});
