import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Condition, JsonValue, LogSlice, Store, Write } from '../../relay/store/store.ts';
import { StoreUnavailableError } from '../../relay/store/store.ts';
import { checkAgainstModel } from './store-model.ts';

/** How a store is made, and how time passes for it. */
export interface StoreKind {
  /** Another store on the same data: another relay. A kind that has none gives the same one again. */
  open(): Promise<Store>;
  /** Unix time in milliseconds as the store sees it. */
  now(): number;
  /** Resolves when so much time has passed for the store. */
  pass(ms: number): Promise<void>;
  /** Closes what was opened and removes the data. */
  dispose(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const SHORT_MS = 150;
/** How late a wake-up may be. */
const WAKE_LIMIT_MS = 1_000;

let lastId = 0;
/** A name that no other test uses, because a server's data is shared by all of them. */
function unique(kind: string): string {
  return `${kind}:${process.pid}-${++lastId}`;
}

/** Every promise of `Store`, for one kind of it. `begin` is called once, before the tests. */
export function testStoreContract(name: string, begin: () => Promise<StoreKind>): void {
  describe(`the ${name} store`, () => {
    let kind: StoreKind;
    let store: Store;
    let other: Store;

    before(async () => {
      kind = await begin();
      store = await kind.open();
      other = await kind.open();
    });
    after(() => kind.dispose());

    const inAnHour = () => kind.now() + HOUR_MS;
    const soon = () => kind.now() + SHORT_MS;
    const put = (key: string, value: JsonValue, expiresAtMs = inAnHour()): Write => ({
      type: 'put',
      key,
      value,
      expiresAtMs,
    });
    const append = (log: string, entries: readonly string[], expiresAtMs = inAnHour()): Write => ({
      type: 'append',
      log,
      entries,
      expiresAtMs,
    });
    const add = (key: string, amount: number, expiresAtMs = inAnHour()): Write => ({
      type: 'add',
      key,
      amount,
      expiresAtMs,
    });

    /** Commits what must go through, and gives the results. */
    async function write(...writes: readonly Write[]) {
      const result = await store.commit([], writes);
      assert.ok(result.isCommitted);
      return result.results;
    }

    async function stored(key: string): Promise<JsonValue | undefined> {
      return (await other.get(key))?.value;
    }

    async function versionOf(key: string): Promise<number> {
      const stored = await store.get(key);
      assert.ok(stored, `${key} is absent`);
      return stored.version;
    }

    async function textsOf(log: string): Promise<readonly string[]> {
      return (await other.readLog(log, 0, 10_000)).entries.map(({ entry }) => entry);
    }

    describe('values', () => {
      test('a key that was never written is absent', async () => {
        assert.equal(await store.get(unique('key')), undefined);
      });

      test('a value comes back as it was put, of every JSON type', async () => {
        const values: readonly JsonValue[] = [
          null,
          true,
          0,
          -1.5,
          1e21,
          2 ** 53 - 1,
          '',
          'ä€😀\u0000\n"\\ \u2028',
          ' 12',
          [],
          {},
          { a: [1, { b: null }], '': 'empty name' },
          'x'.repeat(200_000),
        ];
        for (const value of values) {
          const key = unique('key');
          await write(put(key, value));
          assert.deepEqual(await stored(key), value);
        }
      });

      test('a value that its owner changes after the put stays as it was put', async () => {
        const key = unique('key');
        const mine = { list: [1] };
        await write(put(key, mine));
        mine.list.push(2);
        const first = await store.get(key);
        assert.deepEqual(first?.value, { list: [1] });
      });

      test('the version that a put answers is the one that is read, and every write changes it', async () => {
        const key = unique('key');
        const seen = new Set<number>();
        for (const value of ['a', 'a', 'b']) {
          const [result] = await write(put(key, value));
          assert.deepEqual(result, { type: 'put', version: await versionOf(key) });
          seen.add(await versionOf(key));
        }
        await write(add(key, 1));
        seen.add(await versionOf(key));
        assert.equal(seen.size, 4);
      });

      test('a key that was deleted and written again does not get a version that it had', async () => {
        const key = unique('key');
        await write(put(key, 1));
        const before = await versionOf(key);
        await write({ type: 'delete', key });
        assert.equal(await store.get(key), undefined);
        await write(put(key, 1));
        assert.notEqual(await versionOf(key), before);
      });

      test('deleting what is absent is no failure', async () => {
        const results = await write({ type: 'delete', key: unique('key') }, { type: 'delete-log', log: unique('log') });
        assert.deepEqual(results, [{ type: 'delete' }, { type: 'delete-log' }]);
      });
    });

    describe('conditions', () => {
      /** Commits with one condition; returns whether it held. Writes a witness, to see that nothing is written otherwise. */
      async function holds(condition: Condition): Promise<boolean> {
        const witness = unique('key');
        const log = unique('log');
        const result = await store.commit([condition], [put(witness, 1), append(log, ['x']), add(witness, 1)]);
        assert.equal(await stored(witness), result.isCommitted ? 2 : undefined);
        assert.equal((await textsOf(log)).length, result.isCommitted ? 1 : 0);
        if (!result.isCommitted) assert.deepEqual(result.failed, condition);
        return result.isCommitted;
      }

      test('absent holds for what was never written, was deleted or is expired, and for nothing else', async () => {
        const key = unique('key');
        assert.equal(await holds({ type: 'absent', key }), true);
        await write(put(key, null));
        assert.equal(await holds({ type: 'absent', key }), false);
        await write({ type: 'delete', key });
        assert.equal(await holds({ type: 'absent', key }), true);
        await write(put(key, null, soon()));
        assert.equal(await holds({ type: 'absent', key }), false);
        await kind.pass(SHORT_MS);
        assert.equal(await holds({ type: 'absent', key }), true);
      });

      test('present holds only while the key is there', async () => {
        const key = unique('key');
        assert.equal(await holds({ type: 'present', key }), false);
        await write(put(key, null, soon()));
        assert.equal(await holds({ type: 'present', key }), true);
        await kind.pass(SHORT_MS);
        assert.equal(await holds({ type: 'present', key }), false);
      });

      test('version holds only for the version that is there now', async () => {
        const key = unique('key');
        assert.equal(await holds({ type: 'version', key, version: 1 }), false);
        await write(put(key, 'a'));
        const version = await versionOf(key);
        assert.equal(await holds({ type: 'version', key, version }), true);
        assert.equal(await holds({ type: 'version', key, version: version + 1 }), false);
        await write(put(key, 'a'));
        assert.equal(await holds({ type: 'version', key, version }), false);
      });

      test('before holds until its time', async () => {
        const condition = { type: 'before', timeMs: kind.now() + SHORT_MS } as const;
        // A store may go by another machine's clock, which is known to a few milliseconds.
        assert.equal(await holds({ type: 'before', timeMs: kind.now() - SHORT_MS }), false);
        assert.equal(await holds({ type: 'before', timeMs: kind.now() + HOUR_MS }), true);
        await kind.pass(SHORT_MS);
        assert.equal(await holds(condition), false);
      });

      test('a condition without a key stands among others that have one', async () => {
        const key = unique('key');
        const conditions: readonly Condition[] = [
          { type: 'absent', key },
          { type: 'before', timeMs: kind.now() + HOUR_MS },
          { type: 'present', key },
        ];
        assert.deepEqual(await store.commit(conditions, [put(key, 1)]), { isCommitted: false, failed: conditions[2] });
        assert.equal((await store.commit(conditions.slice(0, 2), [put(key, 1)])).isCommitted, true);
        assert.equal(await stored(key), 1);
      });

      test('the first of several conditions that fails is named', async () => {
        const key = unique('key');
        await write(put(key, 1));
        const conditions: readonly Condition[] = [
          { type: 'present', key },
          { type: 'absent', key },
          { type: 'version', key, version: 0 },
        ];
        assert.deepEqual(await store.commit(conditions, []), { isCommitted: false, failed: conditions[1] });
      });

      test('conditions are judged before the first write of their commit', async () => {
        const key = unique('key');
        const result = await store.commit([{ type: 'absent', key }], [put(key, 1), put(key, 2)]);
        assert.equal(result.isCommitted, true);
        assert.equal(await stored(key), 2);
      });

      test('a commit whose answer was lost and that is repeated on the version that it writes happens once', async () => {
        const key = unique('turn');
        const log = unique('log');
        await write(put(key, 'running'));
        const version = await versionOf(key);
        const once = () => store.commit([{ type: 'version', key, version }], [put(key, 'running'), append(log, ['x'])]);
        assert.equal((await once()).isCommitted, true);
        assert.equal((await once()).isCommitted, false);
        assert.deepEqual(await textsOf(log), ['x']);
      });
    });

    describe('writes', () => {
      test('all writes of a commit are applied in order, with one result each', async () => {
        const [key, counter, log] = [unique('key'), unique('counter'), unique('log')];
        const expiresAtMs = inAnHour();
        const results = await write(
          { type: 'wake', topic: unique('topic') },
          put(key, 'a'),
          append(log, ['1', '2']),
          add(counter, 2, expiresAtMs),
          { type: 'delete', key },
          append(log, ['3']),
          add(counter, 3, expiresAtMs + 1),
          { type: 'delete-log', log },
          append(log, ['4']),
        );
        const version = results[1]?.type === 'put' ? results[1].version : undefined;
        assert.deepEqual(results, [
          { type: 'wake' },
          { type: 'put', version },
          { type: 'append', lastSequence: 2 },
          { type: 'add', count: 2, expiresAtMs },
          { type: 'delete' },
          { type: 'append', lastSequence: 3 },
          { type: 'add', count: 5, expiresAtMs },
          { type: 'delete-log' },
          { type: 'append', lastSequence: 1 },
        ]);
        assert.equal(await stored(key), undefined);
        assert.equal(await stored(counter), 5);
        assert.deepEqual(await textsOf(log), ['4']);
      });

      test('a commit without writes tells whether its conditions hold', async () => {
        assert.deepEqual(await store.commit([{ type: 'absent', key: unique('key') }], []), {
          isCommitted: true,
          results: [],
        });
      });

      test('another relay never sees a part of a commit', async () => {
        const [counter, log] = [unique('counter'), unique('log')];
        let isWriting = true;
        const writing = (async () => {
          for (let round = 0; round < 60; round++) await write(append(log, ['x', 'y']), add(counter, 2));
          isWriting = false;
        })();
        while (isWriting) {
          await nextTurn();
          const logFirst = (await other.readLog(log, 0, 1)).lastSequence;
          const count = Number((await stored(counter)) ?? 0);
          const logLast = (await other.readLog(log, 0, 1)).lastSequence;
          assert.ok(logFirst <= count && count <= logLast, `${logFirst} ≤ ${count} ≤ ${logLast}`);
          assert.equal(logLast % 2, 0);
        }
        await writing;
        assert.equal(await stored(counter), 120);
      });
    });

    describe('logs', () => {
      test('entries are numbered from 1 without a gap, over commits and relays', async () => {
        const log = unique('log');
        await store.commit([], [append(log, ['a'])]);
        await other.commit([], [append(log, ['b', 'c'])]);
        await store.commit([], [append(log, ['d'])]);
        assert.deepEqual(await other.readLog(log, 0, 10), {
          entries: ['a', 'b', 'c', 'd'].map((entry, index) => ({ sequence: index + 1, entry })),
          firstSequence: 1,
          lastSequence: 4,
        } satisfies LogSlice);
      });

      test('a reader continues after the sequence that he names, with at most as many entries as he asks for', async () => {
        const log = unique('log');
        await write(append(log, ['a', 'b', 'c', 'd']));
        const from = async (after: number, limit: number) =>
          (await store.readLog(log, after, limit)).entries.map(({ sequence, entry }) => `${sequence}${entry}`);
        assert.deepEqual(await from(0, 2), ['1a', '2b']);
        assert.deepEqual(await from(2, 2), ['3c', '4d']);
        assert.deepEqual(await from(3, 100), ['4d']);
        assert.deepEqual(await from(4, 100), []);
        assert.deepEqual(await from(400, 100), []);
        assert.deepEqual(await from(0, 0), []);
      });

      test('a log that was never written or was deleted is empty', async () => {
        const log = unique('log');
        const empty: LogSlice = { entries: [], firstSequence: 0, lastSequence: 0 };
        assert.deepEqual(await store.readLog(log, 0, 10), empty);
        await write(append(log, ['a']));
        await write({ type: 'delete-log', log });
        assert.deepEqual(await other.readLog(log, 0, 10), empty);
      });

      test('a log that begins again after it was deleted has none of its former entries', async () => {
        const log = unique('log');
        await write(append(log, ['a', 'b', 'c']));
        await write({ type: 'delete-log', log });
        await write(append(log, ['d']));
        assert.deepEqual(await other.readLog(log, 0, 10), {
          entries: [{ sequence: 1, entry: 'd' }],
          firstSequence: 1,
          lastSequence: 1,
        });
      });

      test('entries come back to the character', async () => {
        const log = unique('log');
        const entries = ['', '\n', '{"a":"ä€😀"}', '\u0000 after', '0', '7 {"x":1}', 'x'.repeat(100_000)];
        await write(append(log, entries));
        assert.deepEqual(await textsOf(log), entries);
      });

      test('some thousand entries fit into one append', async () => {
        const log = unique('log');
        const entries = Array.from({ length: 4_321 }, (_, index) => `entry ${index}`);
        assert.deepEqual(await write(append(log, entries)), [{ type: 'append', lastSequence: 4_321 }]);
        assert.deepEqual(await textsOf(log), entries);
      });

      test('an append of nothing makes no log, and moves the expiry of one that is there', async () => {
        const log = unique('log');
        assert.deepEqual(await write(append(log, [])), [{ type: 'append', lastSequence: 0 }]);
        await write(append(log, ['a'], soon()));
        assert.deepEqual(await write(append(log, [])), [{ type: 'append', lastSequence: 1 }]);
        await kind.pass(SHORT_MS);
        assert.deepEqual(await textsOf(log), ['a']);
      });

      test('a log that keeps only its last entries numbers on, and tells where it begins', async () => {
        const log = unique('log');
        const keepLast = 3;
        for (const entries of [['1'], ['2', '3'], ['4', '5', '6', '7', '8'], ['9']]) {
          await write({ type: 'append', log, entries, expiresAtMs: inAnHour(), keepLast });
        }
        const kept = [7, 8, 9].map((sequence) => ({ sequence, entry: String(sequence) }));
        assert.deepEqual(await other.readLog(log, 0, 10), { entries: kept, firstSequence: 7, lastSequence: 9 });
        assert.deepEqual((await other.readLog(log, 7, 1)).entries, kept.slice(1, 2));
        await write(append(log, ['10']));
        assert.deepEqual(await textsOf(log), ['7', '8', '9', '10']);
      });

      test('a log that drops entries a thousand times still reads right', async () => {
        const log = unique('log');
        const writes = Array.from(
          { length: 1_000 },
          (_, index): Write => ({
            type: 'append',
            log,
            entries: [`${index + 1}`],
            expiresAtMs: inAnHour(),
            keepLast: 100,
          }),
        );
        for (let at = 0; at < writes.length; at += 50) await write(...writes.slice(at, at + 50));
        const slice = await other.readLog(log, 0, 1_000);
        assert.equal(slice.firstSequence, 901);
        assert.deepEqual(
          slice.entries.map(({ sequence, entry }) => [sequence, entry]),
          Array.from({ length: 100 }, (_, index) => [901 + index, `${901 + index}`]),
        );
      });
    });

    describe('counters', () => {
      test('a counter begins at 0 and keeps the expiry that it began with', async () => {
        const key = unique('counter');
        const expiresAtMs = inAnHour();
        assert.deepEqual(await write(add(key, 3, expiresAtMs)), [{ type: 'add', count: 3, expiresAtMs }]);
        assert.deepEqual(await write(add(key, -5, expiresAtMs + 5)), [{ type: 'add', count: -2, expiresAtMs }]);
        assert.equal(await stored(key), -2);
      });

      test('a counter that is expired begins again', async () => {
        const key = unique('counter');
        await write(add(key, 3, soon()));
        await kind.pass(SHORT_MS);
        const expiresAtMs = inAnHour();
        assert.deepEqual(await write(add(key, 1, expiresAtMs)), [{ type: 'add', count: 1, expiresAtMs }]);
      });

      test('adding goes on from a number that was put, and takes any other value for 0', async () => {
        for (const [value, expected] of [
          [1.5, 2.5],
          [2 ** 52, 2 ** 52 + 1],
          ['7', 1],
          [null, 1],
          [[7], 1],
        ] as const) {
          const key = unique('counter');
          await write(put(key, value));
          await write(add(key, 1));
          assert.equal(await stored(key), expected);
        }
      });
    });

    describe('expiry', () => {
      test('a key, a counter and a log are there until their time, and then as if they had never been', async () => {
        const [key, counter, log] = [unique('key'), unique('counter'), unique('log')];
        await write(put(key, 1, soon()), add(counter, 1, soon()), append(log, ['a', 'b'], soon()));
        assert.equal(await stored(key), 1);
        assert.equal(await stored(counter), 1);
        assert.deepEqual(await textsOf(log), ['a', 'b']);
        await kind.pass(SHORT_MS);
        assert.equal(await stored(key), undefined);
        assert.equal(await stored(counter), undefined);
        assert.deepEqual(await other.readLog(log, 0, 10), { entries: [], firstSequence: 0, lastSequence: 0 });
        assert.deepEqual(await write(append(log, ['c'])), [{ type: 'append', lastSequence: 1 }]);
        assert.deepEqual(await textsOf(log), ['c']);
      });

      test('a later put and a later append move the expiry', async () => {
        const [key, log] = [unique('key'), unique('log')];
        await write(put(key, 1, soon()), append(log, ['a'], soon()));
        await write(put(key, 2), append(log, ['b']));
        await kind.pass(SHORT_MS);
        assert.equal(await stored(key), 2);
        assert.deepEqual(await textsOf(log), ['a', 'b']);
      });

      test('what is written with a time that is over is not there', async () => {
        const [key, counter, log] = [unique('key'), unique('counter'), unique('log')];
        const past = kind.now() - 1_000;
        await write(put(key, 1), append(log, ['a']));
        await write(put(key, 2, past), add(counter, 1, past), append(log, ['b'], past));
        assert.equal(await stored(key), undefined);
        assert.equal(await stored(counter), undefined);
        assert.deepEqual(await textsOf(log), []);
      });
    });

    describe('several at once', () => {
      test('of fifty that write a key if it is absent, exactly one does', async () => {
        const key = unique('key');
        const results = await Promise.all(
          Array.from({ length: 50 }, (_, index) =>
            (index % 2 ? store : other).commit([{ type: 'absent', key }], [put(key, index)]),
          ),
        );
        const winners = results.flatMap((result, index) => (result.isCommitted ? [index] : []));
        assert.equal(winners.length, 1);
        assert.equal(await stored(key), winners[0]);
      });

      test('no one who changes a value by its version overwrites another', async () => {
        const key = unique('key');
        await write(put(key, 0));
        const increase = async (from: Store) => {
          for (;;) {
            const found = await from.get(key);
            assert.ok(found);
            const { value, version } = found;
            const result = await from.commit([{ type: 'version', key, version }], [put(key, Number(value) + 1)]);
            if (result.isCommitted) return;
          }
        };
        await Promise.all(Array.from({ length: 20 }, (_, index) => increase(index % 2 ? store : other)));
        assert.equal(await stored(key), 20);
      });

      test('counters lose no addition', async () => {
        const key = unique('counter');
        const results = await Promise.all(
          Array.from({ length: 60 }, (_, index) => (index % 2 ? store : other).commit([], [add(key, 1)])),
        );
        const counts = results.map(
          (result) => result.isCommitted && result.results[0]?.type === 'add' && result.results[0].count,
        );
        assert.deepEqual(
          counts.sort((a, b) => Number(a) - Number(b)),
          Array.from({ length: 60 }, (_, index) => index + 1),
        );
      });

      test('two relays that append to one log number it without gap or repeat, and leave each commit in one piece', async () => {
        const log = unique('log');
        const lasts = await Promise.all(
          Array.from({ length: 60 }, async (_, index) => {
            const result = await (index % 2 ? store : other).commit(
              [],
              [append(log, [`${index}a`, `${index}b`, `${index}c`])],
            );
            assert.ok(result.isCommitted && result.results[0]?.type === 'append');
            return result.results[0].lastSequence;
          }),
        );
        const { entries } = await store.readLog(log, 0, 1_000);
        assert.deepEqual(
          entries.map(({ sequence }) => sequence),
          Array.from({ length: 180 }, (_, index) => index + 1),
        );
        lasts.forEach((last, index) => {
          assert.deepEqual(
            entries.slice(last - 3, last).map(({ entry }) => entry),
            [`${index}a`, `${index}b`, `${index}c`],
          );
        });
      });

      test('a session that is deleted while others append to it does not come back', async () => {
        for (let round = 0; round < 20; round++) {
          const [session, log] = [unique('session'), unique('log')];
          await write(put(session, 'live'), append(log, ['first']));
          const running = Array.from({ length: 12 }, (_, index) =>
            (index % 2 ? store : other).commit(
              [{ type: 'present', key: session }],
              [append(log, [`late ${index}`]), put(`${session}-turn`, index)],
            ),
          );
          const deleted = other.commit(
            [],
            [
              { type: 'delete', key: session },
              { type: 'delete', key: `${session}-turn` },
              { type: 'delete-log', log },
            ],
          );
          const late = Array.from({ length: 4 }, () =>
            deleted.then(() => store.commit([{ type: 'present', key: session }], [append(log, ['later still'])])),
          );
          await Promise.all([...running, deleted]);
          for (const result of await Promise.all(late)) assert.equal(result.isCommitted, false);
          assert.equal(await stored(session), undefined);
          assert.equal(await stored(`${session}-turn`), undefined);
          assert.deepEqual(await store.readLog(log, 0, 10), { entries: [], firstSequence: 0, lastSequence: 0 });
        }
      });
    });

    describe('wake-ups', () => {
      /** Subscribes at `other`. `woken` resolves with the next call after it was asked for, and rejects when none comes. */
      function listen(topic: string) {
        let calls = 0;
        let onCall = () => {};
        const end = other.subscribe(topic, () => {
          calls++;
          onCall();
        });
        return {
          end,
          calls: () => calls,
          async woken(): Promise<void> {
            const seen = calls;
            const call = new Promise<void>((resolve) => {
              onCall = resolve;
            });
            if (calls > seen) return;
            const timer = AbortSignal.timeout(WAKE_LIMIT_MS);
            const late = new Promise<never>((_, reject) => {
              timer.addEventListener('abort', () => reject(new Error(`not woken: ${topic}`)), { once: true });
            });
            await Promise.race([call, late]);
          },
          /** Resolves when no call came for a while: what was still on its way has arrived. */
          async settled(): Promise<void> {
            for (let seen = -1; seen !== calls; ) {
              seen = calls;
              await wait(120);
            }
          },
        };
      }

      test('an append wakes whoever waits for the log, also at another relay, and the entry is there then', async () => {
        const log = unique('log');
        const listener = listen(log);
        await listener.settled();
        for (const entry of ['a', 'b', 'c']) {
          const woken = listener.woken();
          await write(append(log, [entry]));
          await woken;
          assert.equal((await textsOf(log)).at(-1), entry);
        }
        listener.end();
      });

      test('a topic can be woken without anything being written', async () => {
        const topic = unique('topic');
        const listener = listen(topic);
        await listener.settled();
        const woken = listener.woken();
        assert.deepEqual(await write({ type: 'wake', topic }), [{ type: 'wake' }]);
        await woken;
        listener.end();
      });

      test('whoever subscribes and then reads misses nothing', async () => {
        for (let round = 0; round < 10; round++) {
          const log = unique('log');
          const written = write(append(log, ['a']));
          const listener = listen(log);
          const woken = listener.woken();
          const isThere = (await textsOf(log)).length === 1;
          if (!isThere) await woken;
          else woken.catch(() => {});
          assert.deepEqual(await textsOf(log), ['a']);
          listener.end();
          await written;
        }
      });

      test('every listener is called, one that was subscribed twice for each subscription, and none after its end', async () => {
        const topic = unique('topic');
        let calls = 0;
        const count = () => {
          calls++;
        };
        const ends = [other.subscribe(topic, count), other.subscribe(topic, count)];
        const witness = listen(topic);
        await witness.settled();

        calls = 0;
        let woken = witness.woken();
        await write({ type: 'wake', topic });
        await woken;
        await witness.settled();
        assert.ok(calls >= 2 && calls % 2 === 0, `${calls} calls`);

        ends[0]?.();
        ends[0]?.();
        calls = 0;
        woken = witness.woken();
        await write({ type: 'wake', topic });
        await woken;
        assert.ok(calls >= 1, 'the other subscription is still there');

        ends[1]?.();
        calls = 0;
        woken = witness.woken();
        await write({ type: 'wake', topic });
        await woken;
        await witness.settled();
        assert.equal(calls, 0);
        witness.end();
      });

      test('a topic that was left and joined again is heard again', async () => {
        const topic = unique('topic');
        for (let round = 0; round < 5; round++) listen(topic).end();
        const listener = listen(topic);
        await listener.settled();
        const woken = listener.woken();
        await write({ type: 'wake', topic });
        await woken;
        listener.end();
      });

      test('a commit whose condition fails wakes nobody', async () => {
        const [topic, key] = [unique('topic'), unique('key')];
        const listener = listen(topic);
        await listener.settled();
        const before = listener.calls();
        const result = await other.commit([{ type: 'present', key }], [{ type: 'wake', topic }, append(topic, ['a'])]);
        assert.equal(result.isCommitted, false);
        await listener.settled();
        assert.equal(listener.calls(), before);
        listener.end();
      });
    });

    test('random commits do what a simple model of the store does', async () => {
      await checkAgainstModel(store, other, kind, unique);
    });

    describe('its life', () => {
      test('a store that works says so', async () => {
        await store.check();
      });

      test('a closed store rejects every call, can be closed again, and leaves the other relay alone', async () => {
        const key = unique('key');
        const closing = await kind.open();
        const isSame = closing === store;
        await closing.commit([], [put(key, 1)]);
        const handedOver = closing.commit([], [put(key, 2)]);
        await handedOver;
        await closing.close();
        await closing.close();
        closing.subscribe(key, () => assert.fail('a closed store wakes'))();
        for (const call of [
          () => closing.get(key),
          () => closing.commit([], []),
          () => closing.readLog(key, 0, 1),
          () => closing.check(),
        ]) {
          await assert.rejects(call, StoreUnavailableError);
        }
        if (!isSame) assert.equal(await stored(key), 2);
      });
    });
  });
}
