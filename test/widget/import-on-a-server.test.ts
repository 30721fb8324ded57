import assert from 'node:assert/strict';
import { test } from 'node:test';

test('the element can be imported where there is no document, and registers nothing there', async () => {
  assert.equal(typeof document, 'undefined');
  const { ParleyChat, ParleyOpenEvent } = await import('../../widget/define.ts');
  assert.equal(typeof ParleyChat, 'function');
  assert.equal(new ParleyOpenEvent().bubbles, true);
});
