import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventReader, readEvents, typesOf } from '../support/event-reader.ts';
import { FailingStore } from '../support/failing-store.ts';
import { startRelay } from '../support/relay-under-test.ts';
import { type HostAnswer, say, TIMESTAMP } from '../support/scripted-host.ts';

const chunk = (text: string) => ['chunk', { chunk: text, timestamp: TIMESTAMP }] as const;

for (const outage of ['hang', 'becomeUnavailable'] as const) {
  test(`while the store does not take events (${outage}), the attached reader gets them directly, and later readers are told that the end is missing`, async () => {
    const store = new FailingStore();
    await using relay = await startRelay({ store, turnGraceMs: Number.POSITIVE_INFINITY });
    const session = await relay.startSession();
    const arrived = Promise.withResolvers<HostAnswer>();
    relay.host.onChat(arrived.resolve);
    const asked = relay.chat(session, 'Hi');
    const hosted = await arrived.promise;
    hosted.frame(...chunk('stored '));
    const reader = new EventReader(await asked);
    const stored = await reader.until('chunk');
    store[outage]();
    hosted.frame(...chunk('direct '));
    const [direct] = await reader.until('chunk');
    assert.equal(direct?.data.chunk, 'direct ');
    // Its place stays where the log ends, so that a browser does not ask for what is in no log.
    assert.ok(!direct?.id);
    say('end')(hosted);
    const rest = await reader.rest();
    assert.deepEqual(typesOf(rest), ['chunk', 'complete', 'done']);

    store.recover();
    const place = stored.at(-1)?.id ?? '';
    const later = await readEvents(await relay.about(session, 'GET', '/events', { 'last-event-id': place }));
    const interrupted = later.find(({ type }) => type === 'interrupted');
    assert.equal(interrupted?.data.code, 'store_unavailable');
    assert.equal(later.at(-1)?.type, 'done');
    relay.host.onChat(say('next'));
    assert.equal((await readEvents(await relay.chat(session, 'And now?'))).at(-1)?.type, 'done');
  });
}

test('a store that goes away just after a question costs its reader nothing of the answer', async () => {
  const store = new FailingStore();
  await using relay = await startRelay({ store });
  const session = await relay.startSession();
  const arrived = Promise.withResolvers<HostAnswer>();
  relay.host.onChat(arrived.resolve);
  const asked = relay.chat(session, 'Hi');
  const hosted = await arrived.promise;
  // His reader has had no look into the log yet.
  store.failToRead();
  hosted.frame(...chunk('stored '));
  const reader = new EventReader(await asked);
  assert.deepEqual(typesOf(await reader.until('chunk')), ['question', 'chunk']);
  store.becomeUnavailable();
  hosted.frame(...chunk('direct '));
  assert.equal((await reader.until('chunk'))[0]?.data.chunk, 'direct ');
  say('end')(hosted);
  assert.deepEqual(typesOf(await reader.rest()), ['chunk', 'complete', 'done']);
});

test('a reader who comes while the store is away is told soon that he has missed what no store has', async () => {
  const store = new FailingStore();
  await using relay = await startRelay({ store, turnGraceMs: Number.POSITIVE_INFINITY });
  const session = await relay.startSession();
  const arrived = Promise.withResolvers<HostAnswer>();
  relay.host.onChat(arrived.resolve);
  const asked = relay.chat(session, 'Hi');
  const hosted = await arrived.promise;
  // More than is kept for readers who come a little late.
  for (let index = 0; index < 10; index++) hosted.frame(...chunk('stored '.padEnd(10_000, '.')));
  const reader = new EventReader(await asked);
  for (let index = 0; index < 10; index++) await reader.until('chunk');
  // The route sees that there is something to come; the reader's own look fails.
  store.failToRead({ after: 1 });
  const late = await relay.about(session, 'GET', '/events', { 'last-event-id': '1:1' });
  assert.equal(late.status, 200);
  store.becomeUnavailable();
  hosted.frame(...chunk('direct '));
  await reader.until('chunk');
  assert.deepEqual(typesOf(await readEvents(late)), ['interrupted', 'done']);
});

test('a store that is away for less than a second costs nothing', async () => {
  const store = new FailingStore();
  await using relay = await startRelay({ store });
  const session = await relay.startSession();
  const arrived = Promise.withResolvers<HostAnswer>();
  relay.host.onChat(arrived.resolve);
  const asked = relay.chat(session, 'Hi');
  const hosted = await arrived.promise;
  hosted.frame(...chunk('a'));
  const reader = new EventReader(await asked);
  await reader.until('chunk');
  const failed = store.becomeUnavailableOnce();
  hosted.frame(...chunk('b'));
  await failed;
  const [second] = await reader.until('chunk');
  assert.equal(second?.id, '1:3');
  say('c')(hosted);
  assert.equal((await reader.rest()).at(-1)?.id, '1:6');
});

test('a write that was carried out and reported as failed is not written twice', async () => {
  const store = new FailingStore();
  await using relay = await startRelay({ store });
  const session = await relay.startSession();
  const arrived = Promise.withResolvers<HostAnswer>();
  relay.host.onChat(arrived.resolve);
  const asked = relay.chat(session, 'Hi');
  const hosted = await arrived.promise;
  hosted.frame(...chunk('a'));
  const reader = new EventReader(await asked);
  await reader.until('chunk');
  const failed = store.loseNextAnswer();
  hosted.frame(...chunk('b'));
  await failed;
  assert.deepEqual(
    (await reader.until('chunk')).map(({ id }) => id),
    ['1:3'],
  );
  say('c')(hosted);
  await reader.rest();
  const { events } = await (await relay.about(session, 'GET')).json();
  assert.equal(events.find(({ type }: { type: string }) => type === 'chunk').data.chunk, 'abc');
});

test('new work is refused while the store is away, and readiness says why', async () => {
  const store = new FailingStore();
  await using relay = await startRelay({ store });
  const session = await relay.startSession();
  store.becomeUnavailable();
  for (const answer of [
    await relay.post('/session', {}),
    await relay.chat(session, 'Hi'),
    await relay.about(session, 'GET'),
  ]) {
    assert.equal(answer.status, 503);
    assert.equal((await answer.json()).code, 'store_unavailable');
    assert.ok(answer.headers.get('retry-after'));
  }
  const ready = await fetch(`${relay.url}/readyz`);
  assert.equal(ready.status, 503);
  const { checks } = await ready.json();
  assert.equal(checks.store.code, 'store_unavailable');
  assert.equal(checks.store.reason, 'the store is gone');
  assert.equal(checks.agentHost.ok, true);
  assert.equal((await fetch(`${relay.url}/healthz`)).status, 200);
  // The host's session that could not be kept is ended there again.
  assert.equal(relay.host.requests.filter(({ method }) => method === 'DELETE').length, 1);
  store.recover();
  assert.equal((await relay.about(session, 'GET')).status, 200);
  assert.equal((await fetch(`${relay.url}/readyz`)).status, 200);
});
