import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { checkToolsCommand, type PlacedFinding } from '../../relay/check-tools/check-tools-command.ts';
import { CHECKS, findingsIn } from '../../relay/check-tools/tool-findings.ts';
import { RULES, TOOLS } from '../support/ruled-conversation.ts';

const FILE = join(import.meta.dirname, '../support/check-tools/parley.yaml');

async function run(...args: string[]): Promise<{ code: number; text: string }> {
  let text = '';
  const code = await checkToolsCommand(args, {}, (more) => {
    text += more;
  });
  return { code, text };
}

describe('parley check-tools', () => {
  test('reports what a model could get wrong, with the file and line where it is described [S3.18]', async () => {
    const { code, text } = await run('--json', FILE);
    const findings = JSON.parse(text) as PlacedFinding[];
    const found = findings.map(({ check, tool, argument, file, line }) =>
      [check, tool, argument, `${file.split('/').at(-1)}:${line}`].filter(Boolean).join(' '),
    );
    assert.deepEqual(found.sort(), [
      'confusable-tools coach_search coach.yaml:6',
      'free-text-date coach_search departure coach.yaml:11',
      'limits-not-documented parley.yaml:8',
      'missing-not-for parley.yaml:3',
      'number-without-unit coach_book weight coach.yaml:30',
      'time-without-offset coach_book pick_up coach.yaml:29',
      'verification-not-configured parley.yaml:2',
    ]);
    assert.equal(code, 1);
  });

  test('as text each finding is one line that says what to do, and the exit code is that of the errors', async () => {
    const { code, text } = await run(FILE);
    assert.equal(code, 1);
    assert.match(text, /parley\.yaml:2 error verification-not-configured: .*set verification\.send/);
    assert.match(text, /coach\.yaml:11 warning free-text-date coach_search departure: .*format: date/);
    assert.match(text, /1 errors, 6 warnings\n$/);
  });

  test('without errors it ends with 0, with --strict only without warnings', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'parley-check-'));
    try {
      for (const name of ['coach.yaml', 'car.yaml']) {
        await writeFile(join(directory, name), await readFile(join(FILE, '..', name)));
      }
      const file = join(directory, 'parley.yaml');
      await writeFile(file, `${await readFile(FILE, 'utf8')}verification: { send: console }\n`);
      assert.equal((await run(file)).code, 0);
      assert.equal((await run('--strict', file)).code, 1);
      await writeFile(file, 'mcp: { callers: nobody }\n');
      const wrong = await run(file);
      assert.equal(wrong.code, 78);
      assert.match(wrong.text, /mcp\.callers/);
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  test('every check of the list can be found [S3.11, S3.18]', () => {
    const bare = { type: 'object', properties: {} };
    const findings = [
      ...findingsIn(TOOLS, { ...RULES, lockStart: 'off' }, { canSendCodes: false }),
      ...findingsIn([{ name: 'search', domain: undefined, inputSchema: bare }], RULES, { canSendCodes: true }),
      ...findingsIn(
        [
          {
            name: 'coach_search',
            domain: 'coach',
            inputSchema: { properties: { n: { type: 'number' }, date: { type: 'string' } } },
          },
          {
            name: 'car_search',
            domain: 'car',
            inputSchema: { properties: { n: { type: 'number' }, date: { type: 'string' } } },
          },
          { name: 'car_x', domain: 'car', inputSchema: { properties: { starts_at: { type: 'string' } } } },
        ],
        RULES,
        { canSendCodes: true },
      ),
    ];
    assert.deepEqual([...new Set(findings.map(({ check }) => check))].sort(), Object.keys(CHECKS).sort());
  });
});
