import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, resolve } from 'node:path';
import { type Counts, formatCounts, parseCounts } from './counts.ts';

/** How long a step may take to tell what it has so far, once its time is up. */
const LAST_WORDS_MS = 10_000;

/** One command of the test run. */
export interface Step {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  readonly limitMs: number;
  /** Its last line is `N passed, N failed`. Otherwise the command is one check, which its exit code decides. */
  readonly isSuite?: true;
  /** What has to be there, or why the step is left out. */
  readonly needs?: { readonly path: string; readonly otherwise: string };
}

/**
 * Runs a step in a process group of its own, prints its output when it has ended, and returns what it counted. A step that
 * takes too long, that ends badly without counting a failure, or whose suite ran no test has failed. The signal ends it.
 */
export async function runStep(step: Step, signal: AbortSignal): Promise<Counts> {
  const startedAtMs = Date.now();
  const [program, ...args] = step.command;
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    // As npm would, so that this also runs without npm.
    env: { ...process.env, PATH: `${resolve('node_modules/.bin')}${delimiter}${process.env.PATH}` },
  });
  const output: Buffer[] = [];
  child.stdout.on('data', (data: Buffer) => output.push(data));
  child.stderr.on('data', (data: Buffer) => output.push(data));
  const limit = AbortSignal.any([signal, AbortSignal.timeout(step.limitMs)]);
  let lastWords: NodeJS.Timeout | undefined;
  limit.addEventListener('abort', () => {
    child.kill('SIGTERM');
    lastWords = setTimeout(() => killGroup(child), LAST_WORDS_MS);
  });

  // What the step left behind would keep its output open for ever.
  const closed = once(child, 'close');
  const [code] = await once(child, 'exit');
  clearTimeout(lastWords);
  killGroup(child);
  await closed;
  const text = Buffer.concat(output).toString().trimEnd();
  const counts = judge(step, code, limit.aborted, parseCounts(text));
  const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(0);
  console.log(
    `\n── ${step.name}\n${text}${text === '' ? '' : '\n'}── ${step.name}: ${formatCounts(counts)} in ${seconds} s`,
  );
  if (limit.aborted) console.log(`── ${step.name}: ended at its limit of ${step.limitMs / 1000} s`);
  return counts;
}

function judge(step: Step, code: number | null, isOverLimit: boolean, counted: Counts | undefined): Counts {
  const isGood = code === 0 && !isOverLimit;
  if (!step.isSuite) return isGood ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  const { passed, failed } = counted ?? { passed: 0, failed: 0 };
  const hasUncountedFailure = failed === 0 && (!isGood || passed === 0);
  return { passed, failed: hasUncountedFailure ? 1 : failed };
}

/** Ends also what the step started and left behind. */
function killGroup(child: ChildProcess): void {
  try {
    process.kill(-child.pid!, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
