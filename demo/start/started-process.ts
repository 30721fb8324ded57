import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ListeningMessage } from '../listen-on-loopback.ts';

const POLL_MS = 50;

export interface ProcessDescription {
  /** For people, e.g. `shop API`. */
  readonly name: string;
  /** The entry file. */
  readonly script: URL;
  /** All that the process has of an environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Called once when the process has ended without having been stopped. */
  readonly onDeath: (death: ProcessDeath) => void;
}

export interface ProcessDeath {
  /** A sentence for people. */
  readonly reason: string;
  /** Undefined when a signal ended it. */
  readonly exitCode: number | undefined;
}

/** One process of the demo, on the Node that runs this one. Its output goes to ours. */
export class StartedProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<ProcessDeath>;
  #isStopping = false;

  constructor({ name, script, environment, onDeath }: ProcessDescription) {
    const endWithParent = new URL('end-with-parent.ts', import.meta.url).href;
    this.#child = spawn(process.execPath, ['--import', endWithParent, fileURLToPath(script)], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A group of its own: Ctrl-C reaches the start script alone, which then stops one after the other.
      detached: true,
    });
    // Lines of JSON are a log for machines and stay as they are; so does what goes to the error output.
    const out = createInterface({ input: this.#child.stdout! });
    out.on('line', (line) => console.log(line.startsWith('{') ? line : `[${name}] ${line}`));
    createInterface({ input: this.#child.stderr! }).on('line', (line) => console.error(line));
    // `close` comes after the last line of output, `exit` may come before.
    this.#ended = once(this.#child, 'close').then(([code, signal]) => {
      const death = {
        reason: `The ${name} has ended (${signal ?? `exit code ${code}`}).`,
        exitCode: code ?? undefined,
      };
      if (!this.#isStopping) onDeath(death);
      return death;
    });
  }

  /** The address at which a demo server says that it listens. Rejects when it ends before, or with the signal's reason. */
  async listening(signal: AbortSignal): Promise<string> {
    const told = once(this.#child, 'message', { signal });
    return this.#unlessEnded(told.then(([message]) => (message as ListeningMessage).url));
  }

  /** Resolves when `url` answers 2xx. Rejects when the process ends before, or with the signal's reason. */
  async answering(url: string, signal: AbortSignal): Promise<void> {
    return this.#unlessEnded(answers(url, signal));
  }

  /** Asks the process to end; resolves when it has. Aborting the signal kills it. */
  async stop(impatient: AbortSignal): Promise<void> {
    this.#isStopping = true;
    const kill = () => this.#child.kill('SIGKILL');
    if (impatient.aborted) kill();
    impatient.addEventListener('abort', kill);
    this.#child.kill('SIGTERM');
    await this.#ended;
    impatient.removeEventListener('abort', kill);
  }

  async #unlessEnded<Result>(step: Promise<Result>): Promise<Result> {
    const failure = this.#ended.then(({ reason }): never => {
      throw new Error(reason);
    });
    return Promise.race([step, failure]);
  }
}

async function answers(url: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const response = await fetch(url, { signal }).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
    await pause(POLL_MS, undefined, { signal });
  }
}
