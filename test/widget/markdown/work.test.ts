import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answers } from '../../bench/markdown-answers.ts';
import hostile from '../../cases/hostile-content.json' with { type: 'json' };
import { drawChunks, inSteps } from './support/drawing.ts';
import { type HostileContent, readHostileCases } from './support/hostile-cases.ts';

const hostileCases = readHostileCases(hostile as HostileContent);

/** What drawing a text cost: characters looked at by patterns, and what the page had to do. */
interface Work {
  readonly read: number;
  readonly inserted: number;
  readonly removed: number;
  readonly written: number;
}

/**
 * Counts instead of measuring time: how far each run of a pattern looked (to the end of the text where it found nothing, unless it only
 * looks at one place), and the page's own counters.
 */
function workOf(text: string, step: number): Work {
  const { exec } = RegExp.prototype;
  let read = 0;
  RegExp.prototype.exec = function counted(this: RegExp, subject: string) {
    const start = this.sticky || this.global ? this.lastIndex : 0;
    const found = exec.call(this, subject);
    read += 1 + (found ? found.index + found[0].length - start : this.sticky ? 0 : subject.length - start);
    return found;
  };
  try {
    const { page } = drawChunks(step > 0 ? inSteps(text, step) : [text]);
    return { read, ...page.work };
  } finally {
    RegExp.prototype.exec = exec;
  }
}

/** How often `larger` is as much as `smaller`, the worst of all counters; small numbers do not count. */
function growth(smaller: Work, larger: Work, baseline: number): number {
  const ratio = (counter: keyof Work) => (larger[counter] + baseline) / (smaller[counter] + baseline);
  return Math.max(ratio('read'), ratio('inserted'), ratio('removed'), ratio('written'));
}

describe('twice the text costs at most 2.6 times the work', () => {
  const cases = hostileCases.filter(({ category, name }) => category === 'perf' && !name.startsWith('one line'));
  for (const { id, name, text } of cases) {
    // In steps half as much is enough, but for what grows up to the deepest nesting first.
    const half = name === 'nested ordered' ? 1 : 0.5;
    for (const [how, step, scale] of [
      ['whole', 0, 1],
      ['in steps of 40 characters', 40, half],
    ] as const) {
      it(`for ${id}, ${name}, ${how}`, () => {
        const [one, two] = [text(scale), text(scale * 2)];
        // Nesting and runs grow by the square of their number.
        const times = growth(workOf(one, step), workOf(two, step), 2000) / (two.length / one.length);
        assert.ok(times <= 1.3, `${(times * 2).toFixed(2)} times`);
      });
    }
  }

  for (const kind of ['mixed', 'fence', 'paragraph', 'table', 'list'] as const) {
    it(`for one long ${kind}, from 20,000 to 80,000 characters in steps of 20: at most as much more as there is more text`, () => {
      const [small, large] = [answers[kind](20_000), answers[kind](80_000)];
      const exponent =
        Math.log(growth(workOf(small, 20), workOf(large, 20), 100)) / Math.log(large.length / small.length);
      assert.ok(exponent < 1.1, `exponent ${exponent.toFixed(2)}`);
    });
  }

  it('and a line of a million characters is read once', () => {
    const { read, written } = workOf('word '.repeat(200_000), 1000);
    assert.ok(read < 60_000_000, `${read} characters read`);
    assert.ok(written < 3_000_000, `${written} characters written`);
  });
});

describe('text too deep or too long to mean anything stays text', () => {
  for (const [name, text] of [
    ['2,000 quotes', `${'>'.repeat(2000)} end`],
    [
      '5,000 nested items',
      Array.from({ length: 5000 }, (_, index) => `${' '.repeat(Math.min(index, 500))}- a\n`).join(''),
    ],
    ['10 KB of emphasis marks', `${'**_* '.repeat(2000)}end`],
    ['72 KB of image brackets', `${'![[]()'.repeat(12_000)}end`],
    ['20,000 opening brackets', `${'['.repeat(20_000)}end`],
    ['matched stars, 2,000 deep', `${'*'.repeat(2000)}end${'*'.repeat(2000)}`],
    [
      'a table with 4,000 columns and 2,000 short rows',
      `${'|a'.repeat(4000)}|\n${'|-'.repeat(4000)}|\n${'|b\n'.repeat(2000)}end`,
    ],
  ] as const) {
    it(name, () => {
      const { root, page } = drawChunks(inSteps(text, 1000));
      assert.match(root.textContent, /end|a/);
      assert.ok(page.work.inserted < 60_000, `${page.work.inserted} nodes`);
      let depth = 0;
      for (let node = root.firstChild; node; node = node.firstChild) depth++;
      assert.ok(depth < 260, `${depth} deep`);
    });
  }
});
