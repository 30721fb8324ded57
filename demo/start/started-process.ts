import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { ListeningMessage } from '../listen-on-loopback.ts';

const STOP_LIMIT_MS = 5_000;
const POLL_MS = 50;

export interface ProcessDescription {
  /** For people, e.g. `shop API`. */
  readonly name: string;
  /** The entry file. */
  readonly script: URL;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** One line of the process's output. */
  readonly onLine: (line: string) => void;
  /** Called once when the process has ended without having been stopped, with the reason for people. */
  readonly onDeath: (reason: string) => void;
}

/** One process of the demo, on the Node that runs this one. */
export class StartedProcess {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #died: Promise<never>;
  #isStopping = false;

  constructor({ name, script, environment, onLine, onDeath }: ProcessDescription) {
    this.name = name;
    const endWithParent = new URL('end-with-parent.ts', import.meta.url).href;
    this.#child = spawn(process.execPath, ['--import', endWithParent, script.pathname], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A group of its own: Ctrl-C reaches the start script alone, which then stops one after the other.
      detached: true,
    });
    for (const output of [this.#child.stdout, this.#child.stderr]) {
      if (output !== null) createInterface({ input: output }).on('line', onLine);
    }
    this.#died = once(this.#child, 'exit').then(([code, signal]) => {
      const reason = `The ${name} has ended (${signal ?? `exit code ${code}`}).`;
      if (!this.#isStopping) onDeath(reason);
      throw new Error(reason);
    });
    this.#died.catch(() => {});
  }

  /** The address at which a demo server says that it listens. Rejects when it ends before, or with the signal's reason. */
  async listening(signal: AbortSignal): Promise<string> {
    const told = once(this.#child, 'message', { signal }).then(([message]) => (message as ListeningMessage).url);
    return Promise.race([told, this.#died]);
  }

  /** Resolves when `url` answers 2xx. Rejects when the process ends before, or with the signal's reason. */
  async answering(url: string, signal: AbortSignal): Promise<void> {
    return Promise.race([answers(url, signal), this.#died]);
  }

  /** Asks the process to end, and makes it end after 5 s. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const deadline = setTimeout(() => this.#child.kill('SIGKILL'), STOP_LIMIT_MS);
    this.#child.kill('SIGTERM');
    await this.#died.catch(() => {});
    clearTimeout(deadline);
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
