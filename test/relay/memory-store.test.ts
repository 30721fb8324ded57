/** What the memory store promises beyond the contract of all stores: that it lets go of what is over. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MemoryStore } from '../../relay/store/memory-store.ts';

const MEGABYTE = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** A text of its own each time: the same text would be kept once. */
function text(index: number): string {
  return String(index).padEnd(1_000, String(index));
}

test('the memory store lets go of values and logs that are expired, although nobody asks for them', async (t) => {
  let nowMs = Date.now();
  const store = new MemoryStore({ now: () => nowMs, sweepIntervalMs: 20 });
  t.after(() => store.close());
  const before = heapBytes();
  const expiresAtMs = nowMs + 1_000;
  for (let index = 0; index < 12_000; index++) {
    await store.commit(
      [],
      [
        { type: 'put', key: `key:${index}`, value: text(index), expiresAtMs },
        { type: 'append', log: `log:${index}`, entries: [text(-index)], expiresAtMs },
      ],
    );
  }
  assert.ok(heapBytes() - before > 20 * MEGABYTE, 'the store holds what it was given');
  nowMs += 2_000;
  const limitMs = performance.now() + 5_000;
  while (heapBytes() - before > 3 * MEGABYTE && performance.now() < limitMs) await wait(20);
  assert.ok(heapBytes() - before < 3 * MEGABYTE, `${(heapBytes() - before) / MEGABYTE} MB are still held`);
});

test('a log in memory that keeps its last entries does not hold the others', async (t) => {
  const store = new MemoryStore();
  t.after(() => store.close());
  const before = heapBytes();
  const expiresAtMs = Date.now() + 3_600_000;
  for (let index = 0; index < 30_000; index++) {
    await store.commit([], [{ type: 'append', log: 'log:1', entries: [text(index)], expiresAtMs, keepLast: 100 }]);
  }
  assert.equal((await store.readLog('log:1', 0, 1_000)).firstSequence, 29_901);
  assert.ok(heapBytes() - before < 3 * MEGABYTE, `${(heapBytes() - before) / MEGABYTE} MB are held`);
});
