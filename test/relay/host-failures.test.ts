import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventReader, readEvents, typesOf } from '../support/event-reader.ts';
import { startRelay } from '../support/relay-under-test.ts';
import { type HostAnswer, TIMESTAMP } from '../support/scripted-host.ts';

const CASES: [hostStatus: number, code: string, status: number][] = [
  [400, 'upstream_rejected', 502],
  [401, 'misconfigured', 502],
  [403, 'misconfigured', 502],
  [404, 'session_expired', 410],
  [408, 'upstream_timeout', 504],
  [410, 'session_expired', 410],
  [429, 'rate_limited', 429],
  [500, 'upstream_error', 502],
  [503, 'upstream_busy', 503],
  [504, 'upstream_timeout', 504],
];

for (const [hostStatus, code, status] of CASES) {
  test(`the host’s ${hostStatus} to a message is the problem ${code}, and its text goes nowhere [S2.14]`, async () => {
    await using relay = await startRelay();
    const session = await relay.startSession();
    relay.host.onChat(({ response }) => {
      response.statusCode = hostStatus;
      response.setHeader('retry-after', '7');
      response.end('<h1>CANARY</h1>');
    });
    const answer = await relay.chat(session, 'Hi');
    const text = await answer.text();
    assert.equal(answer.status, status);
    assert.equal(JSON.parse(text).code, code);
    assert.doesNotMatch(text + relay.logText(), /CANARY/);
    if (hostStatus === 429 || hostStatus === 503) {
      assert.equal(JSON.parse(text).retryAfterMs, 7_000);
      assert.equal(answer.headers.get('retry-after'), '7');
    }
    // The conversation shows the question and why it was not answered.
    const { events } = await (await relay.about(session, 'GET')).json();
    assert.deepEqual(typesOf(events), ['question', 'error', 'done']);
    assert.equal(events[1].data.code, code);
    assert.equal(relay.host.chats().length, 1);
  });
}

test('the host’s refusal of a visitor’s credential is the visitor’s problem and not the owner’s', async () => {
  await using relay = await startRelay();
  relay.host.onSession(({ response }) => {
    response.statusCode = 401;
    response.end();
  });
  const answer = await relay.post('/session', {}, { authorization: 'Bearer expired' });
  assert.equal(answer.status, 401);
  assert.equal((await answer.json()).code, 'credential_rejected');
  const own = await relay.post('/session', {});
  assert.equal(own.status, 502);
  assert.equal((await own.json()).code, 'misconfigured');
});

test('a failure after the answer has begun is an error event and done, with what came before', async () => {
  await using relay = await startRelay();
  const session = await relay.startSession();
  relay.host.onChat(({ frame, response }) => {
    frame('chunk', { chunk: 'half', timestamp: TIMESTAMP });
    response.end();
  });
  const answer = await relay.chat(session, 'Hi');
  const events = await readEvents(answer);
  assert.deepEqual(typesOf(events), ['question', 'chunk', 'error', 'done']);
  const { timestamp: _, ...told } = events[2]!.data;
  assert.deepEqual(told, {
    code: 'stream_incomplete',
    message: 'The answer ended before it was complete.',
    retryable: true,
    requestId: answer.headers.get('x-request-id'),
  });
});

test('the host’s own error is told in our words, once, whether or not done follows', async () => {
  await using relay = await startRelay();
  for (const hasDone of [true, false]) {
    const session = await relay.startSession();
    relay.host.onChat(({ frame, response }) => {
      frame('error', { message: 'model CANARY is busy' });
      if (hasDone) frame('done', { timestamp: TIMESTAMP });
      response.end();
    });
    const events = await readEvents(await relay.chat(session, 'Hi'));
    assert.deepEqual(typesOf(events), ['question', 'error', 'done']);
    assert.equal(events[1]?.data.code, 'upstream_error');
    assert.doesNotMatch(JSON.stringify(events), /CANARY/);
  }
});

test('a host that is slow to answer at all lets the stream begin, and its failure is then told in the stream', async () => {
  await using relay = await startRelay({ idleMs: 6_500 });
  const session = await relay.startSession();
  const arrived = Promise.withResolvers<HostAnswer>();
  relay.host.onChat(arrived.resolve);
  const answer = await relay.chat(session, 'Hi');
  assert.equal(answer.status, 200);
  const reader = new EventReader(answer);
  assert.equal((await reader.next())?.type, 'question');
  const rest = await reader.rest();
  assert.deepEqual(typesOf(rest), ['error', 'done']);
  assert.equal(rest[0]?.data.code, 'upstream_timeout');
  await (await arrived.promise).left;
});

test('a host that cannot be reached is a problem, and a session ends here all the same', async () => {
  await using relay = await startRelay();
  const session = await relay.startSession();
  await relay.host[Symbol.asyncDispose]();
  const asked = await relay.chat(session, 'Hi');
  assert.equal(asked.status, 502);
  assert.equal((await asked.json()).code, 'upstream_unreachable');
  assert.equal((await relay.post('/session', {})).status, 502);
  assert.equal((await relay.about(session, 'DELETE')).status, 204);
  assert.equal((await relay.about(session, 'GET')).status, 404);
});
