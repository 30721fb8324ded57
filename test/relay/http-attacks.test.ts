/** The attacks of `test/cases/http-attacks.json` that concern the relay's own routes, each by the id that it has there. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { StartedSession } from '../../relay/protocol/requests.ts';
import attacks from '../cases/http-attacks.json' with { type: 'json' };
import { readEvents } from '../support/event-reader.ts';
import { FailingStore } from '../support/failing-store.ts';
import { sendRaw } from '../support/raw-request.ts';
import { PAGE, type RelayUnderTest, startRelay } from '../support/relay-under-test.ts';

/** The tools' own kinds (`mcp`, `ssrf`, `otp`) are played where those are tested; `asset` needs a browser. */
const KINDS = ['origin', 'csrf', 'frame', 'idor', 'inject', 'path', 'json', 'smuggle', 'slow', 'limit', 'log', 'error'];
const NEVER = [...attacks.always.never, '127.0.0.1:'];

let relay: RelayUnderTest;
let session: StartedSession;
before(async () => {
  relay = await startRelay({ allowedOrigins: ['https://shop.example', 'https://www.shop.example:8443', PAGE] });
  session = await relay.startSession();
});
after(() => relay[Symbol.asyncDispose]());

const json = { 'content-type': 'application/json' };
const start = (origin: string, body: unknown = {}) => relay.post('/session', body, { origin });

/** What holds for every answer, whatever was asked. */
async function assertHarmless(answer: Response): Promise<string> {
  const text = await answer.text();
  const seen = `${answer.status} ${JSON.stringify([...answer.headers])} ${text}`;
  for (const never of NEVER) assert.ok(!seen.includes(never), never);
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(answer.headers.get('x-powered-by'), null);
  assert.equal(answer.headers.get('server'), null);
  assert.match(answer.headers.get('vary') ?? '', /\bOrigin\b/);
  assert.match(answer.headers.get('cache-control') ?? '', /^no-store$|^no-cache, no-transform$/);
  return text;
}

async function assertRefused(answer: Response, ...statuses: number[]): Promise<void> {
  assert.ok(statuses.includes(answer.status), `${answer.status}`);
  assert.equal(answer.headers.get('access-control-allow-origin'), null);
  await assertHarmless(answer);
}

const head = (...lines: string[]) =>
  `${['POST /session HTTP/1.1', 'Host: relay', ...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`;

async function assertNotUnderstood(raw: string, ...statuses: number[]): Promise<void> {
  const before = relay.host.requests.length;
  const answer = await sendRaw(relay.url, raw);
  assert.ok(statuses.includes(answer.status), `${answer.status} for ${JSON.stringify(raw)}`);
  for (const never of NEVER) assert.ok(!(answer.headers + answer.body).includes(never), never);
  assert.equal(relay.host.requests.length, before);
}

const PLAYED: Record<string, () => Promise<void>> = {
  h02: async () => assertRefused(await start('null'), 403),
  h03: async () => assertRefused(await start('https://shop.example.evil.test'), 403),
  h05: async () => assertRefused(await start('http://shop.example'), 403),
  h06: async () => {
    await assertRefused(await start('https://shop.example:444'), 403);
    await assertRefused(await start('https://www.shop.example'), 403);
  },
  h07: async () => {
    const raw = await sendRaw(
      relay.url,
      `${head(
        'Origin: https://shop.example',
        'Origin: https://evil.test',
        'Content-Type: application/json',
        'Content-Length: 2',
      )}{}`,
    );
    assert.equal(raw.status, 403);
    assert.doesNotMatch(raw.headers, /access-control-allow-origin/i);
  },
  h08: async () => {
    // The rule: scheme and host are compared in lower case, a default port is none, a trailing dot makes another host.
    for (const same of ['https://SHOP.example', 'HTTPS://shop.example', 'https://shop.example:443']) {
      const answer = await start(same);
      assert.equal(answer.status, 201, same);
      assert.equal(answer.headers.get('access-control-allow-origin'), same);
    }
    await assertRefused(await start('https://shop.example.'), 403);
  },
  h10: async () => {
    const preflight = (origin: string) =>
      fetch(`${relay.url}/chat`, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });
    const evil = await preflight('https://evil.test');
    assert.equal(evil.headers.get('access-control-allow-credentials'), null);
    await assertRefused(evil, 403);
    const allowed = await preflight('https://shop.example');
    assert.equal(allowed.status, 204);
    assert.equal(allowed.headers.get('access-control-allow-origin'), 'https://shop.example');
    assert.match(allowed.headers.get('access-control-allow-headers') ?? '', /x-session-token/);
  },
  h12: async () => {
    for (const [method, path] of [
      ['GET', '/healthz'],
      ['GET', '/nothing'],
      ['POST', '/session'],
      ['POST', '/chat'],
    ] as const) {
      const answer = await fetch(relay.url + path, { method, headers: { origin: 'https://shop.example', ...json } });
      assert.equal(answer.headers.get('access-control-allow-origin'), 'https://shop.example');
      assert.equal(answer.headers.get('access-control-allow-credentials'), null);
      await assertHarmless(answer);
    }
  },
  h15: async () => {
    const body = '--x\r\nContent-Disposition: form-data; name="userId"\r\n\r\na\r\n--x--\r\n';
    const answer = await relay.post('/session', body, { 'content-type': 'multipart/form-data; boundary=x' });
    assert.equal(answer.status, 415);
    await assertHarmless(answer);
  },
  h17: async () => {
    const own = await relay.startSession();
    const override = { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' };
    assert.equal((await relay.about(own, 'GET', '', override)).status, 200);
    assert.equal((await relay.about(own, 'POST', '/stop', override)).status, 204);
    assert.equal((await relay.about(own, 'GET')).status, 200);
  },
  h18: async () => {
    const answer = await fetch(`${relay.url}/healthz`);
    assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none';frame-ancestors 'none'/);
    assert.equal(answer.headers.get('x-frame-options'), 'DENY');
    await assertHarmless(answer);
  },
  h24: async () => {
    const wished = {
      sessionId: 'AAAAAAAAAAAAAAAAAAAAAA',
      token: 'mine',
      sessionSecret: 'mine',
      expiresAt: '2999-01-01T00:00:00Z',
    };
    const answer = await start(PAGE, wished);
    const given = JSON.parse(await assertHarmless(answer));
    for (const [name, value] of Object.entries(wished)) assert.notEqual(given[name], value);
  },
  h26: () =>
    assertNotUnderstood(
      `${head('Authorization: Bearer a\r y', 'Content-Type: application/json', 'Content-Length: 2')}{}`,
      400,
    ),
  h28: async () => {
    const ids = ['../../admin', '..%2f..%2fadmin', '%2e%2e/', 'a/b', 'a?b', 'a#b', '', 'x'.repeat(300), '%00', '\0'];
    const before = relay.host.requests.length;
    for (const application of ids) {
      const answer = await start(PAGE, { application });
      assert.equal(answer.status, 400, application);
      await assertHarmless(answer);
    }
    assert.equal(relay.host.requests.length, before);
  },
  h31: async () => {
    const answer = await relay.post('/chat', '{"__proto__":{"isAdmin":true},"message":"x"}', {
      'x-session-token': 'x',
    });
    await assertHarmless(answer);
    assert.equal(({} as Record<string, unknown>).isAdmin, undefined);
  },
  h32: async () => {
    const answer = await relay.post('/session', '{"constructor":{"prototype":{"isAdmin":true}},"userId":"x"}');
    await assertHarmless(answer);
    assert.equal(({} as Record<string, unknown>).isAdmin, undefined);
  },
  h33: async () => {
    for (const message of [undefined, null, {}, ['a'], '']) {
      const answer = await relay.post('/chat', { sessionId: session.sessionId, message });
      assert.equal(answer.status, 400);
      const problem = JSON.parse(await assertHarmless(answer));
      assert.equal(problem.field, 'message');
      assert.match(problem.expected, /^a text/);
    }
    for (const body of ['null', '[]', '5', '"x"']) {
      const problem = JSON.parse(await assertHarmless(await relay.post('/chat', body)));
      assert.deepEqual([problem.status, problem.field, problem.expected], [400, 'body', 'a JSON object']);
    }
  },
  h38: async () => {
    const short = await sendRaw(
      relay.url,
      head(`Origin: ${PAGE}`, 'Content-Type: application/json', 'Content-Length: 5') + '{}   '.padEnd(500, 'x'),
    );
    // Either the five bytes are a request and the rest is none, or all of it is refused: never two requests.
    assert.ok([201, 400].includes(short.status), `${short.status}`);
    assert.doesNotMatch(short.body, /HTTP\/1\.1/);
    const body = '{"userId":"in pieces"}';
    const pieces = [...body].map((character) => `1\r\n${character}\r\n`);
    const chunked = await sendRaw(
      relay.url,
      head(`Origin: ${PAGE}`, 'Content-Type: application/json', 'Transfer-Encoding: chunked'),
      ...pieces,
      '0\r\n\r\n',
    );
    assert.equal(chunked.status, 201);
    assert.match(chunked.body, /in pieces/);
  },
  h39: () => assertNotUnderstood(`${head('Content-Length: 2', 'Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\n\r\n`, 400),
  h40: async () => {
    await assertNotUnderstood(`${head('Transfer-Encoding: xchunked')}2\r\n{}\r\n0\r\n\r\n`, 400, 501);
    await assertNotUnderstood(`${head('Transfer-Encoding: chunked, identity')}2\r\n{}\r\n0\r\n\r\n`, 400, 501);
    await assertNotUnderstood(`${head('Transfer-Encoding:', ' chunked')}2\r\n{}\r\n0\r\n\r\n`, 400, 501);
  },
  h41: async () => {
    await assertNotUnderstood('POST /session HTTP/1.1\nHost: relay\nContent-Length: 2\n\n{}', 400);
    await assertNotUnderstood(head('X-A: a\0b'), 400);
    await assertNotUnderstood(`${head('Content-Length : 2')}{}`, 400);
  },
  h46: async () => {
    await using limited = await startRelay({
      limitsPerMinute: { sessions: 30, messages: 0, requests: 0, failures: 0 },
    });
    const statuses = new Map<number, number>();
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => limited.post('/session', {})));
      for (const answer of answers) {
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        if (answer.status === 429) assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
        await answer.text();
      }
    }
    // A minute of the clock may end in between.
    assert.ok((statuses.get(201) ?? 0) <= 60);
    assert.equal((statuses.get(201) ?? 0) + (statuses.get(429) ?? 0), 1_000);
  },
  h47: async () => {
    await using limited = await startRelay({ limitsPerMinute: { sessions: 2, messages: 0, requests: 0, failures: 0 } });
    const statuses: number[] = [];
    for (let index = 0; index < 6; index++) {
      const address = `198.51.100.${index}`;
      const headers = {
        'x-forwarded-for': address,
        forwarded: `for=${address}`,
        'x-real-ip': address,
        'cf-connecting-ip': address,
      };
      statuses.push((await limited.post('/session', {}, headers)).status);
    }
    assert.ok(statuses.filter((status) => status === 429).length >= 2, statuses.join());
  },
  h48: async () => {
    const limitsPerMinute = { sessions: 2, messages: 0, requests: 0, failures: 0 };
    await using limited = await startRelay({ trustedProxies: 1, limitsPerMinute });
    const from = async (forwarded: string) =>
      (await limited.post('/session', {}, { 'x-forwarded-for': forwarded })).status;
    const statuses: number[] = [];
    for (let index = 0; index < 6; index++) statuses.push(await from(`198.51.100.${index}, 203.0.113.7`));
    assert.ok(statuses.filter((status) => status === 429).length >= 2, statuses.join());
    assert.equal(await from('203.0.113.7, 203.0.113.8'), 201);
  },
  h50: async () => {
    await using logged = await startRelay();
    const evil = `CANARY\r\n{"level":"fatal"}\u001b[31m\u0085\u2028${'x'.repeat(100_000)}`;
    const own = await logged.startSession();
    await logged.post('/session', { userId: evil });
    await logged.post('/session', { userId: 'user-CANARY' });
    await readEvents(await logged.chat(own, 'message CANARY'));
    await logged.chat(own, evil);
    await fetch(`${logged.url}/${'CANARY'.repeat(1_000)}%0d%0a%1b[31m`, { headers: { 'user-agent': 'agent-CANARY' } });
    for (const line of logged.logText().trimEnd().split('\n')) {
      assert.doesNotMatch(line, /[\p{Cc}\u2028\u2029]/u);
      assert.ok(line.length < 1_000, line);
      assert.equal(typeof JSON.parse(line).msg, 'string');
    }
    const withoutPaths = logged.logText().replace(/"path":"[^"]*"/g, '');
    assert.doesNotMatch(withoutPaths, /CANARY/);
    assert.ok(!logged.logText().includes(own.token));
  },
  h51: async () => {
    const failing = new FailingStore();
    await using broken = await startRelay({ store: failing });
    const own = await broken.startSession();
    failing.fail(new Error('ECONNREFUSED 10.0.0.7 /srv/parley node_modules'));
    const ours = await broken.about(own, 'GET');
    assert.equal(ours.status, 500);
    assert.match(await assertHarmless(ours), /"requestId":"[^"]+"/);
    failing.becomeUnavailable();
    const store = await broken.about(own, 'GET');
    assert.equal(store.status, 503);
    assert.match(await assertHarmless(store), /"code":"store_unavailable".*"retryAfterMs"/);
    failing.recover();
    broken.host.onSession(({ response }) => {
      response.statusCode = 500;
      response.end('<h1>ssec-CANARY at upstream host name</h1>');
    });
    const upstream = await broken.post('/session', {});
    assert.equal(upstream.status, 502);
    assert.match(await assertHarmless(upstream), /"code":"upstream_error"/);
  },
};

for (const { id, kind, do: what } of attacks.cases) {
  if (!KINDS.includes(kind) || id === 'h42') continue;
  test(`${id}: ${what}`, async () => {
    const play = PLAYED[id];
    assert.ok(play, 'the case has no test');
    await play();
    // The relay is alive and still does its work.
    const answer = await relay.post('/session', {});
    assert.equal(answer.status, 201);
  });
}

test('h42: sockets that send their headers byte by byte are closed in time, and a normal chat starts meanwhile', async () => {
  await using own = await startRelay();
  const { hostname, port } = new URL(own.url);
  const { connect } = await import('node:net');
  const closed: Promise<void>[] = [];
  const slow = Array.from({ length: 500 }, () => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined).resume();
    closed.push(new Promise((resolve) => socket.once('close', () => resolve())));
    socket.write('P');
    return socket;
  });
  const drip = setInterval(() => {
    for (const socket of slow) if (socket.writable) socket.write('O');
  }, 5_000);
  const startedAtMs = performance.now();
  const session = await own.startSession();
  assert.equal((await readEvents(await own.chat(session, 'Hi'))).at(-1)?.type, 'done');
  const chatMs = performance.now() - startedAtMs;
  await Promise.all(closed);
  clearInterval(drip);
  assert.ok(performance.now() - startedAtMs < 20_000);
  assert.ok(chatMs < 3_000, `${chatMs} ms`);
});
