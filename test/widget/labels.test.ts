import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { ENGLISH, fill, type Labels } from '../../widget/labels.ts';
import { LAUNCHER_LABELS } from '../../widget/launcher-labels.ts';
import { VERSION } from '../../widget/version.ts';

const FOLDER = new URL('../../widget/labels/', import.meta.url);
const LANGUAGES = ['ar', 'de', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt', 'tr', 'zh'];

function placeholdersOf(label: string): string[] {
  return (label.match(/\{\w+\}/g) ?? []).sort();
}

suite('the labels', () => {
  test('there is a file for each language that the widget speaks, and no other', () => {
    const files = readdirSync(FOLDER).map((file) => file.replace('.ts', ''));
    assert.deepEqual(files.sort(), LANGUAGES);
    assert.deepEqual(Object.keys(LAUNCHER_LABELS).sort(), LANGUAGES);
  });

  for (const language of LANGUAGES) {
    test(`${language} has every label, with the same places for values, and names the launcher as the launcher does`, async () => {
      const { default: labels } = (await import(new URL(`${language}.ts`, FOLDER).href)) as { default: Labels };
      assert.deepEqual(Object.keys(labels), Object.keys(ENGLISH));
      for (const [key, english] of Object.entries(ENGLISH)) {
        const label = labels[key as keyof Labels];
        assert.ok(label.trim(), key);
        assert.deepEqual(placeholdersOf(label), placeholdersOf(english), key);
      }
      assert.equal(labels.open, LAUNCHER_LABELS[language]);
    });
  }

  test('a value is put into a label, and a name without a value stays', () => {
    assert.equal(fill('{count} of {limit} {unit}', { count: 0, limit: 9 }), '0 of 9 {unit}');
  });

  test('the version in the addresses of label files is that of the package', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    assert.equal(VERSION, version);
  });
});
