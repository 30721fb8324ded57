/** A relay in a process of its own, which a test can kill and start again under the same address. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { freePort } from '../../scripts/free-port.ts';
import { API_KEY } from './relay-under-test.ts';

const MAIN = new URL('../../relay/main.ts', import.meta.url).pathname;

export interface RelayProcessOptions {
  readonly hostUrl: string;
  readonly store: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** A command that runs the command which follows it, for example in a name space of its own. */
  readonly wrapper?: readonly string[];
}

export class RelayProcess {
  readonly url: string;
  readonly #port: number;
  readonly #options: RelayProcessOptions;
  readonly #logged: string[] = [];
  #child: ChildProcess | undefined;
  #exited: Promise<{ code: number | null; signal: string | null }> = Promise.resolve({ code: 0, signal: null });

  private constructor(port: number, options: RelayProcessOptions) {
    this.#port = port;
    this.#options = options;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Resolves when it listens. */
  static async start(options: RelayProcessOptions): Promise<RelayProcess> {
    const relay = new RelayProcess(await freePort(), options);
    await relay.start();
    return relay;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** How the process ended, once it has. */
  get exited(): Promise<{ code: number | null; signal: string | null }> {
    return this.#exited;
  }

  /** Starts it again, after it has ended. Rejects when it ends before it listens. */
  async start(): Promise<void> {
    const { hostUrl, store, settings, wrapper = [] } = this.#options;
    const [program = '', ...args] = [...wrapper, process.execPath, MAIN];
    const child = spawn(program, args, {
      env: {
        PATH: process.env.PATH,
        MCP_HOST_BASE_URL: hostUrl,
        APPLICATION_ID: 'app-1',
        TUIX_AI_AGENTS_API_KEY: API_KEY,
        PARLEY_SECRET: 'a-secret-of-the-tests-with-32-bytes-or-more',
        ALLOWED_ORIGINS: 'http://localhost:3000',
        PORT: String(this.#port),
        STORE: store,
        RATE_LIMIT_SESSIONS: '0',
        RATE_LIMIT_MESSAGES: '0',
        RATE_LIMIT_REQUESTS: '0',
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    this.#exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
    const lines = createInterface({ input: child.stdout });
    for await (const line of lines) {
      if (JSON.parse(line).msg !== 'listening') continue;
      createInterface({ input: child.stdout }).on('line', (each) => this.#logged.push(each));
      return;
    }
    throw new Error('the relay ended before it listened');
  }

  /** The log lines since it listens, of all its lives. */
  get logged(): Record<string, unknown>[] {
    return this.#logged.map((line) => JSON.parse(line));
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  /** Ends it at once, as a power cut does. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}
