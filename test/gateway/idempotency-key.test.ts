import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { idempotencyKey } from '../../relay/tool-gateway/idempotency-key.ts';
import { NotCanonicalError } from '../../relay/tool-policy/canonical-json.ts';

interface Side {
  readonly session: string;
  readonly turn: string;
  readonly tool: string;
  readonly args: string;
}
interface Pair {
  readonly id: string;
  readonly same: boolean;
  readonly a: Side;
  readonly b: Side;
  readonly why: string;
}

const casesUrl = new URL('../cases/idempotency.json', import.meta.url);
const { pairs } = JSON.parse(readFileSync(casesUrl, 'utf8')) as { readonly pairs: readonly Pair[] };

/** A refused call has no key; the name of the side keeps two refusals apart. */
function keyOf(side: Side, name: string): string {
  try {
    const { session: sessionId, turn, tool } = side;
    return idempotencyKey({ sessionId, turn, tool, arguments: JSON.parse(side.args) });
  } catch (error) {
    assert.ok(error instanceof NotCanonicalError, String(error));
    return `refused ${name}`;
  }
}

describe('the idempotency key', () => {
  for (const pair of pairs) {
    test(`two calls have ${pair.same ? 'the same key' : 'different keys'}: ${pair.why} (${pair.id}) [S1.7, S1.8, S1.9, S1.11]`, () => {
      assert.equal(keyOf(pair.a, 'a') === keyOf(pair.b, 'b'), pair.same);
    });
  }

  test('a key is 64 lower-case hexadecimal digits and stays the same over 1,000 calls [S1.6, S1.10]', () => {
    const call = { sessionId: 's1', turn: 't1', tool: 'orders_create', arguments: { b: [1, null], a: 'é' } };
    const keys = new Set(Array.from({ length: 1000 }, () => idempotencyKey(call)));
    assert.equal(keys.size, 1);
    assert.match([...keys][0] ?? '', /^[0-9a-f]{64}$/);
  });

  test('a key is the same in processes of different languages', () => {
    const script = `import { idempotencyKey } from ${JSON.stringify(new URL('../../relay/tool-gateway/idempotency-key.ts', import.meta.url).href)};
      console.log(idempotencyKey({ sessionId: 's', turn: 't', tool: 'I', arguments: { I: 1, ı: 2, i: 3, İ: 4, ä: 5, z: 6 } }));`;
    const keyIn = (language: string) =>
      execFileSync(process.execPath, ['--input-type=module-typescript', '-e', script], {
        env: { ...process.env, LANG: language, LC_ALL: language },
        encoding: 'utf8',
      });
    assert.equal(keyIn('C'), keyIn('tr_TR.UTF-8'));
  });

  test('the arguments are left as they were', () => {
    const given = Object.freeze({ b: null, a: Object.freeze(['', null, Object.freeze({ y: '', x: 1 })]) });
    const before = JSON.stringify(given);
    idempotencyKey({ sessionId: 's', turn: 't', tool: 'x', arguments: given });
    assert.equal(JSON.stringify(given), before);
  });

  test('lists keep their nulls and empty strings', () => {
    const keyFor = (list: unknown[]) => idempotencyKey({ sessionId: 's', turn: 't', tool: 'x', arguments: { list } });
    assert.equal(new Set([keyFor([1]), keyFor([1, null]), keyFor([null, 1]), keyFor([1, ''])]).size, 4);
  });

  for (const [name, value] of [
    ['NaN', Number.NaN],
    ['an infinite number', Number.POSITIVE_INFINITY],
    ['an integer beyond 2^53 − 1', 2 ** 53],
    ['undefined', undefined],
    ['a bigint', 1n],
    ['a function', () => 1],
    ['a date object', new Date(0)],
  ] as const) {
    test(`arguments with ${name} are refused by path`, () => {
      assert.throws(
        () => idempotencyKey({ sessionId: 's', turn: 't', tool: 'x', arguments: { deep: [value] } }),
        (error) => error instanceof NotCanonicalError && error.path === '/deep/0',
      );
    });
  }

  test('10,000 levels are refused and do not end the process', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 10_000; level += 1) deep = [deep];
    assert.throws(
      () => idempotencyKey({ sessionId: 's', turn: 't', tool: 'x', arguments: { deep } }),
      NotCanonicalError,
    );
  });
});
