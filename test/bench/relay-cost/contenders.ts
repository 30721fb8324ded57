import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** One way to bring an event stream from the agent host to a browser, running in a process of its own. */
export interface Contender {
  readonly name: string;
  /** 0 where nothing stands between. */
  readonly pid: number;
  readonly url: string;
  /**
   * What comes before a visitor's first message: the relay has sessions, a proxy nothing. What it gives opens a turn of
   * `eventCount` events and resolves as soon as the headers of its answer are there.
   */
  ready(signal: AbortSignal): Promise<(eventCount: number) => Promise<Response>>;
  stop(): Promise<void>;
}

const nodeFlags = ['--disable-warning=ExperimentalWarning'];
const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** Starts a Node program that prints its address as its first line with `http://` in it. */
async function startNode(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [...nodeFlags, file, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/[\w.:]+\d/.exec(line)?.[0];
    if (!url) continue;
    child.stdout.resume();
    return { child, url, pid: child.pid ?? 0 };
  }
  throw new Error(`${file} ended without an address`);
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

export async function startPacedHost() {
  const { child, url } = await startNode(here('paced-host.ts'), []);
  return { url, stop: () => stopChild(child) };
}

/** Talks to the host's own interface: the bound, and every proxy that passes it on as it is. */
function openAtHost(url: string) {
  return async (signal: AbortSignal) => (eventCount: number) =>
    fetch(`${url}/stream/app/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'key', 'x-session-secret': 'secret' },
      body: JSON.stringify({ sessionId: 's', message: String(eventCount) }),
      signal,
    });
}

/** Nothing between: what the delays are compared with. */
export function directToHost(hostUrl: string): Contender {
  return { name: 'direct', pid: 0, url: hostUrl, ready: openAtHost(hostUrl), stop: async () => {} };
}

export async function startProxy(name: string, file: string, hostUrl: string): Promise<Contender> {
  const { child, url, pid } = await startNode(here(file), [hostUrl]);
  return { name, pid, url, ready: openAtHost(url), stop: () => stopChild(child) };
}

export async function startRelay(hostUrl: string, settings: Readonly<Record<string, string>> = {}): Promise<Contender> {
  const { child, url, pid } = await startNode(here('../../../relay/main.ts'), [], {
    MCP_HOST_BASE_URL: hostUrl,
    APPLICATION_ID: 'app',
    TUIX_AI_AGENTS_API_KEY: 'key',
    STORE: 'memory:',
    PORT: String(await freePort()),
    RATE_LIMIT_SESSIONS: '0',
    RATE_LIMIT_MESSAGES: '0',
    RATE_LIMIT_REQUESTS: '0',
    LOG_LEVEL: 'info',
    ...settings,
  });
  const ready = async (signal: AbortSignal) => {
    const headers = { 'content-type': 'application/json' };
    const session = await fetch(`${url}/session`, { method: 'POST', headers, body: '{}', signal });
    const { sessionId, token } = (await session.json()) as { sessionId: string; token: string };
    return (eventCount: number) =>
      fetch(`${url}/chat`, {
        method: 'POST',
        headers: { ...headers, 'x-session-token': token },
        body: JSON.stringify({ sessionId, message: String(eventCount) }),
        signal,
      });
  };
  return { name: 'Parley relay', pid, url, ready, stop: () => stopChild(child) };
}

export async function startNginx(hostUrl: string): Promise<Contender> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-nginx-'));
  const port = await freePort();
  const config = join(folder, 'nginx.conf');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  writeFileSync(
    config,
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
     events { worker_connections 16384; }
     http { access_log off; ${paths.join(' ')}
       server { listen 127.0.0.1:${port};
         location / { proxy_pass ${hostUrl}; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off;
           proxy_set_header X-Api-Key key; proxy_set_header X-Session-Secret secret; } } }`,
  );
  const child = spawn('nginx', ['-c', config], { stdio: 'inherit' });
  const url = `http://127.0.0.1:${port}`;
  await untilAnswering(url);
  return { name: 'nginx', pid: child.pid ?? 0, url, ready: openAtHost(url), stop: () => stopNginx(child) };
}

/** A killed nginx master leaves its workers behind; told to stop, it ends them. */
async function stopNginx(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function untilAnswering(url: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const isUp = await fetch(url, { method: 'HEAD' }).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nothing answers at ${url}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || !address) throw new Error('no port');
  return address.port;
}
