import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildWidgetIfStale } from '../../demo/start/build-widget.ts';
import { SESSION_TOKEN_HEADER } from '../../relay/protocol/requests.ts';
import { API_KEY, APPLICATION_ID, startShop, startStandIn } from './demo-fixtures.ts';

const HOST = {
  MCP_HOST_BASE_URL: 'http://127.0.0.1:9',
  APPLICATION_ID: 'app-1',
  TUIX_AI_AGENTS_API_KEY: 'a-key-that-nobody-may-see',
};

/** What the table names, e.g. `page`, and its address. */
function addressOf(printed: string, what: string): string {
  const address = new RegExp(`^  ${what} +(http://\\S+)`, 'm').exec(printed)?.[1];
  assert.ok(address, `no address of the ${what} in: ${printed}`);
  return address;
}

function runStart(t: TestContext, settings: Record<string, string> = {}) {
  // A start script that is killed cannot clear up.
  const folder = mkdtempSync(join(tmpdir(), 'parley-start-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const child = spawn(process.execPath, ['scripts/start.ts'], {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    // Nothing of the machine's own settings: a key that is set here must not change what these tests see.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: folder, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  const output = { out: '', error: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (output.out += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (output.error += text));
  const closed = once(child, 'close');
  return {
    child,
    output,
    /** Resolves to what was printed once `Parley is ready` and the table are out. */
    async ready(): Promise<string> {
      while (!/Parley is ready.*\n\n(.+\n)+\n/.test(output.out)) {
        await Promise.race([
          once(child.stdout, 'data'),
          closed.then(() => assert.fail(`ended before it was ready: ${output.out}${output.error}`)),
        ]);
      }
      return output.out;
    },
    async exitCode(): Promise<number | null> {
      const [code] = await closed;
      return code;
    },
  };
}

function postJson(url: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

function listProcesses() {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,cputimes=,args='], { encoding: 'utf8' }).split('\n');
  return lines.map((line) => {
    const [, pid, parent, state, processorSeconds, command] =
      /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return {
      pid: Number(pid),
      parent: Number(parent),
      isDead: state?.startsWith('Z') ?? true,
      processorSeconds: Number(processorSeconds),
      command: command ?? '',
    };
  });
}

function childrenOf({ pid }: ChildProcess) {
  return listProcesses().filter(({ parent }) => parent === pid);
}

function stillRunning(children: readonly { pid: number }[]) {
  const pids = new Set(children.map(({ pid }) => pid));
  return listProcesses().filter(({ pid, isDead }) => pids.has(pid) && !isDead);
}

const wrong: { settings: Record<string, string>; names: string }[] = [
  {
    settings: { APPLICATION_ID: 'app-1', TUIX_AI_AGENTS_API_KEY: HOST.TUIX_AI_AGENTS_API_KEY },
    names: 'MCP_HOST_BASE_URL',
  },
  {
    settings: { MCP_HOST_BASE_URL: HOST.MCP_HOST_BASE_URL, TUIX_AI_AGENTS_API_KEY: HOST.TUIX_AI_AGENTS_API_KEY },
    names: 'APPLICATION_ID',
  },
  { settings: { MCP_HOST_BASE_URL: HOST.MCP_HOST_BASE_URL, APPLICATION_ID: 'app-1' }, names: 'TUIX_AI_AGENTS_API_KEY' },
  { settings: { ...HOST, MCP_HOST_BASE_URL: 'agents.example' }, names: 'MCP_HOST_BASE_URL' },
  { settings: { ...HOST, MCP_HOST_BASE_URL: 'ftp://agents.example' }, names: 'MCP_HOST_BASE_URL' },
  { settings: { ...HOST, APPLICATION_ID: 'an application' }, names: 'APPLICATION_ID' },
  { settings: { ...HOST, TUIX_AI_AGENTS_API_KEY: 'a key\nwith a line' }, names: 'TUIX_AI_AGENTS_API_KEY' },
  { settings: { PORT: 'eighty' }, names: 'PORT' },
];
for (const { settings, names } of wrong) {
  test(`with ${JSON.stringify(settings)} it ends with 78 and one line that names ${names}`, async (t) => {
    const start = runStart(t, settings);
    assert.equal(await start.exitCode(), 78);
    assert.equal(start.output.out, '');
    const lines = start.output.error.trim().split('\n');
    assert.equal(lines.length, 1, start.output.error);
    assert.ok(lines[0]?.startsWith(names), lines[0]);
    assert.ok(!start.output.error.includes('a-key-that') && !start.output.error.includes('a key\n'));
  });
}

test('with nothing set, the demo is soon ready, an order goes through the relay, and SIGTERM leaves nothing behind', async (t) => {
  await buildWidgetIfStale(t.signal);
  const start = runStart(t);
  const printed = await start.ready();
  const children = childrenOf(start.child);
  assert.equal(children.length, 6);
  // Ready within 10 s of the clock is the aim; processor time does not depend on what else the machine does.
  const used = [...children, ...listProcesses().filter(({ pid }) => pid === start.child.pid)];
  assert.ok(used.reduce((sum, { processorSeconds }) => sum + processorSeconds, 0) < 10);
  assert.match(printed, /order 2 units of prod_2f81/);
  assert.match(printed, /no AI model/);

  const relayUrl = addressOf(printed, 'relay');
  const pageUrl = addressOf(printed, 'page');
  const page = await (await fetch(pageUrl)).text();
  assert.ok(page.includes(`<script src="${relayUrl}/widget.js" async></script>`));
  assert.equal((await fetch(`${relayUrl}/widget.js`)).status, 200);
  const asAnybody = await postJson(`${relayUrl}/mcp`, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
  assert.equal(asAnybody.status, 401);

  const origin = { Origin: new URL(pageUrl).origin };
  const session = await (await postJson(`${relayUrl}/session`, {}, origin)).json();
  const answer = await postJson(
    `${relayUrl}/chat`,
    { sessionId: session.sessionId, message: 'order 2 units of prod_2f81' },
    { ...origin, [SESSION_TOKEN_HEADER]: session.token },
  );
  const turn = await answer.text();
  assert.match(turn, /type: tool-call\ndata: .*orders_create_order/);
  assert.match(turn, /type: complete\ndata: .*Order confirmed/);
  assert.match(turn, /type: done\ndata: .*\n\n$/);
  assert.match(await (await fetch(pageUrl)).text(), /118 in stock/);

  const database = /orders in (\S+)/.exec(printed)?.[1] ?? '';
  assert.ok(existsSync(database));
  start.child.kill('SIGTERM');
  assert.equal(await start.exitCode(), 0);
  assert.deepEqual(stillRunning(children), []);
  assert.ok(!existsSync(database));
  assert.equal(start.output.error, '');
});

test('a process that dies is told, and ends the whole with 1', async (t) => {
  await buildWidgetIfStale(t.signal);
  const start = runStart(t);
  await start.ready();
  const children = childrenOf(start.child);
  const host = children.find(({ command }) => command.includes('stand-in-host'));
  assert.ok(host);
  process.kill(host.pid, 'SIGKILL');
  assert.equal(await start.exitCode(), 1);
  assert.match(start.output.error, /^The stand-in host has ended \(SIGKILL\)\.$/m);
  assert.deepEqual(stillRunning(children), []);
});

test('a second signal ends it at once, though an answer is being written', async (t) => {
  await buildWidgetIfStale(t.signal);
  const start = runStart(t, { STAND_IN_THINKING_MS: '60000' });
  const relayUrl = addressOf(await start.ready(), 'relay');
  const session = await (await postJson(`${relayUrl}/session`, {})).json();
  const turn = await postJson(
    `${relayUrl}/chat`,
    { sessionId: session.sessionId, message: 'help' },
    { [SESSION_TOKEN_HEADER]: session.token },
  );
  await turn.body?.getReader().read();
  const children = childrenOf(start.child);
  start.child.kill('SIGINT');
  while (!start.output.out.includes('Stopping.')) await once(start.child.stdout, 'data');
  start.child.kill('SIGINT');
  assert.equal(await start.exitCode(), 0);
  assert.deepEqual(stillRunning(children), []);
});

test('a port that is taken ends it with 78 and one line that names PORT', async (t) => {
  await buildWidgetIfStale(t.signal);
  const shop = await startShop(t);
  const start = runStart(t, { PORT: new URL(shop.url).port });
  assert.equal(await start.exitCode(), 78);
  assert.match(start.output.error, /^PORT .*\n$/);
});

test('when the start script itself is killed, its processes end too', async (t) => {
  await buildWidgetIfStale(t.signal);
  const start = runStart(t);
  await start.ready();
  const children = childrenOf(start.child);
  assert.equal(children.length, 6);
  start.child.kill('SIGKILL');
  await start.exitCode();
  const deadlineMs = performance.now() + 10_000;
  while (stillRunning(children).length > 0 && performance.now() < deadlineMs) await setTimeout(100);
  assert.deepEqual(stillRunning(children), []);
});

test('with all three settings the relay serves that host, with a page for trying it', async (t) => {
  await buildWidgetIfStale(t.signal);
  const shop = await startShop(t);
  const host = await startStandIn(t, shop.url);
  const start = runStart(t, {
    MCP_HOST_BASE_URL: host.url,
    APPLICATION_ID,
    TUIX_AI_AGENTS_API_KEY: API_KEY,
  });
  const printed = await start.ready();
  assert.ok(!printed.includes('prod_2f81'));
  assert.match(await (await fetch(addressOf(printed, 'page'))).text(), /Try your agent/);
  const origin = { Origin: new URL(addressOf(printed, 'page')).origin };
  const session = await postJson(`${addressOf(printed, 'relay')}/session`, {}, origin);
  assert.equal(session.status, 201);
  assert.match((await session.json()).initialMessage, /fixed rules/);
  assert.equal(childrenOf(start.child).length, 2);
  start.child.kill('SIGTERM');
  assert.equal(await start.exitCode(), 0);
  assert.ok(!(start.output.out + start.output.error).includes(API_KEY));
});

test('where the owner names the pages that may use the chat, no page of this machine is served', async (t) => {
  await buildWidgetIfStale(t.signal);
  const start = runStart(t, { ...HOST, ALLOWED_ORIGINS: 'https://shop.example' });
  const printed = await start.ready();
  assert.doesNotMatch(printed, /^ {2}page /m);
  assert.equal(childrenOf(start.child).length, 1);
  start.child.kill('SIGINT');
  assert.equal(await start.exitCode(), 0);
});
