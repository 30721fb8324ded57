/** Every fault of `test/cases/stream-faults.json`, through the whole relay: what a browser is told, and what it costs the host. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ErrorCode } from '../../relay/protocol/error-codes.ts';
import type { StartedSession } from '../../relay/protocol/requests.ts';
import { answerOf, type ReadEvent, readEvents } from '../support/event-reader.ts';
import { expectedText, FAULTS, type FaultCase } from '../support/fault-cases.ts';
import { type FaultyHost, FULL_TEXT, startFaultyHost } from '../support/faulty-host.ts';
import { type RelayUnderTest, startRelay } from '../support/relay-under-test.ts';

const IDLE_MS = 2_000;

/** The host's status, the code, and the status that the browser gets. */
const OF_STATUS: Readonly<Record<number, [code: ErrorCode, status: number]>> = {
  401: ['misconfigured', 502],
  403: ['misconfigured', 502],
  408: ['upstream_timeout', 504],
  409: ['upstream_rejected', 502],
  410: ['session_expired', 410],
  413: ['upstream_rejected', 502],
  415: ['upstream_rejected', 502],
  418: ['upstream_rejected', 502],
  429: ['rate_limited', 429],
  500: ['upstream_error', 502],
  501: ['upstream_error', 502],
  503: ['upstream_busy', 503],
  504: ['upstream_timeout', 504],
};
/** What no answer of the relay may hold: the host's secrets, and the texts with which the faulty host refuses. */
const NEVER = /p9QzT2mX|session-192838110457|sk-CANARY|10\.0\.0\.7|canary|<html|<script|<h1/i;

let faulty: FaultyHost;
let relay: RelayUnderTest;
before(async () => {
  faulty = await startFaultyHost();
  relay = await startRelay({ hostUrl: faulty.url, idleMs: IDLE_MS, toolCalls: 'full' });
});
after(async () => {
  await relay[Symbol.asyncDispose]();
  await faulty.close();
});

interface Told {
  readonly events: readonly ReadEvent[];
  /** Of the problem answer, or of the `error` event. */
  readonly code: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly text: string;
  readonly status: number;
}

async function ask(session: StartedSession, message: string): Promise<Told> {
  const answer = await relay.chat(session, message);
  const { status } = answer;
  const bytes = await answer.bytes();
  const seen = new TextDecoder().decode(bytes);
  if (status !== 200) {
    assert.doesNotMatch(seen, NEVER);
    const { code, retryAfterMs } = JSON.parse(seen);
    return { events: [], code, retryAfterMs, text: '', status };
  }
  const events = await readEvents(new Response(bytes));
  assert.doesNotMatch(JSON.stringify(events.filter(({ type }) => type !== 'question')), NEVER);
  const error = events.find(({ type }) => type === 'error')?.data;
  return { events, code: error?.code, retryAfterMs: error?.retryAfterMs, text: answerOf(events), status };
}

function assertTold(fault: FaultCase, told: Told): void {
  const { outcome, code, status, retryAfter, tools } = fault.expect;
  const isAnswered = told.status === 200;
  // However a turn ends, its stream says so.
  if (isAnswered) assert.equal(told.events.at(-1)?.type, 'done');
  if (outcome === 'complete') assert.equal(told.code, undefined);
  if (outcome === 'error') {
    const [ofStatus, ownStatus] = OF_STATUS[status ?? 0] ?? [];
    assert.equal(told.code, code === 'by_status' ? ofStatus : code);
    if (ownStatus) assert.equal(told.status, ownStatus);
  }
  if (retryAfter !== undefined) {
    assert.ok(told.retryAfterMs === undefined || (told.retryAfterMs >= 1_000 && told.retryAfterMs <= 3_600_000));
    if (retryAfter === '2') assert.equal(told.retryAfterMs, 2_000);
  }
  const text = expectedText(fault);
  if (text !== undefined) assert.equal(told.text, text);
  if (tools !== undefined) assert.equal(told.events.filter(({ type }) => type === 'tool-call').length, tools);
}

describe('each fault of a turn is told as its case says', { concurrency: 6 }, () => {
  for (const fault of FAULTS.filter(({ via }) => via === 'message')) {
    const { name, expect } = fault;
    test(`the turn "${name}" is ${expect.outcome} ${expect.code ?? ''}`.trimEnd(), async () => {
      const session = await relay.startSession();
      const message = name === 'count' ? 'fault:count n=40 ms=2' : `fault:${name}`;
      const isTwice = name === 'http-429-then-ok';
      if (isTwice) assert.equal((await ask(session, message)).code, 'rate_limited');
      const told = await ask(session, message);

      assertTold(fault, told);
      const hosted = faulty.sessions.find(({ userId }) => userId === session.userId);
      const posts = faulty.requests.filter(
        ({ path, body }) => path.endsWith('/chat') && body.includes(hosted!.sessionId),
      );
      assert.equal(posts.length, isTwice ? 2 : 1, 'one message is one request');
      await posts.at(-1)?.closed;

      // The composer is usable: the next message is taken, and the conversation so far can be read.
      const snapshot = await (await relay.about(session, 'GET')).json();
      assert.equal(snapshot.runningTurn, undefined);
      if (name !== 'kill-session') assert.equal((await ask(session, 'and now?')).text, FULL_TEXT);
    });
  }
});

describe('each fault of a session is told as its case says', () => {
  for (const fault of FAULTS.filter(({ via, name }) => via === 'userId' && name.startsWith('s-'))) {
    const { name, expect } = fault;
    test(`the start of a session "${name}" is ${expect.outcome} ${expect.code ?? ''}`.trimEnd(), async () => {
      const answer = await relay.post('/session', { userId: `fault:${name}` });
      const text = await answer.text();
      assert.doesNotMatch(text, NEVER);
      if (expect.outcome === 'error') {
        const [code, status] = OF_STATUS[expect.status ?? 0] ?? [expect.code, undefined];
        assert.equal(JSON.parse(text).code, code);
        if (status) assert.equal(answer.status, status);
      } else if (answer.status === 201) {
        assert.equal((await ask(JSON.parse(text), 'Hi')).text, FULL_TEXT);
      } else {
        assert.equal(JSON.parse(text).code, 'upstream_protocol');
      }
    });
  }

  for (const { name } of FAULTS.filter(({ via, name }) => via === 'userId' && name.startsWith('d-'))) {
    test(`however the host ends a session ("${name}"), here it is ended at once`, async () => {
      const session = await (await relay.post('/session', { userId: `fault:${name}` })).json();
      const startedAtMs = performance.now();
      assert.equal((await relay.about(session, 'DELETE')).status, 204);
      assert.ok(performance.now() - startedAtMs < 2_000);
      assert.equal((await relay.about(session, 'GET')).status, 404);
      await faulty.nextRequest(({ method, path }) => method === 'DELETE' && path.length > 0);
    });
  }
});

test('when all turns are over, the host has its sockets back', async () => {
  // Those of session calls are kept for the next one.
  await faulty.openSockets((count) => count <= 8);
});
