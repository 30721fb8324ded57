import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { REQUIREMENTS } from './requirements.ts';
import { sourceFiles } from './support/source-files.ts';

/** The name of a test that runs; one that is skipped or only planned has another callee and proves nothing. */
const TEST_NAME = /\b(?:test|it)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs;
const CITATION = /\[(S\d+\.\d+(?:, S\d+\.\d+)*)\]/g;

/** This file holds samples of citations, which cite nothing. */
const OWN_PATH = 'test/requirements.test.ts';

const cited = new Map<string, string>();
for (const path of sourceFiles('test').filter((path) => path.endsWith('.test.ts') && path !== OWN_PATH)) {
  for (const id of citedIds(readFileSync(path, 'utf8'))) cited.set(id, path);
}

test('every rule has an id of its own', () => {
  const ids = REQUIREMENTS.map((requirement) => requirement.id);
  assert.deepEqual(
    ids.filter((id, index) => ids.indexOf(id) !== index),
    [],
  );
});

test('every rule that counts as built is cited by a test', () => {
  const unproved = REQUIREMENTS.filter(({ id, builtBy }) => builtBy === undefined && !cited.has(id));
  assert.equal(unproved.map(({ id, rule }) => `${id} ${rule}`).join('\n'), '');
});

test('a rule that a test cites is no longer marked as not built', () => {
  const marked = REQUIREMENTS.filter(({ id, builtBy }) => builtBy !== undefined && cited.has(id));
  assert.equal(marked.map(({ id }) => `${id} is cited in ${cited.get(id)}`).join('\n'), '');
});

test('no test cites a rule that does not exist', () => {
  const known = new Set(REQUIREMENTS.map(({ id }) => id));
  const unknown = [...cited].filter(([id]) => !known.has(id));
  assert.equal(unknown.map(([id, path]) => `${id} is cited in ${path}`).join('\n'), '');
});

test('only the name of a test that runs is a citation', () => {
  const source = [
    "test('an answer ends [S2.25]', () => {});",
    'it(`kept in every store [S2.11, S2.12]`, () => {});',
    "test.skip('later [S2.1]', () => {});",
    '// see [S2.2]',
  ].join('\n');
  assert.deepEqual(citedIds(source), ['S2.25', 'S2.11', 'S2.12']);
});

function citedIds(source: string): string[] {
  const names = [...source.matchAll(TEST_NAME)].map((match) => match[2] ?? '');
  return names.flatMap((name) => [...name.matchAll(CITATION)].flatMap((match) => (match[1] ?? '').split(', ')));
}
