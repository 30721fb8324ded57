import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Condition, JsonValue, Store, Write } from '../../relay/store/store.ts';

const KEYS = ['a', 'b', 'c'] as const;
const LOGS = ['l', 'm'] as const;
const RUNS = 60;
const LIFE_MS = 3_600_000;

type Name = (typeof KEYS)[number];
type LogName = (typeof LOGS)[number];

/** One commit in the words of the model: a version condition is right or stale, never a number. */
interface Step {
  readonly conditions: readonly { readonly type: 'absent' | 'present' | 'current' | 'stale'; readonly key: Name }[];
  readonly writes: readonly ModelWrite[];
  readonly isOther: boolean;
}

type ModelWrite =
  | { readonly type: 'put'; readonly key: Name; readonly value: JsonValue; readonly isOver: boolean }
  | { readonly type: 'delete'; readonly key: Name }
  | { readonly type: 'add'; readonly key: Name; readonly amount: number }
  | { readonly type: 'append'; readonly log: LogName; readonly entries: readonly string[]; readonly keepLast: number }
  | { readonly type: 'delete-log'; readonly log: LogName };

const key = fc.constantFrom(...KEYS);
const log = fc.constantFrom(...LOGS);
const value = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.jsonValue({ maxDepth: 1 })).map((json) => json as JsonValue);
const write: fc.Arbitrary<ModelWrite> = fc.oneof(
  fc.record({
    type: fc.constant('put' as const),
    key,
    value,
    isOver: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  }),
  fc.record({ type: fc.constant('delete' as const), key }),
  fc.record({ type: fc.constant('add' as const), key, amount: fc.integer({ min: -5, max: 5 }) }),
  fc.record({
    type: fc.constant('append' as const),
    log,
    entries: fc.array(fc.string({ unit: 'grapheme', maxLength: 4 }), { maxLength: 4 }),
    keepLast: fc.constantFrom(1, 3, 1_000),
  }),
  fc.record({ type: fc.constant('delete-log' as const), log }),
);
const step: fc.Arbitrary<Step> = fc.record({
  conditions: fc.array(fc.record({ type: fc.constantFrom('absent', 'present', 'current', 'stale'), key }), {
    maxLength: 2,
  }),
  writes: fc.array(write, { maxLength: 5 }),
  isOther: fc.boolean(),
});

/** The simplest thing that does what a store promises, without time. */
class Model {
  readonly values = new Map<Name, JsonValue>();
  readonly logs = new Map<LogName, { entries: string[]; last: number }>();

  holds({ type, key }: Step['conditions'][number]): boolean {
    switch (type) {
      case 'absent':
        return !this.values.has(key);
      case 'present':
      case 'current':
        return this.values.has(key);
      case 'stale':
        return false;
    }
  }

  apply(write: ModelWrite): void {
    switch (write.type) {
      case 'put':
        if (write.isOver) this.values.delete(write.key);
        else this.values.set(write.key, write.value);
        return;
      case 'delete':
        this.values.delete(write.key);
        return;
      case 'add': {
        const previous = this.values.get(write.key);
        this.values.set(write.key, (typeof previous === 'number' ? previous : 0) + write.amount);
        return;
      }
      case 'append': {
        const kept = this.logs.get(write.log) ?? { entries: [], last: 0 };
        kept.entries = [...kept.entries, ...write.entries].slice(-write.keepLast);
        kept.last += write.entries.length;
        if (kept.last > 0) this.logs.set(write.log, kept);
        return;
      }
      case 'delete-log':
        this.logs.delete(write.log);
        return;
    }
  }
}

/** Plays random commits on both stores of one kind and on the model, and compares all that can be read after each. */
export async function checkAgainstModel(
  store: Store,
  other: Store,
  clock: { now(): number },
  unique: (kind: string) => string,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const model = new Model();
      const run = unique('run');
      const named = (name: string) => `${run}-${name}`;
      for (const { conditions, writes, isOther } of steps) {
        const isExpected = conditions.every((condition) => model.holds(condition));
        const real = await Promise.all(
          conditions.map(async ({ type, key }): Promise<Condition> => {
            if (type === 'absent' || type === 'present') return { type, key: named(key) };
            const version = (await store.get(named(key)))?.version ?? 0;
            return { type: 'version', key: named(key), version: type === 'current' ? version : version + 1 };
          }),
        );
        const result = await (isOther ? other : store).commit(
          real,
          writes.map((write) => toStoreWrite(write, named, clock.now())),
        );
        assert.equal(result.isCommitted, isExpected);
        if (isExpected) for (const write of writes) model.apply(write);
        await assertSame(model, isOther ? store : other, named);
      }
    }),
    { numRuns: RUNS },
  );
}

function toStoreWrite(write: ModelWrite, named: (name: string) => string, nowMs: number): Write {
  const expiresAtMs = nowMs + LIFE_MS;
  switch (write.type) {
    case 'put':
      return {
        type: 'put',
        key: named(write.key),
        value: write.value,
        expiresAtMs: write.isOver ? nowMs - 1_000 : expiresAtMs,
      };
    case 'add':
      return { ...write, key: named(write.key), expiresAtMs };
    case 'delete':
      return { ...write, key: named(write.key) };
    case 'append':
      return { ...write, log: named(write.log), expiresAtMs };
    case 'delete-log':
      return { ...write, log: named(write.log) };
  }
}

async function assertSame(model: Model, store: Store, named: (name: string) => string): Promise<void> {
  for (const key of KEYS) {
    // The model's value takes the way through JSON too, because -0 does not survive it.
    const expected = model.values.get(key);
    const value = (await store.get(named(key)))?.value;
    assert.deepEqual(value, expected === undefined ? undefined : JSON.parse(JSON.stringify(expected)));
  }
  for (const log of LOGS) {
    const { entries, last } = model.logs.get(log) ?? { entries: [], last: 0 };
    const firstSequence = entries.length === 0 ? 0 : last - entries.length + 1;
    assert.deepEqual(await store.readLog(named(log), 0, 1_000), {
      entries: entries.map((entry, index) => ({ sequence: firstSequence + index, entry })),
      firstSequence,
      lastSequence: last,
    });
  }
}
