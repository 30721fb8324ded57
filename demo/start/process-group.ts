import { type ProcessDeath, StartedProcess } from './started-process.ts';

const ROOT = new URL('../../', import.meta.url);

/** The processes of one `npm start`: started one after the other, stopped in the opposite order. */
export class ProcessGroup {
  readonly #onDeath: (death: ProcessDeath) => void;
  readonly #started: StartedProcess[] = [];

  /** `onDeath` is called when one of them ends without having been stopped. */
  constructor(onDeath: (death: ProcessDeath) => void) {
    this.#onDeath = onDeath;
  }

  /** Runs `script`, a path from the project's folder, with nothing but `environment`. `name` is for people. */
  start(name: string, script: string, environment: Readonly<Record<string, string | undefined>>): StartedProcess {
    const started = new StartedProcess({ name, script: new URL(script, ROOT), environment, onDeath: this.#onDeath });
    this.#started.push(started);
    return started;
  }

  /** Resolves when all have ended. Aborting the signal kills those that are left. */
  async stop(impatient: AbortSignal): Promise<void> {
    for (const started of this.#started.reverse()) await started.stop(impatient);
  }
}
