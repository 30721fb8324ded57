import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AgentHostError } from '../../relay/agent-host/agent-host.ts';
import { HttpAgentHost } from '../../relay/agent-host/http-agent-host.ts';
import { expectedCode, expectedText, FAULTS, type FaultCase } from '../support/fault-cases.ts';
import { type FaultyHost, FULL_TEXT, startFaultyHost } from '../support/faulty-host.ts';
import { APPLICATION, KEY, type PlayedTurn, playTurn, startSession } from '../support/host-turn.ts';

const API_KEY = 'key-0123456789-canary';
/** Long enough for a loaded machine, short enough to wait for. */
const IDLE_MS = 1_500;

let faulty: FaultyHost;
let host: HttpAgentHost;
before(async () => {
  faulty = await startFaultyHost();
  host = new HttpAgentHost({ baseUrl: faulty.url, apiKey: API_KEY, idleMs: IDLE_MS, startMs: IDLE_MS, endMs: IDLE_MS });
});
after(async () => {
  host.close();
  await faulty.close();
});

function assertFailure(failure: unknown, code: string | undefined): asserts failure is AgentHostError {
  assert.ok(failure instanceof AgentHostError, `an AgentHostError and not ${String(failure)}`);
  assert.equal(failure.code, code);
  assertSaysNothing(`${failure.message} ${String(failure.cause)}`);
}

/** No body, key or secret of the host stands in what the operator reads. */
function assertSaysNothing(text: string): void {
  assert.doesNotMatch(text, /canary|p9QzT2|session-\d|10\.0\.0\.7/);
}

function assertOutcome(fault: FaultCase, turn: PlayedTurn): void {
  const hostError = turn.events.find((event) => event.type === 'error');
  switch (fault.expect.outcome) {
    case 'complete':
      assert.equal(turn.failure, undefined);
      assert.equal(hostError, undefined);
      assert.equal(turn.events.at(-1)?.type, 'done');
      break;
    case 'error':
      // A failure that the host tells of is an event; every other one is thrown.
      if (hostError) assert.equal(turn.failure, undefined);
      else assertFailure(turn.failure, expectedCode(fault));
      if (expectedCode(fault) === 'upstream_error' && fault.expect.status === undefined) assert.ok(hostError);
      break;
    default:
      if (turn.failure !== undefined) assert.ok(turn.failure instanceof AgentHostError);
  }
  const text = expectedText(fault);
  if (text !== undefined) assert.equal(turn.text, text);
  if (fault.expect.tools !== undefined) assert.equal(turn.toolCalls, fault.expect.tools);
}

describe('each fault of a turn ends as its case says', { concurrency: 8 }, () => {
  for (const fault of FAULTS.filter(({ via }) => via === 'message')) {
    test(`the turn "${fault.name}" is ${fault.expect.outcome} ${fault.expect.code ?? ''}`.trimEnd(), async () => {
      const session = await startSession(host);
      const message = fault.name === 'count' ? 'fault:count n=40 ms=2' : `fault:${fault.name}`;
      if (fault.name === 'http-429-then-ok') {
        assertFailure((await playTurn(host, session, message)).failure, 'rate_limited');
      }
      const turn = await playTurn(host, session, message);

      assertOutcome(fault, turn);
      const posts = faulty.requests.filter(({ body }) => body.includes(session.hostSessionId));
      assert.equal(posts.length, fault.name === 'http-429-then-ok' ? 2 : 1, 'one message is one request');
      await posts.at(-1)!.closed;
    });
  }

  test('after "kill-session" the next message is told that the session has expired', async () => {
    const session = await startSession(host);
    await playTurn(host, session, 'fault:kill-session st=404');
    assertFailure((await playTurn(host, session, 'still there?')).failure, 'session_expired');
  });

  test('after "keepalive-race" the next message arrives, once', async () => {
    const session = await startSession(host);
    assert.equal((await playTurn(host, session, 'fault:keepalive-race')).text, FULL_TEXT);
    assert.equal((await playTurn(host, session, 'and once more')).text, FULL_TEXT);
    assert.equal(faulty.requests.filter(({ body }) => body.includes('and once more')).length, 1);
  });
});

describe('each fault of a session ends as its case says', () => {
  const signal = new AbortController().signal;

  for (const fault of FAULTS.filter(({ via, name }) => via === 'userId' && name.startsWith('s-'))) {
    test(
      `the start of a session "${fault.name}" is ${fault.expect.outcome} ${fault.expect.code ?? ''}`.trimEnd(),
      async () => {
        const session = await startSession(host, `fault:${fault.name}`).catch((error: unknown) => error);
        if (fault.expect.outcome === 'error') assertFailure(session, expectedCode(fault));
        else if (session instanceof Error) assertFailure(session, 'upstream_protocol');
        else assert.equal((session as { sessionSecret: string }).sessionSecret, faulty.sessions.at(-1)!.sessionSecret);
      },
    );
  }

  for (const fault of FAULTS.filter(({ via, name }) => via === 'userId' && name.startsWith('d-'))) {
    test(`the end of a session "${fault.name}" is ${fault.expect.outcome} within its time`, async () => {
      const { hostSessionId } = await startSession(host, `fault:${fault.name}`);
      const ending = host.endSession({ application: APPLICATION, hostSessionId, credential: KEY }, signal);
      if (fault.expect.outcome === 'complete') await ending;
      else await assert.rejects(ending, AgentHostError);
    });
  }
});
