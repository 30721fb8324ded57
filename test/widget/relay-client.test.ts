import assert from 'node:assert/strict';
import { afterEach, beforeEach, suite, test } from 'node:test';
import type { ReceivedEvent } from '../../widget/reduce.ts';
import {
  type Authorization,
  RelayClient,
  RelayProblemError,
  RelayUnreachableError,
  type SessionAccess,
} from '../../widget/relay-client.ts';
import { ScriptedRelay } from '../support/scripted-relay.ts';

const START = { turn: 0, sequence: 0 };
const signal = new AbortController().signal;
let relay: ScriptedRelay;

beforeEach(async () => {
  relay = await ScriptedRelay.start();
});

afterEach(() => relay.close());

function clientFor(authorization?: Authorization): RelayClient {
  return new RelayClient(relay.address, () => authorization, fetch);
}

function rejectOnce(): void {
  relay.intercept = ({ route, response }) =>
    relay.count(route) === 1 && relay.refuse(response, 401, 'credential_rejected');
}

suite('the relay’s interface as the widget calls it', { timeout: 10_000 }, () => {
  test('a message is streamed in batches, and an empty batch is a sign of life', async () => {
    const client = clientFor();
    const session = await client.startSession({ userId: 'visitor-1' }, signal);
    const batches = await client.sendMessage(session, { message: 'Hi', messageId: 'message-1' }, START, signal);
    const received: ReceivedEvent[] = [];
    let signsOfLife = 0;
    for await (const batch of batches) {
      received.push(...batch);
      if (received.length === 1 && signsOfLife === 0)
        for (const { response } of relay.session.readers) response.write(':\n\n');
      if (batch.length === 0 && signsOfLife++ === 0) relay.say((events) => [events.chunk('Hello'), events.done()]);
    }
    assert.deepEqual(
      received.map(({ type, turn, sequence }) => [type, turn, sequence]),
      [
        ['question', 1, 1],
        ['chunk', 1, 2],
        ['done', 1, 3],
      ],
    );
    assert.ok(signsOfLife > 0);
  });

  test('a credential that the page gives is sent as it is', async () => {
    await clientFor('Bearer visitor').startSession({}, signal);
    assert.equal((await relay.called('POST /session')).headers.authorization, 'Bearer visitor');
  });

  test('without a credential no Authorization header is sent', async () => {
    await clientFor().startSession({}, signal);
    assert.equal((await relay.called('POST /session')).headers.authorization, undefined);
  });

  test('a function that gives the credential is asked once more after the relay has rejected it', async () => {
    const given = ['Bearer old', 'Bearer new'];
    const client = clientFor(async () => given.shift());
    rejectOnce();
    await client.startSession({}, signal);
    assert.deepEqual(
      relay.calls.map(({ headers }) => headers.authorization),
      ['Bearer old', 'Bearer new'],
    );
  });

  test('a message whose credential was rejected goes out again under the same id', async () => {
    const client = clientFor(() => 'Bearer visitor');
    const session = await client.startSession({}, signal);
    rejectOnce();
    await client.sendMessage(session, { message: 'Hi', messageId: 'message-1' }, START, signal);
    assert.deepEqual(
      relay.calls.filter(({ route }) => route === 'POST /chat').map(({ body }) => body.messageId),
      ['message-1', 'message-1'],
    );
    assert.equal(relay.session.turnOfMessage.size, 1);
  });

  test('a credential that is rejected twice is a problem, and so is a fixed one that is rejected once', async () => {
    relay.intercept = ({ response }) => relay.refuse(response, 401, 'credential_rejected');
    await assert.rejects(
      clientFor(() => 'Bearer visitor').startSession({}, signal),
      (error) => error instanceof RelayProblemError && error.problem.code === 'credential_rejected',
    );
    assert.equal(relay.calls.length, 2);
    await assert.rejects(clientFor('Bearer visitor').startSession({}, signal), RelayProblemError);
    assert.equal(relay.calls.length, 3);
  });

  test('a page whose function fails has no credential, and nothing is sent without one', async () => {
    const client = clientFor(() => Promise.reject(new Error('not logged in')));
    await assert.rejects(
      client.startSession({}, signal),
      (error) => error instanceof RelayProblemError && error.problem.code === 'credential_rejected',
    );
    assert.equal(relay.calls.length, 0);
  });

  test('a problem of the relay is read with what it says, and with a code that the widget does not know', async () => {
    relay.intercept = ({ response }) => {
      response.writeHead(429, { 'content-type': 'application/problem+json' });
      response.end(JSON.stringify({ code: 'quite_new', retryAfterMs: 2_000, requestId: 'request-7', detail: 7 }));
      return true;
    };
    await assert.rejects(clientFor().startSession({}, signal), (error) => {
      assert.ok(error instanceof RelayProblemError);
      assert.deepEqual(error.problem, {
        code: 'quite_new',
        detail: '',
        retryable: true,
        retryAfterMs: 2_000,
        requestId: 'request-7',
      });
      return true;
    });
  });

  for (const [name, status, body] of [
    ['HTML', 502, '<html>Bad gateway</html>'],
    ['JSON without a code', 500, '{"error":"boom"}'],
    ['a list', 500, '[]'],
    ['null', 500, 'null'],
    ['a session without a token', 201, '{"sessionId":"1"}'],
    ['HTML with status 200', 200, '<html></html>'],
  ] as const) {
    test(`${name} (${status}) is not the relay’s answer`, async () => {
      relay.intercept = ({ response }) => {
        response.writeHead(status).end(body);
        return true;
      };
      await assert.rejects(clientFor().startSession({}, signal), RelayUnreachableError);
    });
  }

  test('a redirect is not followed, so that a token goes nowhere else', async () => {
    relay.intercept = ({ route, response }) => {
      if (route !== 'GET /session/:id') return false;
      response.writeHead(302, { location: '/elsewhere' }).end();
      return true;
    };
    const client = clientFor();
    const session = await client.startSession({}, signal);
    await assert.rejects(client.readSession(session, signal), RelayUnreachableError);
    assert.equal(relay.count('GET /elsewhere'), 0);
  });

  test('a relay that is not there is unreachable', async () => {
    const client = new RelayClient('http://127.0.0.1:1', () => undefined, fetch);
    await assert.rejects(client.startSession({}, signal), RelayUnreachableError);
  });

  test('aborting rejects with the signal’s reason, in every step', async () => {
    const client = clientFor();
    const session = await client.startSession({}, signal);
    const reason = new Error('the page was left');
    const aborting = new AbortController();
    const batches = await client.sendMessage(
      session,
      { message: 'Hi', messageId: 'message-1' },
      START,
      aborting.signal,
    );
    await relay.streams(1);
    aborting.abort(reason);
    await assert.rejects(async () => {
      for await (const _ of batches);
    }, reason);
    await relay.streams(0);
    await assert.rejects(client.stop(session, aborting.signal), reason);
    await assert.rejects(client.readEvents(session, START, aborting.signal), reason);
    assert.equal(relay.count('POST /session/:id/stop'), 0);
  });

  test('whoever stops reading closes the connection', async () => {
    const client = clientFor();
    const session = await client.startSession({}, signal);
    for await (const _ of await client.sendMessage(session, { message: 'Hi', messageId: 'm' }, START, signal)) break;
    await relay.streams(0);
  });

  test('a session’s id cannot climb out of its path', async () => {
    const session: SessionAccess = { sessionId: '../chat', token: 'token-1' };
    await assert.rejects(clientFor().readSession(session, signal), RelayProblemError);
    assert.equal(relay.calls[0]?.route, 'GET /session/:id');
  });

  test('events that cannot be read, or are of an unknown type, only count; what ends a turn ends it in any case', async () => {
    const client = clientFor();
    const session = await client.startSession({}, signal);
    relay.intercept = ({ route, response }) => {
      if (route !== 'GET /session/:id/events') return false;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(
        [
          ['future', '{"x":1}'],
          ['chunk', '{"chunk":7}'],
          ['chunk', 'not json'],
          ['tool-call', '{"toolCall":null}'],
          ['toString', '{}'],
          ['error', 'not json'],
          ['done', 'null'],
        ]
          .map(([type, data], index) => `id: 1:${index + 1}\ntype: ${type}\ndata: ${data}\n\n`)
          .join(''),
      );
      return true;
    };
    const received: ReceivedEvent[] = [];
    for await (const batch of await client.readEvents(session, START, signal)) received.push(...batch);
    assert.deepEqual(
      received.map(({ type }) => type),
      ['unknown', 'unknown', 'unknown', 'unknown', 'unknown', 'error', 'done'],
    );
    assert.deepEqual(
      received.map(({ sequence }) => sequence),
      [1, 2, 3, 4, 5, 6, 7],
    );
  });
});
