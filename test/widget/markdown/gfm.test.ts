import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comparable, readHtml } from './support/comparable.ts';
import { drawChunks } from './support/drawing.ts';
import { gfmExamples } from './support/gfm-examples.ts';

describe('the constructs that GitHub adds to CommonMark', () => {
  for (const { name, markdown, html } of gfmExamples) {
    it(name, () => {
      assert.equal(comparable(drawChunks([markdown]).root), comparable(readHtml(html)));
    });
  }
});
