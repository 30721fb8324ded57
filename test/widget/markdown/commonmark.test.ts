import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import differences from '../../cases/markdown-differences.json' with { type: 'json' };
import { comparable, readHtml } from './support/comparable.ts';
import { drawChunks } from './support/drawing.ts';
import { specExamples } from './support/spec-examples.ts';

const reasons = new Map(differences.flatMap(({ reason, examples }) => examples.map((number) => [number, reason])));
/** The examples' images are the page's own: shown, so that they can be compared. */
const options = { imageHosts: ['site.example'] };

describe('the examples of CommonMark 0.31', () => {
  for (const { number, section, markdown, html } of specExamples) {
    const reason = reasons.get(number);
    const drawn = () => comparable(drawChunks([markdown], options).root);
    const expected = comparable(readHtml(html));
    if (reason === undefined) {
      it(`${number} (${section}) is drawn as the specification says`, () => {
        assert.equal(drawn(), expected);
      });
    } else {
      it(`${number} (${section}) is drawn differently on purpose: ${reason}`, () => {
        assert.notEqual(drawn(), expected, 'it is drawn as specified: take it off the list of differences');
      });
    }
  }

  it('are all there that the list of differences names', () => {
    const known = new Set(specExamples.map(({ number }) => number));
    assert.deepEqual(
      [...reasons.keys()].filter((number) => !known.has(number)),
      [],
    );
  });
});
