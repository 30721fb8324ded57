import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLog } from '../../relay/log.ts';
import { McpServerSource } from '../../relay/tool-gateway/mcp-server-source.ts';
import type { SourceResult } from '../../relay/tool-gateway/tool-source.ts';
import { startFixtureMcpServer } from './fixture-mcp-server.ts';
import { mcpSource, startGateway } from './gateway-under-test.ts';
import { connect2025 } from './mcp-clients.ts';
import { until } from './until.ts';

const never = new AbortController().signal;
const call = (name: string) => ({ name, arguments: {}, meta: {} });
const codeOf = (result: SourceResult) => (result.structuredContent as { code?: string } | undefined)?.code;

for (const staleStatus of [404, 400] as const) {
  test(`a server that was restarted and answers ${staleStatus} costs one initialisation and one retry for all waiting calls`, async () => {
    await using server = await startFixtureMcpServer({ staleStatus });
    const source = mcpSource(server.url);
    await source.listTools(never);
    assert.equal(server.initialisations(), 1);
    server.restart();
    const results = await Promise.all(Array.from({ length: 20 }, () => source.callTool(call('create'), never)));
    assert.equal(results.filter(({ isError }) => isError).length, 0);
    assert.equal(server.initialisations(), 2);
    assert.equal(server.calls.length, 20);
    await source.close();
  });
}

test('a server that does not know any session costs a call two tries and no more', async () => {
  let refused = 0;
  const http = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { id, method } = JSON.parse(text || '{}');
    response.setHeader('content-type', 'application/json');
    if (method === 'initialize') {
      const serverInfo = { name: 'x', version: '1' };
      const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
      response.setHeader('mcp-session-id', 'forgotten');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    } else if (method === 'notifications/initialized') {
      response.writeHead(202).end();
    } else {
      if (method === 'tools/call') refused += 1;
      response.writeHead(404).end('{}');
    }
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const source = mcpSource(`http://127.0.0.1:${(http.address() as AddressInfo).port}/`);
  const result = await source.callTool(call('create'), never);
  assert.equal(result.isError, true);
  assert.equal(refused, 2);
  await source.close();
  http.closeAllConnections();
  http.close();
});

test('a caller who leaves does not cancel the initialisation that others wait for', async () => {
  await using server = await startFixtureMcpServer();
  const source = mcpSource(server.url);
  const leaving = new AbortController();
  const left = assert.rejects(source.callTool(call('create'), leaving.signal), { name: 'AbortError' });
  const staying = source.callTool(call('create'), never);
  leaving.abort();
  await left;
  assert.equal((await staying).isError, undefined);
  assert.equal(server.initialisations(), 1);
  assert.equal(server.calls.length, 1);
  await source.close();
});

test('a server that is not there is told as unreachable, and soon after that without asking it', async () => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  const source = mcpSource(`http://127.0.0.1:${port}/mcp`);
  assert.equal(codeOf(await source.callTool(call('create'), never)), 'api_unreachable');
  assert.equal(codeOf(await source.callTool(call('create'), never)), 'api_unreachable');
  const third = await source.callTool(call('create'), never);
  assert.equal(codeOf(third), 'api_unavailable');
  assert.ok((third.structuredContent as { retryAfterMs: number }).retryAfterMs >= 1_000);
  await source.close();
});

test('a connection that is lost in the middle of a call is an outcome that is not known', async () => {
  await using server = await startFixtureMcpServer();
  const source = mcpSource(server.url);
  await source.listTools(never);
  const slow = source.callTool(call('slow'), never);
  await until(() => server.calls.length === 1);
  server.restart();
  const result = await slow;
  assert.equal(codeOf(result), 'outcome_unknown');
  await source.close();
});

test('an answer whose stream is cut is taken up again where the server allows it, and the call is not made twice', async () => {
  let calls = 0;
  const http = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { id, method } = JSON.parse(text || '{}');
    const serverInfo = { name: 'x', version: '1' };
    const event = { 'content-type': 'text/event-stream' };
    if (method === 'initialize') {
      const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    } else if (method === 'tools/call') {
      calls += 1;
      response.writeHead(200, event).end('id: 1\nretry: 10\ndata: \n\n');
      callId = id;
    } else if (request.headers['last-event-id'] === '1') {
      const result = { content: [{ type: 'text', text: 'taken up' }] };
      response.writeHead(200, event).end(`id: 2\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: callId, result })}\n\n`);
    } else {
      response.writeHead(method === 'notifications/initialized' ? 202 : 405).end();
    }
  }).listen(0, '127.0.0.1');
  let callId: unknown;
  await once(http, 'listening');
  const source = mcpSource(`http://127.0.0.1:${(http.address() as AddressInfo).port}/`);
  const result = await source.callTool(call('create'), never);
  assert.deepEqual(result.content, [{ type: 'text', text: 'taken up' }]);
  assert.equal(calls, 1);
  await source.close();
  http.closeAllConnections();
  http.close();
});

test('a program on standard input serves calls, knows nothing of the relay’s environment, and is started again when it has died', async () => {
  process.env.RELAY_CANARY = 'not-for-children';
  const source = stdioSource({ OWN: 'mine' });
  const tools = await source.listTools(never);
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['who', 'die'],
  );
  const first = whoOf(await source.callTool(call('who'), never));
  assert.equal(first.environment.OWN, 'mine');
  assert.equal(first.environment.RELAY_CANARY, undefined);
  assert.equal(codeOf(await source.callTool(call('die'), never)), 'outcome_unknown');
  const second = whoOf(await source.callTool(call('who'), never));
  assert.notEqual(second.pid, first.pid);
  await source.close();
  delete process.env.RELAY_CANARY;
});

test('a program that dies again and again is started with growing pauses, in which calls are told to wait', async () => {
  const source = stdioSource({ DIES_AT_ONCE: '1' });
  const codes: (string | undefined)[] = [];
  for (let index = 0; index < 4; index += 1) codes.push(codeOf(await source.callTool(call('who'), never)));
  assert.deepEqual(codes, ['api_unreachable', 'api_unreachable', 'api_unavailable', 'api_unavailable']);
  await source.close();
});

test('one broken server leaves the tools of the others working', async () => {
  await using server = await startFixtureMcpServer();
  await using gateway = await startGateway({
    domains: [
      { name: 'broken', source: stdioSource({ DIES_AT_ONCE: '1' }) },
      { name: 'shop', source: mcpSource(server.url) },
    ],
  });
  const client = await connect2025(`${gateway.url}/mcp`);
  const { tools } = await client.listTools();
  assert.ok(tools.length > 0);
  assert.ok(tools.every(({ name }) => name.startsWith('shop_')));
  assert.equal((await client.callTool({ name: 'shop_create', arguments: {} })).isError, undefined);
  const missing = await client.callTool({ name: 'broken_who', arguments: {} });
  assert.deepEqual(
    { code: (missing.structuredContent as { code: string }).code, isError: missing.isError },
    { code: 'api_unavailable', isError: true },
  );
  assert.match(gateway.logText(), /the tools of a source cannot be read/);
  await client.close();
});

function stdioSource(env: Record<string, string>): McpServerSource {
  const address = {
    type: 'stdio',
    command: process.execPath,
    args: [join(import.meta.dirname, 'fixture-stdio-server.ts')],
    env,
    directory: import.meta.dirname,
  } as const;
  return new McpServerSource({ address, listingCredential: undefined, log: createLog('silent') });
}

function whoOf(result: SourceResult): { pid: number; environment: Record<string, string> } {
  return JSON.parse(String(result.content[0]?.text));
}
