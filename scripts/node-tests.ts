/**
 * Runs tests on Node's own test runner: `node scripts/node-tests.ts <glob or file …>`; a glob that begins with `!` leaves
 * files out. Ends with `N passed, N failed`. A file without a test, a file that does not end, and a skip without a reason
 * are failures. SIGTERM ends the run and names the files that were still running.
 */
import { globSync } from 'node:fs';
import { relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { formatCounts } from './counts.ts';

/** For a test, a suite and a file alike. */
const LIMIT_MS = 300_000;
/** Two, however many cores there are: many of the tests measure time, and some start browsers and servers. */
const CONCURRENCY = 2;

const patterns = process.argv.slice(2);
const files = globSync(
  patterns.filter((pattern) => !pattern.startsWith('!')),
  { exclude: patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1)) },
).sort();

let passed = 0;
const failures: string[] = [];
const skipped: string[] = [];
const endedFiles = new Set<string>();

const tests = run({ files, concurrency: CONCURRENCY, timeout: LIMIT_MS });
tests.on('test:pass', ({ name, skip, todo, details }) => {
  if (details.type === 'suite') return;
  // A file without a test passes as a test that has the file's path for its name.
  if (isFile(name)) failures.push(`${name}: has no test`);
  else if (skip === undefined && todo === undefined) passed++;
  else if (typeof skip === 'string') skipped.push(`${name}: ${skip}`);
  else failures.push(`${name}: skipped without a reason`);
});
tests.on('test:fail', ({ name, file, details }) => {
  // A suite fails with its tests, which are counted; only what breaks in the suite itself is a failure of its own.
  if (details.type !== 'suite' || isHookFailure(details.error))
    failures.push(file === undefined || isFile(name) ? name : `${relative('.', file)}: ${name}`);
});
tests.on('test:summary', ({ file }) => {
  if (file !== undefined) endedFiles.add(relative('.', file));
});
tests.compose(spec).pipe(process.stdout);
process.on('SIGTERM', () => {
  const runningFiles = files.filter((file) => !endedFiles.has(file));
  failures.push(...runningFiles.map((file) => `${file}: had not ended`));
  report();
  process.exit(1);
});
await new Promise((resolve) => tests.on('end', resolve));
if (files.length === 0) failures.push(`no file matches ${patterns.join(' ')}`);
report();
if (failures.length > 0) process.exitCode = 1;

/** Node's types leave out why a test failed. */
function isHookFailure(error: Error): boolean {
  return 'failureType' in error && error.failureType === 'hookFailed';
}

function isFile(name: string): boolean {
  return files.includes(name);
}

function report(): void {
  for (const skip of skipped) console.log(`skipped: ${skip}`);
  for (const failure of failures) console.log(`failed: ${failure}`);
  console.log(formatCounts({ passed, failed: failures.length }));
}
