import { StartedProcess } from './started-process.ts';

const ROOT = new URL('../../', import.meta.url);

/** The processes of one `npm start`: started one after the other, stopped in the opposite order. */
export class ProcessGroup {
  readonly #onDeath: (reason: string) => void;
  readonly #started: StartedProcess[] = [];

  /** `onDeath` is called with a sentence for people when one of them ends without having been stopped. */
  constructor(onDeath: (reason: string) => void) {
    this.#onDeath = onDeath;
  }

  /**
   * Runs `script` (path from the project's folder) with nothing but `environment`. Its output goes to ours, each line under
   * `name`; lines of JSON, which are a log for machines, stay as they are.
   */
  start(name: string, script: string, environment: Readonly<Record<string, string | undefined>>): StartedProcess {
    const started = new StartedProcess({
      name,
      script: new URL(script, ROOT),
      environment,
      onLine: (line) => console.log(line.startsWith('{') ? line : `[${name}] ${line}`),
      onDeath: this.#onDeath,
    });
    this.#started.push(started);
    return started;
  }

  async stop(): Promise<void> {
    for (const started of this.#started.reverse()) await started.stop();
  }
}
