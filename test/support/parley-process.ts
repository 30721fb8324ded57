import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const READY_WITHIN_MS = 20_000;

export interface ParleyProcess {
  /** The relay's address once it listens; rejects when it ends before. */
  readonly url: Promise<string>;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** What it has written so far: its log, and what it complains about when it cannot start. */
  logText(): string;
  complaint(): string;
  /** Asks it to end, and waits for it. */
  stop(): Promise<void>;
}

/** Runs the relay as its own process: `entry` is `relay/main.ts` or its built form. It sees `settings` and nothing else of the machine's environment. */
export function startParley(entry: string, settings: Readonly<Record<string, string>>): ParleyProcess {
  const child = spawn(process.execPath, [entry], {
    env: { PATH: process.env.PATH, PORT: '0', STORE: 'memory:', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  let complaint = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  const url = Promise.race([
    listeningUrl(child.stdout, AbortSignal.timeout(READY_WITHIN_MS)),
    ended.then(({ code }) => Promise.reject(new Error(`the relay ended with ${code}: ${complaint}`))),
  ]);
  // Whoever wants to see it end does not ask for its address.
  url.catch(() => {});
  return {
    url,
    ended,
    logText: () => log,
    complaint: () => complaint,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The address from the log line that says that the relay listens. */
async function listeningUrl(output: NodeJS.ReadableStream, signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const lines = createInterface({ input: output, signal });
  lines.on('line', (line) => {
    const entry = JSON.parse(line) as { msg?: string; url?: string };
    if (entry.msg === 'listening' && entry.url !== undefined) resolve(entry.url);
  });
  signal.addEventListener('abort', () => reject(signal.reason));
  return promise;
}
