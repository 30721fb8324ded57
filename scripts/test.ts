/**
 * `npm test`: everything that can fail, each suite within its time limit, and as its last line `N passed, N failed`. Ends with 1
 * when anything failed or a suite ran no test. Names of steps as arguments run these alone.
 */
import { existsSync } from 'node:fs';
import { addCounts, type Counts, formatCounts } from './counts.ts';
import { installDebianPackages } from './debian-packages.ts';
import { runStep, type Step } from './run-step.ts';

const MINUTE_MS = 60_000;
const NODE_TESTS = [
  'test/**/*.test.ts',
  ...['!test/**/*.browser.test.ts', '!test/end-to-end/**', '!test/package.test.ts', '!test/api-descriptions/**'],
];

/** The lists of a phase run side by side, the steps of a list one after the other. The second phase needs what is built in the first. */
const PHASES: readonly (readonly (readonly Step[])[])[] = [
  [
    [
      { name: 'types', command: ['tsc', '-p', '.'], limitMs: 5 * MINUTE_MS },
      // Once more with only what each of them has: the relay no DOM, the widget no Node, and what they share neither.
      { name: 'types-relay', command: ['tsc', '-p', 'relay'], limitMs: 3 * MINUTE_MS },
      { name: 'types-widget', command: ['tsc', '-p', 'widget'], limitMs: 3 * MINUTE_MS },
      { name: 'linter', command: ['biome', 'check', '--error-on-warnings'], limitMs: 3 * MINUTE_MS },
      { name: 'unused', command: ['knip', '--no-progress'], limitMs: 3 * MINUTE_MS },
    ],
    [
      { name: 'build', command: ['node', 'scripts/build.ts'], limitMs: 3 * MINUTE_MS },
      { name: 'size', command: ['node', 'scripts/size-budget.ts'], limitMs: 3 * MINUTE_MS },
    ],
  ],
  [
    [
      {
        name: 'node',
        command: ['node', 'scripts/node-tests.ts', ...NODE_TESTS],
        limitMs: 25 * MINUTE_MS,
        isSuite: true,
      },
    ],
    [
      { name: 'browsers', command: ['node', 'scripts/browser-tests.ts'], limitMs: 20 * MINUTE_MS, isSuite: true },
      {
        name: 'end-to-end',
        command: ['node', 'scripts/node-tests.ts', 'test/end-to-end/**/*.test.ts'],
        limitMs: 20 * MINUTE_MS,
        isSuite: true,
      },
      {
        name: 'package',
        command: ['node', 'scripts/node-tests.ts', 'test/package.test.ts'],
        limitMs: 6 * MINUTE_MS,
        isSuite: true,
      },
      {
        name: 'api-descriptions',
        command: ['node', 'scripts/node-tests.ts', 'test/api-descriptions/*.test.ts'],
        limitMs: 5 * MINUTE_MS,
        isSuite: true,
        needs: {
          path: 'test/api-descriptions/node_modules',
          otherwise:
            'hundreds of megabytes that `npm ci` leaves out; npm run test:api-descriptions installs and runs them',
        },
      },
    ],
  ],
];

const wanted = process.argv.slice(2);
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());

const counts: Counts[] = [];
const missing = installDebianPackages();
if (missing.length > 0) {
  console.log(`Missing on this machine, install with: sudo apt-get install ${missing.join(' ')}`);
  counts.push({ passed: 0, failed: 1 });
}
for (const phase of PHASES) {
  const lanes = await Promise.all(phase.map((steps) => runInOrder(steps.filter(isWanted))));
  counts.push(...lanes.flat());
}
// No test at all is a failure, too.
if (addCounts(counts).passed === 0) counts.push({ passed: 0, failed: 1 });
const sum = addCounts(counts);
console.log(`\n${formatCounts(sum)}`);
process.exitCode = sum.failed > 0 ? 1 : 0;

function isWanted(step: Step): boolean {
  return wanted.length === 0 || wanted.includes(step.name);
}

async function runInOrder(steps: readonly Step[]): Promise<Counts[]> {
  const ran: Counts[] = [];
  for (const step of steps) {
    if (step.needs && !existsSync(step.needs.path)) {
      console.log(`skipped: ${step.name}: ${step.needs.otherwise}`);
      continue;
    }
    ran.push(stopping.signal.aborted ? { passed: 0, failed: 1 } : await runStep(step, stopping.signal));
  }
  return ran;
}
