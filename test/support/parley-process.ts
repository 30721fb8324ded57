import { spawn } from 'node:child_process';
import { once } from 'node:events';

const READY_WITHIN_MS = 20_000;

export interface ParleyProcess {
  /** For signals. */
  readonly pid: number;
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
  const listening = Promise.withResolvers<string>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    log += text;
    const url = /^.*"url":"([^"]+)".*"msg":"listening"/m.exec(log)?.[1];
    if (url !== undefined) listening.resolve(url);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  const late = setTimeout(() => listening.reject(new Error(`the relay does not listen: ${log}`)), READY_WITHIN_MS);
  const dead = ended.then(({ code }) => Promise.reject(new Error(`the relay ended with ${code}: ${complaint}`)));
  const url = Promise.race([listening.promise, dead]).finally(() => clearTimeout(late));
  // Whoever wants to see it end does not ask for its address.
  url.catch(() => {});
  return {
    pid: child.pid ?? 0,
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
