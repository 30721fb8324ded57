import assert from 'node:assert/strict';
import { Agent, get, type OutgoingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import { MemoryStore } from '../../relay/store/memory-store.ts';
import { readEvents } from '../support/event-reader.ts';
import { PAGE, startRelay } from '../support/relay-under-test.ts';

const UNLIMITED = { sessions: 0, messages: 0, requests: 0, failures: 0 };
/** The middle of a minute. */
const MIDDLE_OF_A_MINUTE_MS = Math.ceil(Date.now() / 60_000) * 60_000 + 30_000;

/** A relay and its store by one clock that stands still, so that no minute ends while a test counts. */
function startRelayAt(options: Parameters<typeof startRelay>[0], now = () => MIDDLE_OF_A_MINUTE_MS) {
  return startRelay({ ...options, store: new MemoryStore({ now }), now });
}

test('of 10,000 guessed tokens and ids none hits, and the hundredth is told to wait', async () => {
  await using relay = await startRelayAt({ limitsPerMinute: { ...UNLIMITED, failures: 60 } });
  const session = await relay.startSession();
  const statuses: number[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  for (let guess = 0; guess < 10_000; guess += 50) {
    const answers = Array.from({ length: 50 }, async (_, index) => {
      const isOwnId = index % 2 === 0;
      const id = isOwnId ? session.sessionId : Buffer.from(`guess${guess + index}`.padEnd(16)).toString('base64url');
      const token = isOwnId ? `${guess + index}`.padStart(43, 'A') : session.token;
      return statusOf(`${relay.url}/session/${id}`, { origin: PAGE, 'x-session-token': token }, agent);
    });
    statuses.push(...(await Promise.all(answers)));
  }
  agent.destroy();
  assert.ok(!statuses.includes(200));
  assert.equal(statuses.filter((status) => status === 404).length, 60);
  assert.equal(statuses[99], 429);
  // Whoever shares the address with the guesser and holds a right token is still served.
  assert.equal((await relay.about(session, 'GET')).status, 200);
});

test('a conversation that sends too many messages is told when it may go on, and then may', async () => {
  let nowMs = MIDDLE_OF_A_MINUTE_MS;
  await using relay = await startRelayAt({ limitsPerMinute: { ...UNLIMITED, messages: 2 } }, () => nowMs);
  const session = await relay.startSession();
  for (const text of ['1', '2']) await readEvents(await relay.chat(session, text));
  const refused = await relay.chat(session, '3');
  assert.equal(refused.status, 429);
  const problem = await refused.json();
  assert.equal(problem.code, 'rate_limited');
  assert.equal(problem.retryable, true);
  assert.equal(problem.retryAfterMs, 30_000);
  assert.equal(refused.headers.get('retry-after'), '30');
  assert.equal(relay.host.chats().length, 2);
  nowMs += problem.retryAfterMs;
  await readEvents(await relay.chat(session, '3'));
  assert.equal(relay.host.chats().length, 3);
});

test('joining a turn again and again counts as one message', async () => {
  await using relay = await startRelayAt({ limitsPerMinute: { ...UNLIMITED, messages: 1 } });
  const session = await relay.startSession();
  for (let time = 0; time < 5; time++) {
    assert.equal((await relay.chat(session, 'Hi', { messageId: 'm-1' })).status, 200);
  }
});

test('requests are limited by address, and an IPv6 network of one subscriber is one address', async () => {
  await using relay = await startRelayAt({ trustedProxies: 1, limitsPerMinute: { ...UNLIMITED, requests: 2 } });
  const from = async (address: string) => (await relay.post('/session', {}, { 'x-forwarded-for': address })).status;
  assert.equal(await from('2001:db8:1:2::1'), 201);
  assert.equal(await from('2001:db8:1:2:ffff::abcd'), 201);
  assert.equal(await from('2001:db8:1:2:1:2:3:4'), 429);
  assert.equal(await from('2001:db8:1:3::1'), 201);
  assert.equal(await from('203.0.113.7'), 201);
  assert.equal(await from('::ffff:203.0.113.7'), 201);
  assert.equal(await from('203.0.113.7'), 429);
  // What is no address is not believed; the proxy itself is counted.
  assert.equal(await from('unknown'), 201);
  assert.equal(await from('<script>'), 201);
  assert.equal(await from('_hidden'), 429);
});

test('the health of the relay can be asked at any rate', async () => {
  await using relay = await startRelay({ limitsPerMinute: { ...UNLIMITED, requests: 1 } });
  for (let time = 0; time < 10; time++) assert.equal((await fetch(`${relay.url}/healthz`)).status, 200);
});

/** `fetch` would take several times as long for ten thousand. */
function statusOf(url: string, headers: OutgoingHttpHeaders, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    }).once('error', reject);
  });
}
