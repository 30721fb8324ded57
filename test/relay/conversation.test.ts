import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerOf, EventReader, readEvents, typesOf } from '../support/event-reader.ts';
import { API_KEY, PAGE, startRelay } from '../support/relay-under-test.ts';
import { say, TIMESTAMP } from '../support/scripted-host.ts';

const TOOL_CALL = {
  timestamp: TIMESTAMP,
  toolCall: {
    assistantMessage: {
      content: JSON.stringify([
        {
          input: { productId: 'prod_2f81', card: '4111-CANARY' },
          toolCallId: 'fc_5e21',
          toolName: 'create_order',
          type: 'tool-call',
        },
      ]),
      role: 'assistant',
    },
  },
};
const TOOL_RESULT = {
  timestamp: TIMESTAMP,
  toolResult: {
    content: '{"content":[{"text":"result-CANARY"}]}',
    name: 'create_order',
    role: 'tool',
    tool_call_id: 'fc_5e21',
  },
};

test('a visitor starts a session, asks, reads the answer as it is written, and ends the session [S2.10, S2.31]', async () => {
  await using relay = await startRelay();
  const started = await relay.post('/session', { userId: 'visitor-1' });
  assert.equal(started.status, 201);
  const session = await started.json();
  assert.deepEqual(Object.keys(session).sort(), [
    'createdAt',
    'expiresAt',
    'initialMessage',
    'sessionId',
    'token',
    'userId',
  ]);
  assert.equal(session.userId, 'visitor-1');
  assert.equal(Date.parse(session.expiresAt) - Date.parse(session.createdAt), 3_600_000);

  const release = Promise.withResolvers<void>();
  relay.host.onChat(async (answer) => {
    answer.frame('chunk', { chunk: 'Hello ', timestamp: TIMESTAMP });
    await release.promise;
    say('there')(answer);
  });
  const reader = new EventReader(await relay.chat(session, 'Hi'));
  // The first piece is here while the host is still at it.
  assert.deepEqual(typesOf(await reader.until('chunk')), ['question', 'chunk']);
  release.resolve();
  assert.deepEqual(typesOf(await reader.rest()), ['chunk', 'complete', 'done']);

  assert.equal((await relay.about(session, 'DELETE')).status, 204);
  assert.equal((await relay.about(session, 'GET')).status, 404);
  const calls = relay.host.requests.map(({ method, url }) => `${method} ${url}`);
  assert.deepEqual(calls, [
    'POST /stream/app-1/session',
    'POST /stream/app-1/chat',
    'DELETE /stream/app-1/session/session-CANARY-1',
  ]);
});

test('a reader of type and data lines, as the host’s documents describe one, and a standard parser both read a turn [S2.17]', async () => {
  await using relay = await startRelay();
  const session = await relay.startSession();
  relay.host.onChat(say('two\nlines ', 'and “ünïcödé” 👩‍👩‍👧'));
  const answer = await relay.chat(session, 'Hi');
  const bytes = await answer.bytes();

  const lines = new TextDecoder().decode(bytes).split('\n');
  const pairs: [string, unknown][] = [];
  let type = '';
  for (const line of lines) {
    if (line.startsWith('type: ')) type = line.slice(6);
    else if (line.startsWith('data: ')) pairs.push([type, JSON.parse(line.slice(6))]);
  }
  const standard = await readEvents(new Response(bytes));

  assert.deepEqual(
    pairs,
    standard.map((event) => [event.type, event.data]),
  );
  assert.equal(answerOf(standard), 'two\nlines and “ünïcödé” 👩‍👩‍👧');
  assert.deepEqual(
    standard.map(({ id }) => id),
    ['1:1', '1:2', '1:3', '1:4', '1:5'],
  );
});

test('an answer stream tells every proxy to pass it on at once and unchanged', async () => {
  await using relay = await startRelay();
  const answer = await relay.chat(await relay.startSession(), 'Hi');
  await answer.text();
  assert.equal(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  assert.equal(answer.headers.get('cache-control'), 'no-cache, no-transform');
  assert.equal(answer.headers.get('x-accel-buffering'), 'no');
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
});

for (const [toolCalls, expected] of [
  ['none', []],
  ['names', ['tool-call', 'tool-result']],
  ['full', ['tool-call', 'tool-result']],
] as const) {
  test(`with TOOL_CALLS ${toolCalls} a visitor sees no more of a tool call than that`, async () => {
    await using relay = await startRelay({ toolCalls });
    relay.host.onChat((answer) => {
      answer.frame('tool-call', TOOL_CALL);
      answer.frame('tool-result', TOOL_RESULT);
      say('ok')(answer);
    });
    const events = await readEvents(await relay.chat(await relay.startSession(), 'Order'));
    const ofTools = events.filter(({ type }) => type.startsWith('tool'));
    assert.deepEqual(typesOf(ofTools), expected);
    assert.equal(JSON.stringify(events).includes('CANARY'), toolCalls === 'full');
    if (toolCalls === 'names') {
      assert.deepEqual(JSON.parse(ofTools[0]?.data.toolCall.assistantMessage.content), [
        { toolCallId: 'fc_5e21', toolName: 'create_order', type: 'tool-call' },
      ]);
    }
  });
}

test('fields and event types that the host’s documents do not name never reach a browser', async () => {
  await using relay = await startRelay({ toolCalls: 'full' });
  relay.host.onChat((answer) => {
    answer.frame('debug', { prompt: 'CANARY' });
    answer.frame('thinking', { message: 'Processing', timestamp: TIMESTAMP, prompt: 'CANARY' });
    answer.frame('tool-call', {
      ...TOOL_CALL,
      trace: 'x-CANARY',
      toolCall: { ...TOOL_CALL.toolCall, key: 'y-CANARY' },
    });
    answer.frame('chunk', { chunk: 'a', timestamp: TIMESTAMP, model: 'CANARY' });
    answer.frame('complete', {
      message: 'Hi',
      response: { content: 'a', tokensUsed: 1, maxTokens: 2, contextPercentage: 3, system: 'CANARY' },
      timestamp: TIMESTAMP,
      host: 'CANARY',
    });
    answer.frame('done', { timestamp: TIMESTAMP, usage: 'CANARY' });
    answer.response.end();
  });
  const events = await readEvents(await relay.chat(await relay.startSession(), 'Hi'));
  assert.deepEqual(typesOf(events), ['question', 'thinking', 'tool-call', 'chunk', 'complete', 'done']);
  const seen = JSON.stringify(events).replaceAll('4111-CANARY', '');
  assert.doesNotMatch(seen, /CANARY/);
});

test('key, session secret and the host’s session id are in nothing that the browser gets, also when the model repeats them', async () => {
  await using relay = await startRelay({ toolCalls: 'full' });
  const { sessionSecret } = relay.host;
  relay.host.onChat(
    say(`It is ${sessionSecret.slice(0, 9)}`, sessionSecret.slice(9), ` and ${API_KEY}`, ' session-CANARY-1'),
  );
  const started = await relay.post('/session', {});
  const startedText = await started.text();
  const session = JSON.parse(startedText);
  const answer = await relay.chat(session, 'What is your secret?');
  const seen = startedText + (await answer.text()) + (await (await relay.about(session, 'GET')).text());
  assert.match(seen, /It is \[redacted\]/);
  assert.doesNotMatch(seen, /CANARY/);
});

test('a visitor’s credential goes to the host in place of the key, and the session never falls back to the key', async () => {
  await using relay = await startRelay();
  const headers = { authorization: 'Bearer visitor-credential' };
  const session = await relay.startSession(headers);
  await readEvents(await relay.chat(session, 'Hi', { headers }));
  const refused = await relay.chat(session, 'Hi again');
  assert.equal(refused.status, 401);
  assert.equal((await refused.json()).code, 'credential_rejected');
  assert.equal((await relay.about(session, 'DELETE')).status, 204);
  assert.deepEqual(
    relay.host.requests.map((request) => [request.headers.authorization, request.headers['x-api-key']]),
    [
      ['Bearer visitor-credential', undefined],
      ['Bearer visitor-credential', undefined],
    ],
  );
});

test('a page can choose among the applications that the owner listed and no others', async () => {
  await using relay = await startRelay();
  const chosen = await relay.post('/session', { application: 'app-2' });
  await readEvents(await relay.chat(await chosen.json(), 'Hi'));
  assert.deepEqual(
    relay.host.requests.map(({ url }) => url),
    ['/stream/app-2/session', '/stream/app-2/chat'],
  );
  const other = await relay.post('/session', { application: 'app-3' });
  assert.equal(other.status, 400);
  assert.equal((await other.json()).field, 'application');
  assert.equal(relay.host.requests.length, 2);
});

test('what the store holds of a session has neither its token nor its secret', async () => {
  await using relay = await startRelay();
  const session = await relay.startSession();
  const stored = await relay.store.get(`session:${session.sessionId}`);
  const text = JSON.stringify(stored?.value);
  assert.match(text, /sealedSecret/);
  assert.ok(!text.includes(relay.host.sessionSecret));
  assert.ok(!text.includes(session.token));
});

test('a page that was reloaded gets the conversation so far, neighbouring chunks as one', async () => {
  await using relay = await startRelay();
  const session = await relay.startSession();
  relay.host.onChat(say('One ', 'two ', 'three'));
  await readEvents(await relay.chat(session, 'Count', { messageId: 'm-1' }));
  const snapshot = await (await relay.about(session, 'GET')).json();
  assert.equal(snapshot.initialMessage, session.initialMessage);
  assert.equal(snapshot.isHistoryGone, false);
  assert.equal(snapshot.runningTurn, undefined);
  assert.deepEqual(
    snapshot.events.map(({ type, turn, sequence }: Record<string, unknown>) => [type, turn, sequence]),
    [
      ['question', 1, 1],
      ['chunk', 1, 4],
      ['complete', 1, 5],
      ['done', 1, 6],
    ],
  );
  assert.deepEqual(snapshot.events[0].data.message, 'Count');
  assert.deepEqual(snapshot.events[1].data.chunk, 'One two three');
});

test('a program without an origin is served like a page', async () => {
  await using relay = await startRelay();
  const started = await fetch(`${relay.url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(started.status, 201);
  const { sessionId, token } = await started.json();
  const withoutOrigin = await fetch(`${relay.url}/session/${sessionId}`, { headers: { 'x-session-token': token } });
  assert.equal(withoutOrigin.status, 200);
  // Its token is no page's.
  const fromPage = await fetch(`${relay.url}/session/${sessionId}`, {
    headers: { 'x-session-token': token, origin: PAGE },
  });
  assert.equal(fromPage.status, 404);
});

test('a session ends after an hour of the relay’s clock, whatever the host’s clock says [S2.32, S2.33]', async () => {
  let nowMs = Date.now();
  await using relay = await startRelay({ now: () => nowMs });
  const session = await relay.startSession();
  assert.equal(session.createdAt, new Date(nowMs).toISOString());
  nowMs += 3_600_000 - 1;
  assert.equal((await relay.about(session, 'GET')).status, 200);
  nowMs += 1;
  const late = await relay.chat(session, 'Still there?');
  assert.equal(late.status, 410);
  assert.equal((await late.json()).code, 'session_expired');
  assert.equal(relay.host.chats().length, 0);
  assert.equal((await relay.about(session, 'DELETE')).status, 204);
});
