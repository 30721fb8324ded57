import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { AgentHostError, type HostSession } from '../../relay/agent-host/agent-host.ts';
import { HttpAgentHost, type HttpAgentHostOptions } from '../../relay/agent-host/http-agent-host.ts';
import type { HostEvent } from '../../relay/protocol/events.ts';
import { type FaultyHost, FULL_TEXT, startFaultyHost } from '../support/faulty-host.ts';
import { APPLICATION, KEY, playTurn, startSession, textOf } from '../support/host-turn.ts';
import { memoryInUse } from '../support/memory-in-use.ts';

const API_KEY = 'key-0123456789-canary';
const never = new AbortController().signal;

let faulty: FaultyHost;
let session: HostSession;
const hosts: HttpAgentHost[] = [];

function hostWith(options: Partial<HttpAgentHostOptions> = {}): HttpAgentHost {
  const host = new HttpAgentHost({ baseUrl: faulty.url, apiKey: API_KEY, ...options });
  hosts.push(host);
  return host;
}

before(async () => {
  faulty = await startFaultyHost();
  session = await startSession(hostWith());
});
after(async () => {
  for (const host of hosts) host.close();
  await faulty.close();
});

/** The one request whose body holds this text. */
const requestWith = (text: string) => faulty.nextRequest(({ body }) => body.includes(text));

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AgentHostError, `an AgentHostError and not ${String(error)}`);
  return error.code;
}

describe('what the host is asked', () => {
  test('a session starts with the user id, under the key and nothing else [S2.1, S2.5, S2.8]', async () => {
    const started = await startSession(hostWith(), 'user "7" ü');
    const request = await requestWith('user \\"7\\" ü');
    assert.equal(request.path, '/stream/app-1/session');
    assert.deepEqual(JSON.parse(request.body), { userId: 'user "7" ü' });
    assert.equal(request.headers['x-api-key'], API_KEY);
    assert.equal(request.headers.authorization, undefined);
    assert.equal(request.headers['content-type'], 'application/json');
    assert.deepEqual(Object.keys(started).sort(), ['hostSessionId', 'initialMessage', 'sessionSecret']);
    assert.equal(started.initialMessage, 'Hello! How can I assist you today?');
  });

  test('a message goes with the session secret in its header, asking for an uncompressed stream [S2.2, S2.15, S2.16]', async () => {
    const turn = await playTurn(hostWith(), session, 'how are you, 世界?');
    const request = await requestWith('how are you, 世界?');
    assert.equal(request.path, '/stream/app-1/chat');
    assert.deepEqual(JSON.parse(request.body), { sessionId: session.hostSessionId, message: 'how are you, 世界?' });
    assert.equal(request.headers['x-session-secret'], session.sessionSecret);
    assert.equal(request.headers['accept-encoding'], 'identity');
    assert.equal(request.headers.accept, 'text/event-stream');
    assert.equal(request.headers.connection, 'close');
    assert.equal(turn.text, FULL_TEXT);
  });

  test("a visitor's own credential goes as it is, and then the key does not [S2.3, S2.4]", async () => {
    const credential = { type: 'visitor', authorization: 'Bearer  abc.def==' } as const;
    const host = hostWith();
    const mine = await host.startSession({ application: APPLICATION, userId: 'signed-in', credential }, never);
    await host.streamTurn({ application: APPLICATION, ...mine, message: 'my orders', credential }, never);
    await host.endSession({ application: APPLICATION, ...mine, credential }, never);
    const [first, second] = [await requestWith('signed-in'), await requestWith('my orders')];
    const third = await faulty.nextRequest(({ path }) => path.endsWith(mine.hostSessionId));
    for (const { headers } of [first, second, third]) {
      assert.equal(headers.authorization, 'Bearer  abc.def==');
      assert.equal(headers['x-api-key'], undefined);
    }
  });

  test("a visitor's credential that no header can carry is rejected before anything is sent", async () => {
    const credential = { type: 'visitor', authorization: 'Bearer a\r\nX-Api-Key: b' } as const;
    const call = hostWith().startSession({ application: APPLICATION, userId: 'crlf-visitor', credential }, never);
    assert.equal(await codeOf(call), 'credential_rejected');
    assert.equal(
      faulty.requests.some(({ body }) => body.includes('crlf-visitor')),
      false,
    );
  });

  test('a visitor whose credential the host refuses is told so, while the key refused is our own fault', async () => {
    const credential = { type: 'visitor', authorization: 'Bearer x' } as const;
    for (const status of [401, 403]) {
      const turn = { application: APPLICATION, ...session, message: `fault:http-${status}` };
      assert.equal(await codeOf(hostWith().streamTurn({ ...turn, credential }, never)), 'credential_rejected');
      assert.equal(await codeOf(hostWith().streamTurn({ ...turn, credential: KEY }, never)), 'misconfigured');
    }
  });

  test('no part of a path climbs out of its place', async () => {
    const host = hostWith({ baseUrl: `${faulty.url}/below/` });
    const reference = { application: '../a b/c', hostSessionId: '../../admin?x#y%2f', credential: KEY };
    await host.endSession(reference, never);
    const path = '/below/stream/..%2Fa%20b%2Fc/session/..%2F..%2Fadmin%3Fx%23y%252f';
    assert.equal((await faulty.nextRequest((request) => request.path.startsWith('/below'))).path, path);
  });

  test('a redirect is not followed, neither with the credential nor without', async () => {
    const straysBefore = faulty.stats.strays;
    for (const name of ['redirect-302-get', 'redirect-307']) {
      const { failure } = await playTurn(hostWith(), session, `fault:${name}`);
      assert.equal((failure as AgentHostError).code, 'upstream_protocol');
    }
    assert.equal(await codeOf(startSession(hostWith(), 'fault:s-redirect')), 'upstream_protocol');
    assert.equal(faulty.stats.strays, straysBefore);
  });
});

describe('connections', () => {
  test('each turn has one of its own, and starting sessions share one', async () => {
    const host = hostWith();
    await startSession(host, 'shares-1');
    await startSession(host, 'shares-2');
    assert.equal((await requestWith('shares-1')).closed, (await requestWith('shares-2')).closed);
    await playTurn(host, session, 'first of two');
    await playTurn(host, session, 'second of two');
    const [first, second] = [await requestWith('first of two'), await requestWith('second of two')];
    assert.notEqual(first.closed, second.closed);
    await Promise.all([first.closed, second.closed]);
  });

  test('a kept connection that has died costs the start of a session one more try, which the caller does not notice', async () => {
    const host = hostWith();
    await startSession(host, 'fault:s-then-dead-connection');
    const started = await startSession(host, 'over-a-dead-connection');
    assert.equal(started.hostSessionId, faulty.sessions.at(-1)!.sessionId);
    assert.equal(faulty.requests.filter(({ body }) => body.includes('over-a-dead-connection')).length, 2);
  });

  test('all are closed again after whatever happened to fifty turns', async () => {
    const host = hostWith({ idleMs: 300 });
    const openBefore = faulty.stats.openSockets;
    const faults = [
      'ok',
      'reset-between-events',
      'http-500',
      'hang-after-chunks',
      'html-200-as-stream',
      'hang-after-done',
    ];
    await Promise.all(Array.from({ length: 50 }, (_, index) => playTurn(host, session, `fault:${faults[index % 6]}`)));
    await faulty.openSockets((count) => count <= openBefore);
  });

  test('a host that goes on after "done" is not listened to, and the connection is closed [S2.25]', async () => {
    const turn = await playTurn(hostWith(), session, 'fault:endless-after-done x=1');
    assert.equal(turn.failure, undefined);
    assert.equal(turn.text, FULL_TEXT);
    await (await requestWith('fault:endless-after-done x=1')).closed;
  });

  test('a host that is not there is unreachable, in every call', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => closed.once('listening', resolve));
    const { port } = closed.address() as { port: number };
    await new Promise((resolve) => closed.close(resolve));
    const host = hostWith({ baseUrl: `http://127.0.0.1:${port}` });
    assert.equal(await codeOf(startSession(host)), 'upstream_unreachable');
    assert.equal(((await playTurn(host, session, 'hello')).failure as AgentHostError).code, 'upstream_unreachable');
    const reference = { application: APPLICATION, ...session, credential: KEY };
    assert.equal(await codeOf(host.endSession(reference, never)), 'upstream_unreachable');
    assert.equal(await codeOf(host.check(never)), 'upstream_unreachable');
  });

  test('a host that answers anything at all passes the check, which sends no credential', async () => {
    await hostWith().check(never);
    const request = await faulty.nextRequest(({ method }) => method === 'HEAD');
    assert.equal(request.headers['x-api-key'], undefined);
  });

  test('an address without http or a key that no header can carry is refused at once', () => {
    assert.throws(() => hostWith({ baseUrl: 'ftp://127.0.0.1' }), TypeError);
    assert.throws(() => hostWith({ apiKey: 'key\n' }), TypeError);
  });
});

describe('aborting', () => {
  /** Aborts as soon as `ready` resolves; gives what the call threw and how long the host's connection lived on. */
  async function abortWhen(message: string, ready: (controller: AbortController) => Promise<unknown>) {
    const controller = new AbortController();
    const reason = new Error('the visitor has left');
    const turn = playTurn(hostWith(), session, message, controller.signal);
    const request = await requestWith(message);
    await ready(controller);
    const abortedAt = performance.now();
    controller.abort(reason);
    const { failure } = await turn;
    await request.closed;
    assert.equal(failure, reason);
    return performance.now() - abortedAt;
  }

  for (const [when, message] of [
    ['before the headers', 'fault:hang-before-headers abort=1'],
    ['after the headers', 'fault:hang-after-headers abort=2'],
    ['in the middle of the answer', 'fault:count n=1000 ms=5 abort=3'],
  ] as const) {
    test(`${when} closes the upstream connection within 500 ms and throws the signal's reason`, async () => {
      const tookMs = await abortWhen(message, () => delay(50));
      assert.ok(tookMs < 500, `${tookMs} ms`);
    });
  }

  test('forty of forty leaving visitors close their upstream connections', async () => {
    const host = hostWith();
    const openBefore = faulty.stats.openSockets;
    const visitors = Array.from({ length: 40 }, () => new AbortController());
    const turns = visitors.map(({ signal }) => playTurn(host, session, 'fault:count n=1000 ms=5', signal));
    await faulty.openSockets((count) => count >= 40);
    for (const visitor of visitors) visitor.abort();
    await Promise.all(turns);
    await faulty.openSockets((count) => count <= openBefore);
  });

  test('beforehand sends nothing', async () => {
    const turn = playTurn(hostWith(), session, 'aborted beforehand', AbortSignal.abort());
    assert.equal(((await turn).failure as Error).name, 'AbortError');
    assert.equal(
      faulty.requests.some(({ body }) => body.includes('aborted beforehand')),
      false,
    );
  });

  test('is what a reader does who leaves early', async () => {
    const turn = { application: APPLICATION, ...session, message: 'fault:count n=1000 ms=5 early', credential: KEY };
    const answer = await hostWith().streamTurn(turn, never);
    const leave = () => {
      throw new Error('enough');
    };
    await assert.rejects(answer.passTo(leave), { message: 'enough' });
    await (await requestWith('ms=5 early')).closed;
  });

  test('works for the start and the end of a session too', async () => {
    const start = new AbortController();
    const starting = hostWith().startSession(
      { application: APPLICATION, userId: 'fault:s-hang', credential: KEY },
      start.signal,
    );
    const startRequest = await requestWith('fault:s-hang');
    start.abort();
    await assert.rejects(starting, { name: 'AbortError' });
    await startRequest.closed;

    const end = new AbortController();
    const hanging = await startSession(hostWith(), 'fault:d-hang');
    const ending = hostWith().endSession({ application: APPLICATION, ...hanging, credential: KEY }, end.signal);
    const endRequest = await faulty.nextRequest(({ path }) => path.endsWith(hanging.hostSessionId));
    end.abort();
    await assert.rejects(ending, { name: 'AbortError' });
    await endRequest.closed;
  });
});

describe('time', () => {
  test('a host that sends comments is not idle', async () => {
    const { failure, text } = await playTurn(hostWith({ idleMs: 400 }), session, 'fault:slow-comments n=10 ms=80');
    assert.equal(failure, undefined);
    assert.equal(text, FULL_TEXT);
  });

  test('a host that waits for a slow reader is not idle', async () => {
    const turn = { application: APPLICATION, ...session, message: 'fault:firehose mb=15', credential: KEY };
    const events: HostEvent[] = [];
    let batches = 0;
    const answer = await hostWith({ idleMs: 700 }).streamTurn(turn, never);
    await answer.passTo(async (batch) => {
      events.push(...batch);
      if (batches++ === 1) await delay(1_500);
    });
    assert.equal(textOf(events).length, 15_000_000);
    assert.equal(events.at(-1)?.type, 'done');
  });

  test('a host that falls silent is idle, although the reader was slow before', async () => {
    const turn = { application: APPLICATION, ...session, message: 'fault:burst-then-silence mb=2', credential: KEY };
    const events: HostEvent[] = [];
    const answer = await hostWith({ idleMs: 300 }).streamTurn(turn, never);
    const reading = answer.passTo(async (batch) => {
      events.push(...batch);
      await delay(5);
    });
    assert.equal(await codeOf(reading), 'upstream_timeout');
    assert.equal(textOf(events).length, 2_000_000);
  });

  test('a turn that takes too long is cut off, and what came until then is kept', async () => {
    const { failure, text } = await playTurn(hostWith({ turnMs: 400 }), session, 'fault:count n=1000 ms=20');
    assert.equal((failure as AgentHostError).code, 'limit_exceeded');
    assert.match(text, /^0 1 2/);
  });

  test('a session whose start takes too long is an upstream time-out', async () => {
    assert.equal(await codeOf(startSession(hostWith({ startMs: 200 }), 'fault:s-hang')), 'upstream_timeout');
  });
});

describe('size', () => {
  for (const name of ['line-8mb', 'endless-line', 'endless-event', 'endless-empty-lines', 'endless-turn']) {
    test(`"${name}" ends as limit_exceeded, the connection is closed and memory stays flat`, async () => {
      const host = hostWith(name === 'endless-turn' ? { maxTurnBytes: 8_000_000 } : {});
      const before = memoryInUse();
      const { failure, events } = await playTurn(host, session, `fault:${name}`);
      assert.equal((failure as AgentHostError).code, 'limit_exceeded');
      assert.notEqual(events.at(-1)?.type, 'done');
      await (await requestWith(`fault:${name}`)).closed;
      // The host plays in this very process, and some of what it was about to send is still here.
      assert.ok(memoryInUse() - before < 40_000_000);
    });
  }

  test('a compressed answer is refused unread, however large it would become', async () => {
    for (const name of ['gzip-declared', 'gzip-bomb']) {
      const { failure } = await playTurn(hostWith(), session, `fault:${name} mb=50`);
      assert.equal((failure as AgentHostError).code, 'upstream_protocol');
    }
  });

  test('a reader who stops stops the host, and five of them cost no more than what is on the way', async () => {
    const host = hostWith();
    const controller = new AbortController();
    const before = memoryInUse();
    const messages = Array.from({ length: 5 }, (_, reader) => `fault:firehose mb=40 reader=${reader}`);
    const readers = await Promise.all(
      messages.map(async (message) => {
        const turn = { application: APPLICATION, ...session, message, credential: KEY };
        const answer = await host.streamTurn(turn, controller.signal);
        const stopped = Promise.withResolvers<void>();
        const first = Promise.withResolvers<void>();
        const passed = answer.passTo(() => {
          first.resolve();
          return stopped.promise;
        });
        await first.promise;
        return { passed, goOn: stopped.resolve };
      }),
    );
    await delay(1_500);
    const grownBytes = memoryInUse() - before;
    for (const message of messages) {
      const sentBytes = (await requestWith(message)).sentBytes();
      assert.ok(sentBytes < 20_000_000, `the host could send ${sentBytes} bytes`);
    }
    controller.abort();
    for (const { goOn } of readers) goOn();
    await Promise.allSettled(readers.map(({ passed }) => passed));
    assert.ok(grownBytes < 15_000_000, `${grownBytes} bytes`);
  });

  for (const name of [
    's-initial-huge',
    's-id-huge',
    's-id-dots',
    's-endless',
    's-cut',
    's-array',
    's-html',
    's-initial-number',
  ]) {
    test(`the start of a session "${name}" cannot be used`, async () => {
      assert.equal(await codeOf(startSession(hostWith(), `fault:${name}`)), 'upstream_protocol');
    });
  }

  test('a session without an initial message has an empty one', async () => {
    assert.equal((await startSession(hostWith(), 'fault:s-initial-missing')).initialMessage, '');
  });
});

describe('odd answers', () => {
  for (const [name, code] of [
    ['reset-before-headers', 'upstream_unreachable'],
    ['switching-protocols', 'upstream_protocol'],
    ['foreign-events', 'upstream_protocol'],
    ['empty-200', 'stream_incomplete'],
    ['reset-mid-event', 'stream_interrupted'],
    ['long-event-at-end', 'limit_exceeded'],
    ['http-404', 'session_expired'],
    ['http-302', 'upstream_protocol'],
    ['http-599', 'upstream_error'],
  ] as const) {
    test(`"${name}" is ${code}`, async () => {
      const { failure } = await playTurn(hostWith(), session, `fault:${name}`);
      assert.equal((failure as AgentHostError).code, code);
    });
  }

  for (const name of [
    'eol-cr',
    'event-for-type',
    'no-space-after-colon',
    'data-on-many-lines',
    'no-last-blank-line',
    'bad-json',
  ]) {
    test(`"${name}" is read in full`, async () => {
      const { failure, text } = await playTurn(hostWith(), session, `fault:${name}`);
      assert.equal(failure, undefined);
      assert.equal(text, FULL_TEXT);
    });
  }

  test('an error that the host tells of is the only failure of its turn, however the stream ends', async () => {
    for (const name of ['error-no-done', 'error-then-reset', 'error-no-json']) {
      const { failure, events, text } = await playTurn(hostWith(), session, `fault:${name}`);
      assert.equal(failure, undefined);
      assert.equal(events.filter(({ type }) => type === 'error').length, 1);
      assert.equal(text, 'part ');
    }
  });

  test('text that was held back, because a secret may begin so, is given out before the stream fails', async () => {
    const { failure, text } = await playTurn(hostWith(), session, 'fault:secret-start-at-end');
    assert.equal((failure as AgentHostError).code, 'stream_incomplete');
    assert.equal(text, `kept ${session.sessionSecret.slice(0, 3)}`);
  });

  test('an application that the host does not know is our own fault', async () => {
    assert.equal(await codeOf(startSession(hostWith(), 'fault:s-404')), 'misconfigured');
  });

  test('events that cannot be read are logged once a turn, without what was in them', async () => {
    const lines: unknown[] = [];
    const log = { warn: (...line: unknown[]) => void lines.push(line) };
    await playTurn(hostWith({ log }), session, 'fault:bad-json');
    assert.deepEqual(lines, [
      [{ eventType: 'chunk', field: 'data' }, 'the agent host sent an event that cannot be read in full'],
    ]);
  });

  test('a busy host says when to come back, and is believed within a second and an hour', async () => {
    for (const [name, expectedMs] of [
      ['http-429-2', 2_000],
      ['http-429-junk', 5_000],
      ['http-429-dup', 5_000],
      ['http-503', 5_000],
      ['http-500', undefined],
    ] as const) {
      const { failure } = await playTurn(hostWith(), session, `fault:${name}`);
      assert.equal((failure as AgentHostError).retryAfterMs, expectedMs, name);
    }
  });
});
