import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { test } from 'node:test';
import { hostSessionKey, sessionKey } from '../../relay/sessions/session-record.ts';
import { MemoryStore } from '../../relay/store/memory-store.ts';
import type { CallerRule } from '../../relay/tool-gateway/callers.ts';
import type { SourceCall, ToolSource } from '../../relay/tool-gateway/tool-source.ts';
import { ACCOUNT_KEY, type GatewayUnderTest, startGateway } from './gateway-under-test.ts';
import { connect2025, connect2026 } from './mcp-clients.ts';
import { until } from './until.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

test('the host name of a request is checked, whatever its port', async () => {
  await using gateway = await startGateway({
    domains: [{ source: recordingSource() }],
    rules: { allowedHosts: ['tools.example', 'other.example:8443'] },
  });
  const statuses = [];
  for (const host of [
    'tools.example',
    'tools.example:99',
    'other.example:8443',
    'other.example',
    'evil.test',
    'localhost:1',
    '127.0.0.1',
    '127.0.0.1.evil.test',
  ]) {
    statuses.push([host, await statusWithHost(gateway.url, host)]);
  }
  assert.deepEqual(statuses, [
    ['tools.example', 200],
    ['tools.example:99', 200],
    ['other.example:8443', 200],
    ['other.example', 403],
    ['evil.test', 403],
    ['localhost:1', 200],
    ['127.0.0.1', 200],
    ['127.0.0.1.evil.test', 403],
  ]);
});

test('a page may not call unless its origin is listed', async () => {
  const source = recordingSource();
  await using gateway = await startGateway({
    domains: [{ source }],
    rules: { allowedOrigins: ['https://tools.example'] },
  });
  for (const [origin, status] of [
    ['https://tools.example', 200],
    ['http://tools.example', 403],
    ['https://tools.example.evil.test', 403],
    ['http://localhost:3000', 403],
    ['null', 403],
  ] as const) {
    assert.equal((await post(gateway, LIST, { origin })).status, status, origin);
  }
});

test('anything but POST is 405, a body that is too long 413, one that is not JSON 400', async () => {
  await using gateway = await startGateway({
    domains: [{ source: recordingSource() }],
    rules: { maxBodyBytes: 2_000 },
  });
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const response = await fetch(`${gateway.url}/mcp`, { method });
    assert.equal(response.status, 405, method);
    assert.equal(response.headers.get('allow'), 'POST');
  }
  assert.equal((await post(gateway, { ...LIST, params: { x: 'y'.repeat(3_000) } })).status, 413);
  assert.equal((await post(gateway, '{"jsonrpc":')).status, 400);
});

test('an old session id is 404 in the revisions of 2025 except on initialize, and without meaning in 2026-07-28', async () => {
  await using gateway = await startGateway({ domains: [{ source: recordingSource() }] });
  const stale = { 'mcp-session-id': 'of-another-caller' };
  assert.equal((await post(gateway, LIST, stale)).status, 404);
  assert.equal((await post(gateway, LIST, { ...stale, 'mcp-protocol-version': '2025-06-18' })).status, 404);
  const initialised = await post(gateway, INITIALIZE, stale);
  assert.equal(initialised.status, 200);
  assert.match(await initialised.text(), /"protocolVersion":"2025-06-18"/);
  const client = await connect2026(`${gateway.url}/mcp`, stale);
  assert.equal((await client.listTools()).tools.length, 1);
  await client.close();
});

test('an endpoint of a domain that does not exist is not found', async () => {
  await using gateway = await startGateway({ domains: [{ name: 'shop', source: recordingSource() }] });
  assert.equal((await post(gateway, LIST, {}, '/mcp/shop')).status, 200);
  for (const path of ['/mcp/shop2', '/mcp/Shop', '/mcp/__proto__', '/mcp/shop/more']) {
    assert.equal((await post(gateway, LIST, {}, path)).status, 404, path);
  }
});

test('callers with a token: the right one in its own header and no other way', async () => {
  const callers: CallerRule = { type: 'tokens', tokens: ['first-token', 'second-token'] };
  const source = recordingSource();
  await using gateway = await startGateway({ domains: [{ source }], callers });
  for (const [headers, status] of [
    [{}, 401],
    [{ 'x-parley-token': 'wrong' }, 401],
    [{ 'x-parley-token': 'first-toke' }, 401],
    [{ authorization: 'Bearer first-token' }, 401],
    [{ 'x-parley-token': 'first-token' }, 200],
    [{ 'x-parley-token': 'second-token' }, 200],
  ] as const) {
    assert.equal((await post(gateway, LIST, headers)).status, status, JSON.stringify(headers));
  }
  const client = await connect2025(`${gateway.url}/mcp`, {
    'x-parley-token': 'first-token',
    authorization: 'Bearer visitor',
  });
  await client.callTool({ name: 'note', arguments: {} });
  assert.deepEqual(source.calls[0]?.credential, { type: 'authorization', value: 'Bearer visitor' });
  await client.close();
});

test('callers whom the API decides about: only with a credential of their own', async () => {
  await using gateway = await startGateway({ domains: [{ source: recordingSource() }], callers: { type: 'api' } });
  assert.equal((await post(gateway, LIST)).status, 401);
  assert.equal((await post(gateway, LIST, { authorization: 'Bearer any' })).status, 200);
  assert.equal((await post(gateway, LIST, { 'x-api-key': 'any' })).status, 200);
});

test('callers by session: only with the credential of the very session that the call names, while it lives', async () => {
  const store = new MemoryStore();
  const source = recordingSource();
  await using gateway = await startGateway({ domains: [{ source }], callers: { type: 'session' }, store });
  await putSession(gateway, 'host-anna', { credential: 'Bearer anna' });
  await putSession(gateway, 'host-ben', { credential: 'Bearer ben' });
  await putSession(gateway, 'host-guest', {});
  await putSession(gateway, 'host-over', { credential: 'Bearer anna', expiresAtMs: Date.now() - 1 });
  assert.equal((await post(gateway, LIST)).status, 401);
  assert.equal((await post(gateway, LIST, { authorization: 'Bearer stranger' })).status, 401);

  const codes: unknown[] = [];
  for (const [authorization, sessionId] of [
    ['Bearer anna', 'host-anna'],
    ['anna', 'host-anna'],
    ['Bearer ben', 'host-ben'],
    ['Bearer anna', 'host-ben'],
    ['Bearer anna', 'host-guest'],
    ['Bearer anna', 'host-unknown'],
    ['Bearer anna', 'host-over'],
    ['Bearer anna', undefined],
    [`Bearer ${ACCOUNT_KEY}`, 'host-guest'],
    [`Bearer ${ACCOUNT_KEY}`, 'host-anna'],
  ] as const) {
    codes.push(await codeOfCall(gateway, { authorization }, sessionId === undefined ? {} : { sessionId }));
  }
  assert.deepEqual(codes, [
    'done',
    'done',
    'done',
    'session_unknown',
    'session_unknown',
    'session_unknown',
    'session_unknown',
    'session_required',
    'done',
    'session_unknown',
  ]);
  assert.equal(source.calls.length, 4);
  await store.close();
});

test('the account key goes on to an API only where the owner said so, and nothing of the caller’s other headers ever', async () => {
  for (const [includingAccountKey, expected] of [
    [false, undefined],
    [true, { type: 'authorization', value: `Bearer ${ACCOUNT_KEY}` }],
  ] as const) {
    const source = recordingSource();
    const credential = { type: 'forward', includingAccountKey } as const;
    await using gateway = await startGateway({ domains: [{ source, credential }] });
    await codeOfCall(
      gateway,
      { authorization: `Bearer ${ACCOUNT_KEY}`, 'x-mcp-auth': 'secret', 'x-forwarded-for': '1.2.3.4', cookie: 'a=b' },
      {},
    );
    assert.deepEqual(source.calls[0]?.credential, expected);
    assert.deepEqual(
      Object.keys(source.calls[0] ?? {}).filter((key) => key !== 'credential'),
      ['name', 'arguments', 'meta'],
    );
  }
});

test('_meta.sessionId and _meta.idempotencyKey are refused when they could not stand in a header, and nothing is called', async () => {
  const source = recordingSource();
  await using gateway = await startGateway({ domains: [{ source }] });
  for (const value of [
    'a\r\nX-Evil: 1',
    'x'.repeat(10_240),
    '😀',
    { a: 1 },
    7,
    ['x'],
    '',
    ' ',
    'a\u0000b',
    '\u202e',
    true,
  ]) {
    for (const field of ['sessionId', 'idempotencyKey']) {
      assert.equal(
        await codeOfCall(gateway, {}, { [field]: value }),
        'invalid_meta',
        JSON.stringify([field, value]).slice(0, 60),
      );
    }
  }
  assert.equal(await codeOfCall(gateway, {}, { ['__proto__']: { sessionId: 'x' } }), 'done');
  assert.equal(await codeOfCall(gateway, {}, { sessionId: 'x'.repeat(256), idempotencyKey: null }), 'done');
  assert.equal(source.calls.length, 2);
});

test('while the relay closes, a running call is finished and a new one refused', async () => {
  const { promise: release, resolve } = Promise.withResolvers<void>();
  const source = recordingSource(() => release);
  const gateway = await startGateway({ domains: [{ source }] });
  const running = codeOfCall(gateway, {}, {});
  await until(() => source.calls.length === 1);
  const closed = gateway[Symbol.asyncDispose]();
  await until(async () => (await post(gateway, LIST)).status === 503);
  resolve();
  assert.equal(await running, 'done');
  await closed;
});

function recordingSource(wait: () => Promise<void> = async () => {}): ToolSource & { calls: SourceCall[] } {
  const calls: SourceCall[] = [];
  return {
    calls,
    listTools: async () => TOOLS,
    callTool: async (call) => {
      calls.push(call);
      await wait();
      return { content: [{ type: 'text', text: 'done' }] };
    },
    onChange: () => () => {},
    close: async () => {},
  };
}

const TOOLS = [{ name: 'note', inputSchema: { type: 'object' } }];

function post(
  gateway: GatewayUnderTest,
  body: unknown,
  headers: Record<string, string> = {},
  path = '/mcp',
): Promise<Response> {
  return fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** The error's code, or the text of a call that was made. */
async function codeOfCall(
  gateway: GatewayUnderTest,
  headers: Record<string, string>,
  meta: Record<string, unknown>,
): Promise<unknown> {
  const params = { name: 'note', arguments: {}, _meta: meta };
  const response = await post(gateway, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers);
  const text = await response.text();
  const data = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}');
  const { result } = JSON.parse(data) as {
    result?: { structuredContent?: { code: string }; content: { text: string }[] };
  };
  return result?.structuredContent?.code ?? result?.content[0]?.text;
}

function statusWithHost(url: string, host: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const headers = { host, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  httpRequest(`${url}/mcp`, { method: 'POST', headers }, (response) => {
    response.resume();
    resolve(response.statusCode);
  })
    .on('error', reject)
    .end(JSON.stringify(LIST));
  return promise;
}

async function putSession(
  gateway: GatewayUnderTest,
  hostSessionId: string,
  { credential, expiresAtMs = Date.now() + 60_000 }: { credential?: string; expiresAtMs?: number },
): Promise<void> {
  const id = `relay-${hostSessionId}`;
  const record = {
    tokenHash: 'x',
    origin: null,
    application: 'app',
    hostSessionId,
    sealedSecret: 'x',
    userId: 'u',
    createdAtMs: 0,
    expiresAtMs,
    initialMessage: '',
    startedBy: credential ? 'visitor' : 'key',
  };
  const keptUntilMs = Date.now() + 120_000;
  await gateway.store.commit(
    [],
    [
      { type: 'put', key: sessionKey(id), value: record, expiresAtMs: keptUntilMs },
      { type: 'put', key: hostSessionKey(hostSessionId), value: id, expiresAtMs: keptUntilMs },
    ],
  );
  if (credential) await gateway.digests.note(gateway.store, id, credential, keptUntilMs);
}
