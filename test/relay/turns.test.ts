import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryStore } from '../../relay/store/memory-store.ts';
import { answerOf, EventReader, readEvents, typesOf } from '../support/event-reader.ts';
import { startRelay } from '../support/relay-under-test.ts';
import { type HostAnswer, say, startScriptedHost, TIMESTAMP } from '../support/scripted-host.ts';

/** An answer that stays open: the test says when the next piece comes. */
function held(): { answer: (answer: HostAnswer) => void; arrived: Promise<HostAnswer> } {
  const { promise, resolve } = Promise.withResolvers<HostAnswer>();
  return { answer: resolve, arrived: promise };
}

const chunk = (text: string) => ['chunk', { chunk: text, timestamp: TIMESTAMP }] as const;

/** Long enough for this machine under load; what is checked is that it is far less than anything that waits. */
const SOON_MS = 2_000;
const soon = <T>(promise: Promise<T>) =>
  Promise.race([promise, new Promise((_, reject) => setTimeout(reject, SOON_MS, new Error('not soon')).unref())]);

test('the same message id sent 50 times at once is one turn, and all 50 read the same answer', async () => {
  await using relay = await startRelay({ limitsPerMinute: { sessions: 9, messages: 3, requests: 0, failures: 9 } });
  const session = await relay.startSession();
  const { answer, arrived } = held();
  relay.host.onChat(answer);
  const asked = Promise.all(
    Array.from({ length: 50 }, () => relay.chat(session, 'Order one', { messageId: 'click-1' }).then(readEvents)),
  );
  say('One ', 'order')(await arrived);
  const answers = await asked;
  for (const events of answers) assert.deepEqual(events, answers[0]);
  assert.deepEqual(typesOf(answers[0] ?? []), ['question', 'chunk', 'chunk', 'complete', 'done']);
  assert.equal(relay.host.chats().length, 1);
});

test('a message id that has been answered gives the same answer again, and the host is not asked', async () => {
  await using relay = await startRelay();
  const session = await relay.startSession();
  const first = await readEvents(await relay.chat(session, 'Hi', { messageId: 'm-1' }));
  await readEvents(await relay.chat(session, 'And now?', { messageId: 'm-2' }));
  const again = await readEvents(await relay.chat(session, 'Hi', { messageId: 'm-1' }));
  assert.deepEqual(again, first);
  assert.equal(relay.host.chats().length, 2);
});

test('two message ids with the same text are two turns', async () => {
  await using relay = await startRelay();
  const session = await relay.startSession();
  await readEvents(await relay.chat(session, 'ok', { messageId: 'm-1' }));
  const second = await readEvents(await relay.chat(session, 'ok', { messageId: 'm-2' }));
  assert.deepEqual(
    second.map(({ id }) => id),
    ['2:6', '2:7', '2:8', '2:9', '2:10'],
  );
  assert.equal(relay.host.chats().length, 2);
});

test('a message id that was used for another text is a conflict', async () => {
  await using relay = await startRelay();
  const session = await relay.startSession();
  await readEvents(await relay.chat(session, 'Hi', { messageId: 'm-1' }));
  const answer = await relay.chat(session, 'Ho', { messageId: 'm-1' });
  assert.equal(answer.status, 409);
  assert.equal((await answer.json()).code, 'message_conflict');
  assert.equal(relay.host.chats().length, 1);
});

test('another message has to wait while a turn runs, and is taken afterwards', async () => {
  await using relay = await startRelay();
  const session = await relay.startSession();
  const { answer, arrived } = held();
  relay.host.onChat(answer);
  const asked = relay.chat(session, 'One');
  const hosted = await arrived;
  const refused = await relay.chat(session, 'Two');
  assert.equal(refused.status, 409);
  const problem = await refused.json();
  assert.equal(problem.code, 'turn_running');
  assert.equal(refused.headers.get('retry-after'), String(problem.retryAfterMs / 1_000));
  say('1')(hosted);
  await readEvents(await asked);
  relay.host.onChat(say('2'));
  assert.equal(answerOf(await readEvents(await relay.chat(session, 'Two'))), '2');
});

test('a reader whose line broke continues after the event that he had last, without gap or repeat', async () => {
  await using relay = await startRelay({ turnGraceMs: Number.POSITIVE_INFINITY });
  const session = await relay.startSession();
  const { answer, arrived } = held();
  relay.host.onChat(answer);
  const asked = relay.chat(session, 'Count');
  const hosted = await arrived;
  hosted.frame(...chunk('1 '));
  hosted.frame(...chunk('2 '));
  const first = new EventReader(await asked);
  const seen = [...(await first.until('chunk')), ...(await first.until('chunk'))];
  await first.leave();
  hosted.frame(...chunk('3 '));

  const resumed = await relay.about(session, 'GET', '/events', { 'last-event-id': seen.at(-1)?.id ?? '' });
  const second = new EventReader(resumed);
  seen.push(...(await second.until('chunk')));
  say('4')(hosted);
  seen.push(...(await second.rest()));
  assert.deepEqual(
    seen.map(({ id }) => id),
    ['1:1', '1:2', '1:3', '1:4', '1:5', '1:6', '1:7'],
  );
  assert.equal(answerOf(seen.slice(0, -2)), '1 2 3 4');
  assert.equal(relay.host.chats().length, 1);
});

test('a reader who comes after the end gets what he had missed, and one who has it all is told that nothing will come', async () => {
  await using relay = await startRelay();
  const session = await relay.startSession();
  const events = await readEvents(await relay.chat(session, 'Hi'));
  const missed = await relay.about(session, 'GET', '/events', { 'last-event-id': events[2]?.id ?? '' });
  assert.deepEqual(await readEvents(missed), events.slice(3));
  const nothing = await relay.about(session, 'GET', '/events', { 'last-event-id': events.at(-1)?.id ?? '' });
  assert.equal(nothing.status, 204);
  assert.equal((await relay.about(session, 'GET', '/events')).status, 204);
});

test('a second tab without a place gets the running turn from its start', async () => {
  await using relay = await startRelay();
  const session = await relay.startSession();
  await readEvents(await relay.chat(session, 'Before'));
  const { answer, arrived } = held();
  relay.host.onChat(answer);
  const asked = relay.chat(session, 'Now');
  const hosted = await arrived;
  hosted.frame(...chunk('half '));
  const first = new EventReader(await asked);
  await first.until('chunk');
  const second = new EventReader(await relay.about(session, 'GET', '/events'));
  assert.deepEqual(typesOf(await second.until('chunk')), ['question', 'chunk']);
  assert.equal((await (await relay.about(session, 'GET')).json()).runningTurn, 2);
  say('whole')(hosted);
  assert.deepEqual(await first.rest(), await second.rest());
});

test('a reader whose place is past the log is told that there is a gap', async () => {
  await using relay = await startRelay();
  const session = await relay.startSession();
  await readEvents(await relay.chat(session, 'Hi'));
  const { answer, arrived } = held();
  relay.host.onChat(answer);
  const asked = relay.chat(session, 'Now');
  const hosted = await arrived;
  const reader = new EventReader(await relay.about(session, 'GET', '/events', { 'last-event-id': '2:999' }));
  const first = await reader.next();
  assert.equal(first?.type, 'history-gone');
  assert.ok(!first?.id);
  say('done')(hosted);
  await readEvents(await asked);
});

test('stop closes the connection to the host at once, and the half answer stays, marked as stopped', async () => {
  await using relay = await startRelay();
  const session = await relay.startSession();
  const { answer, arrived } = held();
  relay.host.onChat(answer);
  const asked = relay.chat(session, 'Long story');
  const hosted = await arrived;
  hosted.frame(...chunk('Once upon'));
  const reader = new EventReader(await asked);
  await reader.until('chunk');
  assert.equal((await relay.about(session, 'POST', '/stop')).status, 204);
  await soon(hosted.left);
  assert.deepEqual(typesOf(await reader.rest()), ['stopped', 'done']);
  const { events } = await (await relay.about(session, 'GET')).json();
  assert.deepEqual(typesOf(events), ['question', 'chunk', 'stopped', 'done']);
  assert.equal((await relay.about(session, 'POST', '/stop')).status, 204);
});

test('stop before the host has answered ends the turn too', async () => {
  await using relay = await startRelay();
  const session = await relay.startSession();
  const { answer, arrived } = held();
  relay.host.onChat(answer);
  const asked = relay.chat(session, 'Hello?');
  const hosted = await arrived;
  await relay.about(session, 'POST', '/stop');
  await soon(hosted.left);
  assert.deepEqual(typesOf(await readEvents(await asked)), ['question', 'stopped', 'done']);
});

test('without grace, the host’s connection is closed when the last reader has left, and the turn is told as interrupted', async () => {
  await using relay = await startRelay({ turnGraceMs: 0 });
  const session = await relay.startSession();
  for (let visitor = 0; visitor < 10; visitor++) {
    const { answer, arrived } = held();
    relay.host.onChat(answer);
    const asked = relay.chat(session, 'Hi');
    const hosted = await arrived;
    hosted.frame(...chunk('half'));
    const reader = new EventReader(await asked);
    await reader.until('chunk');
    await reader.leave();
    await soon(hosted.left);
  }
  const { events } = await (await relay.about(session, 'GET')).json();
  assert.deepEqual(typesOf(events.slice(-4)), ['question', 'chunk', 'interrupted', 'done']);
});

test('a visitor who leaves before the host has answered ends the turn as well', async () => {
  await using relay = await startRelay({ turnGraceMs: 0 });
  const session = await relay.startSession();
  const { answer, arrived } = held();
  relay.host.onChat(answer);
  const leaving = new AbortController();
  const asked = relay.chat(session, 'Hi', { signal: leaving.signal });
  const hosted = await arrived;
  leaving.abort();
  await assert.rejects(asked);
  await soon(hosted.left);
});

test('with grace, a reader who comes back in time finds the turn running', async () => {
  await using relay = await startRelay({ turnGraceMs: 60_000 });
  const session = await relay.startSession();
  const { answer, arrived } = held();
  relay.host.onChat(answer);
  const asked = relay.chat(session, 'Hi');
  const hosted = await arrived;
  hosted.frame(...chunk('a'));
  const reader = new EventReader(await asked);
  await reader.until('chunk');
  await reader.leave();
  const back = new EventReader(await relay.about(session, 'GET', '/events'));
  await back.until('chunk');
  say('b')(hosted);
  assert.deepEqual(typesOf(await back.rest()), ['chunk', 'complete', 'done']);
});

test('with unlimited grace, a turn runs to its end with nobody watching', async () => {
  await using relay = await startRelay({ turnGraceMs: Number.POSITIVE_INFINITY });
  const session = await relay.startSession();
  const { answer, arrived } = held();
  relay.host.onChat(answer);
  const asked = relay.chat(session, 'Hi');
  const hosted = await arrived;
  hosted.frame(...chunk('a'));
  const reader = new EventReader(await asked);
  await reader.until('chunk');
  await reader.leave();
  say('b')(hosted);
  const missed = await readEvents(await relay.about(session, 'GET', '/events', { 'last-event-id': '1:2' }));
  assert.deepEqual(typesOf(missed), ['chunk', 'complete', 'done']);
  assert.equal(answerOf(missed), 'b');
});

test('a session that is deleted while a turn runs ends in every tab, at the host, and never comes back', async () => {
  await using relay = await startRelay({ turnGraceMs: Number.POSITIVE_INFINITY });
  for (let round = 0; round < 20; round++) {
    const session = await relay.startSession();
    const { answer, arrived } = held();
    relay.host.onChat(answer);
    const asked = relay.chat(session, 'Hi');
    const hosted = await arrived;
    hosted.frame(...chunk('half'));
    const reader = new EventReader(await asked);
    await reader.until('chunk');
    const otherTab = new EventReader(await relay.about(session, 'GET', '/events'));
    await otherTab.until('chunk');
    const deleted = relay.about(session, 'DELETE');
    hosted.frame(...chunk('more'));
    assert.equal((await deleted).status, 204);
    await soon(hosted.left);
    for (const tab of [reader, otherTab]) {
      const last = (await tab.rest()).at(-1);
      assert.equal(last?.type, 'session-ended');
      assert.equal(last?.data.reason, 'deleted');
    }
    for (const kept of ['session', 'turn'])
      assert.equal(await relay.store.get(`${kept}:${session.sessionId}`), undefined);
    const { lastSequence } = await relay.store.readLog(`log:${session.sessionId}`, 0, 1);
    assert.equal(lastSequence, 0);
  }
});

test('on another relay a reader follows the turn, and stop reaches it', async () => {
  const store = new MemoryStore();
  await using host = await startScriptedHost();
  await using one = await startRelay({ store, sharedHost: host });
  await using two = await startRelay({ store, sharedHost: host });
  const session = await one.startSession();
  const { answer, arrived } = held();
  host.onChat(answer);
  const asked = one.chat(session, 'Hi', { messageId: 'm-1' });
  const hosted = await arrived;
  hosted.frame(...chunk('a'));
  const here = new EventReader(await asked);
  await here.until('chunk');

  const there = new EventReader(await two.about(session, 'GET', '/events'));
  await there.until('chunk');
  const joined = new EventReader(await two.chat(session, 'Hi', { messageId: 'm-1' }));
  await joined.until('chunk');
  assert.equal((await two.chat(session, 'Other')).status, 409);
  hosted.frame(...chunk('b'));
  assert.deepEqual(await there.until('chunk'), await here.until('chunk'));

  assert.equal((await two.about(session, 'POST', '/stop')).status, 204);
  await soon(hosted.left);
  for (const reader of [here, there]) assert.deepEqual(typesOf(await reader.rest()), ['stopped', 'done']);
  assert.equal((await joined.until('done')).at(-2)?.type, 'stopped');
  assert.equal(host.chats().length, 1);
});

test('a turn whose relay has died is told as interrupted with its exact beginning, and the conversation goes on', async () => {
  const store = new MemoryStore();
  await using host = await startScriptedHost();
  await using relay = await startRelay({ store, sharedHost: host });
  const session = await relay.startSession();
  // What a relay leaves behind that was killed in the middle of an answer: a running turn and no sign of life.
  const expiresAtMs = Date.now() + 60_000;
  const value = {
    turn: 1,
    status: 'running',
    relay: 'dead',
    afterSequence: 0,
    endSequence: null,
    isStopRequested: false,
  };
  const question = { messageId: 'm-1', message: 'Hi', timestamp: TIMESTAMP };
  const entries = [
    `1 question ${JSON.stringify(question)}`,
    `1 chunk ${JSON.stringify({ chunk: 'half', timestamp: TIMESTAMP })}`,
  ];
  await store.commit(
    [],
    [
      { type: 'put', key: `turn:${session.sessionId}`, value, expiresAtMs },
      { type: 'append', log: `log:${session.sessionId}`, entries, expiresAtMs },
    ],
  );
  const events = await readEvents(await relay.about(session, 'GET', '/events', { 'last-event-id': '1:1' }));
  assert.deepEqual(typesOf(events), ['chunk', 'interrupted', 'done']);
  assert.equal(events[1]?.data.code, 'stream_interrupted');
  const next = await readEvents(await relay.chat(session, 'Again'));
  assert.deepEqual(typesOf(next), ['question', 'chunk', 'chunk', 'complete', 'done']);
  assert.equal(next[0]?.id, '2:5');
});
