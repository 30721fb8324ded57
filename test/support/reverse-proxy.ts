/** A real reverse proxy in front of two relays, with exactly the configuration that the papers show. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/free-port.ts';

export interface ReverseProxy {
  readonly url: string;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ProxyProgram {
  /** Of `docs/proxies`. */
  readonly configuration: string;
  /** What says there that it listens on port 80, and how the same is said of another port of loopback. */
  readonly listen: (port: number) => readonly [shown: string, used: string];
  /** Writes what the program needs into the directory, and gives its command. */
  readonly prepare: (directory: string, configuration: string) => readonly [program: string, ...args: string[]];
}

const READY_WITHIN_MS = 20_000;

export async function startProxy(program: ProxyProgram, relays: readonly [string, string]): Promise<ReverseProxy> {
  const directory = mkdtempSync(join(tmpdir(), 'parley-proxy-'));
  const port = await freePort();
  let text = readFileSync(new URL(`../../docs/proxies/${program.configuration}`, import.meta.url), 'utf8');
  const addresses = relays.map((url) => new URL(url).host);
  for (const [shown, used] of [
    program.listen(port),
    ['10.0.0.11:8787', addresses[0] ?? ''],
    ['10.0.0.12:8787', addresses[1] ?? ''],
  ] as const) {
    if (text.split(shown).length !== 2) throw new Error(`${program.configuration} does not say "${shown}" once`);
    text = text.replace(shown, used);
  }
  const [command, ...args] = program.prepare(directory, text);
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: directory } });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    complaint += piece;
  });
  const url = `http://127.0.0.1:${port}`;
  try {
    await untilAnswering(`${url}/healthz`, child);
  } catch (cause) {
    throw new Error(`${command} does not answer: ${complaint}`, { cause });
  }
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      // A killed nginx would leave its workers behind.
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      rmSync(directory, { recursive: true });
    },
  };
}

async function untilAnswering(url: string, child: ChildProcess): Promise<void> {
  const patience = AbortSignal.timeout(READY_WITHIN_MS);
  for (;;) {
    patience.throwIfAborted();
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
