import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Problem } from '../../relay/protocol/error-codes.ts';
import type { StartedSession } from '../../relay/protocol/requests.ts';
import { PAGE, type RelayUnderTest, startRelay } from '../support/relay-under-test.ts';

let relay: RelayUnderTest;
let session: StartedSession;
before(async () => {
  relay = await startRelay();
  session = await relay.startSession();
});
after(() => relay[Symbol.asyncDispose]());

async function assertProblem(answer: Response, expected: Partial<Problem>): Promise<Problem> {
  assert.equal(answer.headers.get('content-type'), 'application/problem+json; charset=utf-8');
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  const problem: Problem = await answer.json();
  for (const [member, value] of Object.entries(expected)) assert.equal(problem[member as keyof Problem], value, member);
  assert.equal(answer.status, problem.status);
  assert.equal(answer.headers.get('x-request-id'), problem.requestId);
  assert.equal(typeof problem.title, 'string');
  assert.equal(problem.type, `urn:parley:problem:${problem.code}`);
  return problem;
}

const chat = (body: unknown) => relay.post('/chat', body, { 'x-session-token': session.token });

const invalid = { code: 'invalid_request', status: 400 } as const;
const WRONG_SESSION_STARTS: [what: string, body: unknown, field: string, received: string][] = [
  ['null', null, 'body', 'null'],
  ['a list', [], 'body', 'a list'],
  ['a number', 5, 'body', 'a number'],
  ['a text', '"x"', 'body', 'a text of 1 characters'],
  ['a userId that is a number', { userId: 5 }, 'userId', 'a number'],
  ['a userId that is null', { userId: null }, 'userId', 'null'],
  ['an empty userId', { userId: '' }, 'userId', 'a blank text'],
  ['a long userId', { userId: 'x'.repeat(257) }, 'userId', 'a text of 257 characters'],
  [
    'a userId with CR and LF',
    { userId: 'a\r\nX-Api-Key: b' },
    'userId',
    'a text of 15 characters, some of them control characters',
  ],
  ['an application that is a list', { application: ['app-1'] }, 'application', 'a list'],
  ['an unknown application', { application: '../../admin' }, 'application', 'a text of 11 characters'],
];
for (const [what, body, field, received] of WRONG_SESSION_STARTS) {
  test(`POST /session with ${what} is refused with the field, what came and what is expected`, async () => {
    const problem = await assertProblem(await relay.post('/session', body === null ? 'null' : body), {
      ...invalid,
      field,
      received,
    });
    assert.ok(problem.expected);
    assert.ok(problem.example);
    assert.equal(problem.retryable, false);
  });
}

const WRONG_CHATS: [what: string, body: Record<string, unknown>, field: string, received: string][] = [
  ['no message', {}, 'message', 'nothing'],
  ['a message that is null', { message: null }, 'message', 'null'],
  ['a message that is an object', { message: {} }, 'message', 'an object'],
  ['a message that is a list', { message: ['a'] }, 'message', 'a list'],
  ['an empty message', { message: '' }, 'message', 'a blank text'],
  ['a blank message', { message: ' \n\t ' }, 'message', 'a blank text'],
  ['a messageId that is a number', { message: 'Hi', messageId: 1 }, 'messageId', 'a number'],
  [
    'a messageId with a line break',
    { message: 'Hi', messageId: 'a\nb' },
    'messageId',
    'a text of 3 characters, some of them control characters',
  ],
  ['a long messageId', { message: 'Hi', messageId: 'x'.repeat(129) }, 'messageId', 'a text of 129 characters'],
  ['a sessionId that is a number', { message: 'Hi', sessionId: 5 }, 'sessionId', 'a number'],
];
for (const [what, body, field, received] of WRONG_CHATS) {
  test(`POST /chat with ${what} is refused with the field, what came and what is expected`, async () => {
    const answer = await chat({ sessionId: session.sessionId, ...body });
    const problem = await assertProblem(answer, { ...invalid, field, received });
    assert.ok(problem.expected);
  });
}

for (const path of ['/session', '/chat']) {
  test(`POST ${path} takes nothing but JSON`, async () => {
    await assertProblem(await relay.post(path, '{'), { ...invalid, field: 'body', expected: 'a JSON object' });
    for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded', '']) {
      const answer = await relay.post(path, '{"message":"Hi"}', { 'content-type': type });
      await assertProblem(answer, { code: 'unsupported_media_type', status: 415 });
    }
    const compressed = await relay.post(path, '{}', { 'content-encoding': 'gzip' });
    await assertProblem(compressed, { code: 'unsupported_media_type' });
  });
}

test('a message may have as many bytes as the owner allows and not one more', async () => {
  const exact = await chat({ sessionId: session.sessionId, message: 'ü'.repeat(8_192) });
  assert.equal(exact.status, 200);
  await exact.text();
  const over = await chat({ sessionId: session.sessionId, message: `${'ü'.repeat(8_192)}x` });
  await assertProblem(over, {
    code: 'message_too_long',
    status: 413,
    field: 'message',
    expected: 'at most 16384 bytes of UTF-8',
    received: '16385 bytes',
  });
  const huge = await chat({ sessionId: session.sessionId, message: 'x'.repeat(1_000_000) });
  await assertProblem(huge, { code: 'message_too_long', status: 413 });
});

test('an unknown session, another’s session, a wrong token, no token and another page are one answer', async () => {
  const other = await relay.startSession();
  const foreignPage = { origin: 'http://localhost:4000', 'x-session-token': session.token };
  const asks: [string, string, Record<string, string>][] = [
    ['AAAAAAAAAAAAAAAAAAAAAA', 'unknown', { 'x-session-token': session.token }],
    [other.sessionId, 'another’s', { 'x-session-token': session.token }],
    [session.sessionId, 'wrong token', { 'x-session-token': `${session.token.slice(0, -1)}!` }],
    [session.sessionId, 'no token', {}],
    [session.sessionId, 'another page', foreignPage],
    ['%00', 'no id', { 'x-session-token': session.token }],
    ['..%2f..%2fadmin', 'a path', { 'x-session-token': session.token }],
    ['__proto__', 'a name of JavaScript', { 'x-session-token': session.token }],
  ];
  const calls: [string, string][] = [
    ['GET', ''],
    ['GET', '/events'],
    ['POST', '/stop'],
    ['DELETE', ''],
  ];
  for (const [id, what, headers] of asks) {
    for (const [method, path] of calls) {
      const answer = await fetch(`${relay.url}/session/${id}${path}`, {
        method,
        headers: { origin: PAGE, ...headers },
      });
      const { requestId: _, ...told } = await assertProblem(answer, { code: 'unknown_session', status: 404 });
      assert.deepEqual(
        told,
        {
          type: 'urn:parley:problem:unknown_session',
          title: 'This conversation is not known.',
          status: 404,
          detail: 'This conversation is not known.',
          code: 'unknown_session',
          retryable: false,
        },
        what,
      );
    }
  }
  const posted = await relay.post(
    '/chat',
    { sessionId: other.sessionId, message: 'Hi' },
    { 'x-session-token': session.token },
  );
  await assertProblem(posted, { code: 'unknown_session' });
});

test('a place to continue from that no event has is refused', async () => {
  for (const id of ['17', 'x:1', '1:2:3', '1:-1', '_GET_stream_1']) {
    const answer = await relay.about(session, 'GET', '/events', { 'last-event-id': id });
    await assertProblem(answer, { ...invalid, field: 'last-event-id', example: '3:17' });
  }
});

test('an address that the relay does not have is a problem of its own', async () => {
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/chat'],
    ['PUT', '/session'],
    ['GET', '/session/a/b/c'],
    ['GET', '/widget.js'],
    ['POST', '/healthz'],
  ] as const) {
    await assertProblem(await fetch(relay.url + path, { method }), { code: 'not_found', status: 404 });
  }
  await assertProblem(await fetch(`${relay.url}/session/%E0%A4%A`), invalid);
});
