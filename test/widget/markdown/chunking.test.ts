import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createDrawing, drawChunks, inSteps, outline } from './support/drawing.ts';
import { gfmExamples } from './support/gfm-examples.ts';
import { longAnswers } from './support/long-answers.ts';
import { specExamples } from './support/spec-examples.ts';

const options = { imageHosts: ['site.example'] };
const examples = [...specExamples, ...gfmExamples].map(({ markdown }) => markdown);

/** Pieces that mean something to one another, so that random texts hold half constructs. */
const fragments = [
  ...['*', '**', '_', '__', '~', '~~', '`', '``', '[', ']', '(', ')', '](', '![', '<', '>', '\\', '&', '!', ':', '5'],
  ...['\n', '\n\n', '  \n', '- ', '1. ', '> ', '# ', '```', '```js\n', '~~~', '|', '|a|b|\n', '|-|-|\n', '---', '==='],
  ...[
    '\n===\n',
    '    ',
    '\t',
    'https://x.y/z',
    'www.a.b',
    'a@b.cd',
    '&amp;',
    '[foo]',
    '[foo]: /u "t"\n',
    '[bar]: <u> ',
  ],
  ...['"t"', '<a href="x">', '<https://q.r>', '- [ ] ', '- [x] ', 'é', '😀', '\r\n', '日本語 ', 'a', 'b c', 'word '],
  ...['many words in a row '.repeat(20), 'x'.repeat(700), 'y'.repeat(120), 'words '.repeat(400)],
];

/** Cuts `text` into pieces with the lengths of `lengths`, again and again. */
function cut(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let at = 0, index = 0; at < text.length; index++) {
    const length = lengths[index % lengths.length] as number;
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

const whole = (text: string) => outline(drawChunks([text], options).root);
const inChunks = (chunks: readonly string[]) => outline(drawChunks(chunks, options).root);
const lengths = fc.array(fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 400 })), { minLength: 1 });

describe('what is drawn in the end does not depend on how the text was cut', () => {
  it('for every example of the specifications, character by character and cut in two at every place', () => {
    for (const text of examples) {
      const expected = whole(text);
      assert.equal(inChunks(inSteps(text, 1)), expected, text);
      for (let at = 1; at < text.length; at += 3) {
        assert.equal(inChunks([text.slice(0, at), text.slice(at)]), expected, `${text} cut at ${at}`);
      }
    }
  });

  for (const [index, text] of longAnswers.entries()) {
    it(`for long answer ${index + 1} in steps of 1, 7, 40 and 1,000 characters`, () => {
      const expected = whole(text);
      for (const step of text.length > 10_000 ? [7, 40, 1000] : [1, 7, 40, 1000]) {
        assert.equal(inChunks(inSteps(text, step)), expected, `steps of ${step}`);
      }
    });
  }

  it('for long answers cut at random', () => {
    fc.assert(
      fc.property(fc.constantFrom(...longAnswers), lengths, (text, cuts) => {
        assert.equal(inChunks(cut(text, cuts)), whole(text));
      }),
      { numRuns: 60 },
    );
  });

  it('for several examples below one another, cut at random', () => {
    const several = fc.tuple(fc.array(fc.constantFrom(...examples), { minLength: 1, maxLength: 6 }), fc.boolean());
    fc.assert(
      fc.property(several, lengths, ([parts, isApart], cuts) => {
        const text = parts.join(isApart ? '\n' : '');
        assert.equal(inChunks(cut(text, cuts)), whole(text));
      }),
      { numRuns: 600 },
    );
  });

  it('for random texts of marks, cut at random', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...fragments), { minLength: 1, maxLength: 60 }), lengths, (parts, cuts) => {
        const text = parts.join('');
        assert.equal(inChunks(cut(text, cuts)), whole(text));
      }),
      { numRuns: 600 },
    );
  });

  it('when the whole text so far is given again and again', () => {
    const text = longAnswers[0] as string;
    const { view, root } = createDrawing(options);
    for (let length = 5; length < text.length; length += 37) {
      view.setText(text.slice(0, length));
      view.flush();
    }
    view.setText(text);
    view.finish();
    view.flush();
    assert.equal(outline(root), whole(text));
  });

  it('when the text is replaced by another one on the way', () => {
    const { view, root } = createDrawing(options);
    view.append('Something **else');
    view.flush();
    view.setText('# Now this\n\n- a\n');
    view.finish();
    view.flush();
    assert.equal(outline(root), whole('# Now this\n\n- a\n'));
  });

  it('also when the text is replaced after it was finished', () => {
    const { view, root } = drawChunks(['one\n\ntwo'], options);
    view.setText('three');
    view.finish();
    view.flush();
    assert.equal(outline(root), whole('three'));
  });
});
