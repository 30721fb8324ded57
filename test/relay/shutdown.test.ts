import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import type { StartedSession } from '../../relay/protocol/requests.ts';
import { EventReader, readEvents, typesOf } from '../support/event-reader.ts';
import { API_KEY, PAGE, startRelay } from '../support/relay-under-test.ts';
import { type HostAnswer, type ScriptedHost, say, startScriptedHost, TIMESTAMP } from '../support/scripted-host.ts';

const MAIN = new URL('../../relay/main.ts', import.meta.url).pathname;
const chunk = (text: string) => ['chunk', { chunk: text, timestamp: TIMESTAMP }] as const;

function run(environment: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The command `parley` on a free port; resolves when it listens. */
async function runRelay(host: ScriptedHost, environment: Record<string, string> = {}) {
  const settings = { MCP_HOST_BASE_URL: host.url, APPLICATION_ID: 'app-1', TUIX_AI_AGENTS_API_KEY: API_KEY };
  const child = run({ ...settings, PORT: '0', STORE: 'memory:', ...environment });
  child.stderr?.pipe(process.stderr);
  for await (const line of createInterface({ input: child.stdout! })) {
    const { msg, url } = JSON.parse(line);
    if (msg === 'listening') return { child, url: url as string, exited: once(child, 'exit') };
  }
  throw new Error('the relay ended before it listened');
}

async function post(url: string, body: unknown, token = ''): Promise<Response> {
  const headers = { 'content-type': 'application/json', origin: PAGE, 'x-session-token': token };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

test('while it ends, a relay refuses new turns and sessions, and lets the running turn finish', async () => {
  await using relay = await startRelay();
  const session = await relay.startSession();
  const other = await relay.startSession();
  const arrived = Promise.withResolvers<HostAnswer>();
  relay.host.onChat(arrived.resolve);
  const asked = relay.chat(session, 'Hi');
  const hosted = await arrived.promise;
  hosted.frame(...chunk('a'));
  const reader = new EventReader(await asked);
  await reader.until('chunk');

  const closed = relay.relay.close();
  for (const refused of [await relay.chat(other, 'Hi'), await relay.post('/session', {})]) {
    assert.equal(refused.status, 503);
    assert.equal((await refused.json()).code, 'shutting_down');
    assert.equal(refused.headers.get('retry-after'), '5');
  }
  const ready = await fetch(`${relay.url}/readyz`);
  assert.equal(ready.status, 503);
  assert.equal((await ready.json()).isShuttingDown, true);
  say('b')(hosted);
  assert.deepEqual(typesOf(await reader.rest()), ['chunk', 'complete', 'done']);
  await closed;
});

test('a turn that is not finished in time is told as interrupted, and its readers get that before the line is closed', async () => {
  await using relay = await startRelay({ turnGraceMs: Number.POSITIVE_INFINITY });
  const session = await relay.startSession();
  const arrived = Promise.withResolvers<HostAnswer>();
  relay.host.onChat(arrived.resolve);
  const asked = relay.chat(session, 'Hi');
  const hosted = await arrived.promise;
  hosted.frame(...chunk('half'));
  const reader = new EventReader(await asked);
  await reader.until('chunk');
  await relay.relay.close(100);
  const [interrupted, done] = await reader.rest();
  assert.equal(interrupted?.data.code, 'shutting_down');
  assert.ok(interrupted?.id);
  assert.equal(done?.type, 'done');
  await hosted.left;
});

test('SIGTERM lets the running turn finish and then ends the process with 0', async () => {
  await using host = await startScriptedHost();
  const { child, url, exited } = await runRelay(host);
  const session: StartedSession = await (await post(`${url}/session`, {})).json();
  const arrived = Promise.withResolvers<HostAnswer>();
  host.onChat(arrived.resolve);
  const asked = post(`${url}/chat`, { sessionId: session.sessionId, message: 'Hi' }, session.token);
  const hosted = await arrived.promise;
  hosted.frame(...chunk('a'));
  const reader = new EventReader(await asked);
  await reader.until('chunk');
  child.kill('SIGTERM');
  say('b')(hosted);
  assert.deepEqual(typesOf(await reader.rest()), ['chunk', 'complete', 'done']);
  assert.deepEqual(await exited, [0, null]);
});

test('a second signal ends the process at once', async () => {
  await using host = await startScriptedHost();
  const { child, url, exited } = await runRelay(host);
  const session: StartedSession = await (await post(`${url}/session`, {})).json();
  const arrived = Promise.withResolvers<HostAnswer>();
  host.onChat(arrived.resolve);
  const asked = post(`${url}/chat`, { sessionId: session.sessionId, message: 'Hi' }, session.token);
  const hosted = await arrived.promise;
  hosted.frame(...chunk('a'));
  const reader = new EventReader(await asked);
  await reader.until('chunk');
  child.kill('SIGTERM');
  child.kill('SIGINT');
  assert.deepEqual(await exited, [1, null]);
  await assert.rejects(reader.rest());
});

test('after kill -9 and a restart on SQLite the conversation goes on, and the turn that ran is told as interrupted', async () => {
  await using host = await startScriptedHost();
  const directory = mkdtempSync(join(tmpdir(), 'parley-'));
  try {
    const environment = { STORE: `sqlite:${join(directory, 'store.sqlite')}`, TURN_GRACE_MS: 'unlimited' };
    const first = await runRelay(host, environment);
    const session: StartedSession = await (await post(`${first.url}/session`, {})).json();
    const arrived = Promise.withResolvers<HostAnswer>();
    host.onChat(arrived.resolve);
    const asked = post(`${first.url}/chat`, { sessionId: session.sessionId, message: 'Hi' }, session.token);
    const hosted = await arrived.promise;
    hosted.frame(...chunk('one '));
    hosted.frame(...chunk('two '));
    const reader = new EventReader(await asked);
    const seen = [...(await reader.until('chunk')), ...(await reader.until('chunk'))];
    first.child.kill('SIGKILL');
    await assert.rejects(reader.rest());
    await first.exited;

    const second = await runRelay(host, environment);
    const startedAtMs = performance.now();
    const resumed = await fetch(`${second.url}/session/${session.sessionId}/events`, {
      headers: { origin: PAGE, 'x-session-token': session.token, 'last-event-id': seen[1]?.id ?? '' },
    });
    const rest = await readEvents(resumed);
    assert.ok(performance.now() - startedAtMs < 5_000);
    assert.deepEqual(typesOf(rest), ['chunk', 'interrupted', 'done']);
    assert.equal(rest[0]?.data.chunk, 'two ');
    host.onChat(say('three'));
    const next = await post(`${second.url}/chat`, { sessionId: session.sessionId, message: 'Go on' }, session.token);
    assert.equal((await readEvents(next)).at(-1)?.type, 'done');
    assert.equal(host.chats().length, 2);
    second.child.kill('SIGTERM');
    await second.exited;
  } finally {
    rmSync(directory, { recursive: true });
  }
});

const COMPLETE = {
  MCP_HOST_BASE_URL: 'http://127.0.0.1:1',
  APPLICATION_ID: 'app-1',
  TUIX_AI_AGENTS_API_KEY: 'sk-CANARY',
};
const WRONG: [setting: string, environment: Record<string, string>][] = [
  ['MCP_HOST_BASE_URL', { ...COMPLETE, MCP_HOST_BASE_URL: '' }],
  ['APPLICATION_ID', { ...COMPLETE, APPLICATION_ID: '' }],
  ['TUIX_AI_AGENTS_API_KEY', { ...COMPLETE, TUIX_AI_AGENTS_API_KEY: '' }],
  ['ALLOWED_ORIGINS', { ...COMPLETE, ALLOWED_ORIGINS: 'https://shop.example/path' }],
  ['STORE', { ...COMPLETE, STORE: 'mongodb://localhost' }],
  ['PARLEY_SECRET', { ...COMPLETE, STORE: 'redis://127.0.0.1:1' }],
];
for (const [setting, environment] of WRONG) {
  test(`a missing or wrong ${setting} is one sentence that names it, and the exit code 78`, async () => {
    const child = run(environment);
    const exited = once(child, 'exit');
    let printed = '';
    for await (const piece of child.stderr!) printed += piece;
    assert.deepEqual(await exited, [78, null]);
    assert.equal(printed.trimEnd().split('\n').length, 1);
    assert.ok(printed.startsWith(setting), printed);
    assert.doesNotMatch(printed, /CANARY|node_modules| {4}at /);
  });
}

test('a port that is taken is said in one sentence; without PORT the next free one is used', async () => {
  await using host = await startScriptedHost();
  const settings = { MCP_HOST_BASE_URL: host.url, APPLICATION_ID: 'app-1', TUIX_AI_AGENTS_API_KEY: API_KEY };
  const taken = new URL(host.url).port;
  const refused = run({ ...settings, STORE: 'memory:', PORT: taken });
  const exited = once(refused, 'exit');
  let printed = '';
  for await (const piece of refused.stderr!) printed += piece;
  assert.deepEqual(await exited, [78, null]);
  assert.equal(printed.trim(), `PORT ${taken} is in use at 127.0.0.1.`);

  const first = await runRelay(host, { PORT: '' });
  const second = await runRelay(host, { PORT: '' });
  assert.notEqual(first.url, second.url);
  assert.ok(Number(new URL(second.url).port) > 8_787);
  for (const { child } of [first, second]) child.kill('SIGTERM');
  await Promise.all([first.exited, second.exited]);
});

test('a secret can come from a file', async () => {
  await using host = await startScriptedHost();
  const directory = mkdtempSync(join(tmpdir(), 'parley-'));
  try {
    const file = join(directory, 'key');
    writeFileSync(file, `${API_KEY}\n`);
    const { child, url, exited } = await runRelay(host, {
      TUIX_AI_AGENTS_API_KEY: '',
      TUIX_AI_AGENTS_API_KEY_FILE: file,
    });
    assert.equal((await post(`${url}/session`, {})).status, 201);
    assert.equal(host.requests[0]?.headers['x-api-key'], API_KEY);
    child.kill('SIGTERM');
    await exited;
  } finally {
    rmSync(directory, { recursive: true });
  }
});
