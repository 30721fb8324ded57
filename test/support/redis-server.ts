import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** A real Redis server of the tests' own, on a free port of loopback, in a directory that goes with it. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Stops answering without closing anything, as a server does whose machine hangs. */
  pause(): void;
  resume(): void;
  /** Ends it at once (SIGKILL). What it held is gone, unless it is durable. */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  /** One command by `redis-cli`; resolves to what it prints. */
  command(...args: string[]): Promise<string>;
  /** Ends it and removes its directory. */
  stop(): Promise<void>;
}

/** `isDurable`: what it has answered is there again after `kill` and `start`. Needs `redis-server` and `redis-cli` (Debian: the package `redis-server`). */
export async function startRedisServer({ isDurable = false } = {}): Promise<RedisServer> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-redis-'));
  const port = await freePort();
  let child: ChildProcess | undefined;

  const server: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    port,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    kill: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    start: async () => {
      const args = [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--save',
        '',
        '--appendonly',
        isDurable ? 'yes' : 'no',
        '--appendfsync',
        'always',
        '--dir',
        directory,
      ];
      child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
      await untilReady(child);
    },
    command: async (...args) => (await promisify(execFile)('redis-cli', ['-p', String(port), ...args])).stdout.trim(),
    stop: async () => {
      await server.kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

async function untilReady(child: ChildProcess): Promise<void> {
  if (!child.stdout) throw new Error('redis-server has no output to read');
  const log: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    log.push(line);
    if (line.includes('Ready to accept connections')) {
      // What it logs from now on must not fill the pipe.
      child.stdout.resume();
      return;
    }
  }
  throw new Error(`redis-server ended before it was ready:\n${log.join('\n')}`);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
