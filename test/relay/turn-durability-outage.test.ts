/** A real store that goes away and comes back: running answers go on, new work is refused soon, and nothing has to be restarted. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { RedisStore } from '../../relay/store/redis-store.ts';
import { answerOf, EventReader, readEvents, typesOf } from '../support/event-reader.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { RelayProcess } from '../support/relay-process.ts';
import { startRelay } from '../support/relay-under-test.ts';
import { type HostAnswer, say, startScriptedHost, TIMESTAMP } from '../support/scripted-host.ts';
import { Visitor } from '../support/visitor.ts';

const GRACE = { turnGraceMs: Number.POSITIVE_INFINITY };
const REFUSED_WITHIN_MS = 2_000;
const BACK_WITHIN_MS = 10_000;
const chunk = (text: string) => ['chunk', { chunk: text, timestamp: TIMESTAMP }] as const;

/** Asks until the relay says that it can work. */
async function untilReady(url: string): Promise<void> {
  const patience = AbortSignal.timeout(BACK_WITHIN_MS);
  for (;;) {
    const answer = await fetch(`${url}/readyz`, { signal: patience });
    await answer.text();
    if (answer.status === 200) return;
  }
}

async function untilNotReady(url: string): Promise<string> {
  for (;;) {
    const answer = await fetch(`${url}/readyz`);
    const { checks } = await answer.json();
    if (answer.status === 503) return checks.store.reason;
  }
}

const OUTAGES: Record<
  string,
  { begin(redis: RedisServer): void | Promise<void>; end(redis: RedisServer): void | Promise<void> }
> = {
  'is gone': { begin: (redis) => redis.kill(), end: (redis) => redis.start() },
  hangs: { begin: (redis) => redis.pause(), end: (redis) => redis.resume() },
};

for (const [name, outage] of Object.entries(OUTAGES)) {
  test(`a Redis server that ${name}: answers go on, new work is refused within two seconds, and all is well within ten`, async (t) => {
    const redis = await startRedisServer({ isDurable: true });
    t.after(() => redis.stop());
    const store = await RedisStore.open(redis.url);
    t.after(() => store.close());
    await using relay = await startRelay({ ...GRACE, store });
    const session = await relay.startSession();
    const other = await relay.startSession();
    const { promise: arrived, resolve } = Promise.withResolvers<HostAnswer>();
    relay.host.onChat(resolve);
    const asked = relay.chat(session, 'Hi');
    const hosted = await arrived;
    hosted.frame(...chunk('0 '));
    const reader = new EventReader(await asked);
    const events = await reader.until('chunk');

    await outage.begin(redis);
    const beganAtMs = performance.now();
    hosted.frame(...chunk('1 '));
    events.push(...(await reader.until('chunk')));
    assert.match(await untilNotReady(relay.url), /^Redis: /);
    for (const refused of [
      () => relay.chat(other, 'Hi'),
      () => relay.post('/session', {}),
      () => relay.about(other, 'GET'),
    ]) {
      const askedAtMs = performance.now();
      const answer = await refused();
      assert.ok(performance.now() - askedAtMs < REFUSED_WITHIN_MS);
      assert.equal(answer.status, 503);
      assert.equal((await answer.json()).code, 'store_unavailable');
    }
    // As long as a failover takes.
    for (let index = 2; performance.now() - beganAtMs < 5_000; index++) {
      hosted.frame(...chunk(`${index} `));
      events.push(...(await reader.until('chunk')));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await outage.end(redis);
    await untilReady(relay.url);
    hosted.frame(...chunk('last '));
    say()(hosted);
    events.push(...(await reader.rest()));
    const chunks = events.filter(({ type }) => type === 'chunk').map(({ data }) => data.chunk);
    assert.deepEqual(chunks, [...chunks.slice(0, -1).map((_, index) => `${index} `), 'last ']);
    assert.deepEqual(typesOf(events).slice(-2), ['complete', 'done']);

    const next = await relay.startSession();
    relay.host.onChat(say('back'));
    assert.equal(answerOf(await readEvents(await relay.chat(next, 'Hi'))), 'back');
    assert.equal(relay.host.chats().length, 2);
  });
}

test('a full disk under SQLite: answers go on, new work is refused, and all is well when there is room again', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'parley-disk-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const script = `mount -t tmpfs -o size=2m tmpfs "${directory}" && exec "$0" "$@"`;
  const wrapper = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', script];
  const canMount = await promisify(execFile)(wrapper[0] ?? '', [...wrapper.slice(1), 'true']).then(
    () => true,
    () => false,
  );
  if (!canMount) {
    t.skip('this system does not let a test mount a small file system of its own');
    return;
  }
  await using host = await startScriptedHost();
  const store = `sqlite:${join(directory, 'store.sqlite')}`;
  await using relay = await RelayProcess.start({ hostUrl: host.url, store, wrapper });
  const visitor = await Visitor.at(relay.url);
  const { promise: arrived, resolve } = Promise.withResolvers<HostAnswer>();
  host.onChat(resolve);
  const asked = visitor.post('Hi', 'm-1');
  const hosted = await arrived;
  hosted.frame(...chunk('0 '));
  const reader = new EventReader(await asked);
  await reader.until('chunk');

  const ballast = `/proc/${relay.pid}/root${directory}/ballast`;
  fill(ballast);
  assert.match(await untilNotReady(relay.url), /disk|full/i);
  hosted.frame(...chunk('1 '.padEnd(100_000, '.')));
  const [direct] = await reader.until('chunk');
  assert.match(direct?.data.chunk, /^1 /);
  const askedAtMs = performance.now();
  const refused = await fetch(`${relay.url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userId: 'x'.repeat(200) }),
  });
  assert.equal(refused.status, 503);
  assert.ok(performance.now() - askedAtMs < REFUSED_WITHIN_MS);
  rmSync(ballast);
  await untilReady(relay.url);
  say('end')(hosted);
  assert.deepEqual(typesOf(await reader.rest()), ['chunk', 'complete', 'done']);
  const next = await Visitor.at(relay.url);
  host.onChat(say('back'));
  assert.equal(answerOf(await readEvents(await next.post('Hi', 'm-1'))), 'back');
});

function fill(file: string): void {
  for (let size = 65_536; size >= 1; ) {
    try {
      writeFileSync(file, Buffer.alloc(size, 1), { flag: 'a' });
    } catch {
      size = Math.floor(size / 2);
    }
  }
}

test('SIGTERM with an answer that does not end: the process ends within 35 seconds, and the answer is told as interrupted, resumable', async () => {
  await using host = await startScriptedHost();
  await using relay = await RelayProcess.start({ hostUrl: host.url, store: 'memory:' });
  const visitor = await Visitor.at(relay.url);
  const { promise: arrived, resolve } = Promise.withResolvers<HostAnswer>();
  host.onChat(resolve);
  const asked = visitor.post('Hi', 'm-1');
  const hosted = await arrived;
  hosted.frame(...chunk('half'));
  const reader = new EventReader(await asked);
  await reader.until('chunk');
  const signalledAtMs = performance.now();
  relay.signal('SIGTERM');
  const [interrupted, done] = await reader.rest();
  assert.deepEqual(await relay.exited, { code: 0, signal: null });
  assert.ok(performance.now() - signalledAtMs < 35_000);
  assert.equal(interrupted?.data.code, 'shutting_down');
  assert.match(interrupted?.id ?? '', /^1:\d+$/);
  assert.equal(done?.type, 'done');
});
