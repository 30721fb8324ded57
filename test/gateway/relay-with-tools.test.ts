import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startParley } from '../support/parley-process.ts';
import { startScriptedHost } from '../support/scripted-host.ts';
import { connect2025 } from './mcp-clients.ts';
import { until } from './until.ts';

const MAIN = join(import.meta.dirname, '../../relay/main.ts');
const ACCOUNT_KEY = 'account-key-CANARY-0123456789';

const DESCRIPTION = `openapi: 3.0.3
info: {title: Orders, version: "1"}
paths:
  /orders:
    post:
      operationId: create_order
      parameters:
        - {name: X-Session-Id, in: header, schema: {type: string}}
        - {name: X-Idempotency-Key, in: header, schema: {type: string}}
      requestBody:
        required: true
        content:
          application/json:
            schema: {type: object, required: [product], properties: {product: {type: string}}}
      responses: {"201": {description: made}}
`;

/** An API that keeps what it got, a description of it, a host, and the relay between them as its own process. */
async function startAll() {
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const api = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ headers: request.headers, body });
    response.writeHead(201, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ orderId: `o-${received.length}` }));
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
  const directory = await mkdtemp(join(tmpdir(), 'parley-tools-'));
  const file = join(directory, 'parley.yaml');
  const baseUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const config = (more: string) =>
    `mcp: {callers: session}\ndomains:\n  orders:\n    about: Orders.\n    openapi: orders.yaml\n    baseUrl: ${baseUrl}\n    credential: forward\n    transactions: {exempt: [create_order]}\n${more}`;
  await writeFile(join(directory, 'orders.yaml'), DESCRIPTION);
  await writeFile(file, config(''));
  const host = await startScriptedHost();
  const parley = startParley(MAIN, {
    MCP_HOST_BASE_URL: host.url,
    APPLICATION_ID: 'app-1',
    TUIX_AI_AGENTS_API_KEY: ACCOUNT_KEY,
    PARLEY_CONFIG: file,
  });
  return {
    received,
    host,
    parley,
    url: await parley.url,
    rewrite: (more: string) => writeFile(file, config(more)),
    [Symbol.asyncDispose]: async () => {
      await parley.stop();
      await host[Symbol.asyncDispose]();
      api.closeAllConnections();
      api.close();
      await rm(directory, { recursive: true });
    },
  };
}

async function startSession(url: string, authorization?: string): Promise<void> {
  const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
  const response = await fetch(`${url}/session`, { method: 'POST', headers, body: '{}' });
  assert.equal(response.status, 201);
}

test('the agent host calls an API through the relay: with the session, the key and the visitor’s credential, once [S1.15]', async () => {
  await using all = await startAll();
  await startSession(all.url, 'visitor-token');
  const sessionId = 'session-CANARY-1';
  const client = await connect2025(`${all.url}/mcp`, { authorization: 'Bearer visitor-token' });
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['orders_create_order'],
  );
  assert.deepEqual(Object.keys(tools[0]?.inputSchema.properties ?? {}).sort(), ['domain', 'product']);
  const call = {
    name: 'orders_create_order',
    arguments: { domain: 'orders', product: 'lamp' },
    _meta: { sessionId, idempotencyKey: 'k'.repeat(64) },
  };
  const first = await client.callTool(call);
  assert.deepEqual((first.structuredContent as { orderId: string }).orderId, 'o-1');
  const second = await client.callTool(call);
  assert.equal((second.structuredContent as { orderId: string }).orderId, 'o-1');
  assert.equal(second._meta?.['parley/replay'], true);
  assert.equal(all.received.length, 1);
  const [{ headers, body }] = all.received as [{ headers: IncomingHttpHeaders; body: string }];
  assert.equal(headers['x-session-id'], sessionId);
  assert.equal(headers['x-idempotency-key'], 'k'.repeat(64));
  assert.equal(headers.authorization, 'Bearer visitor-token');
  assert.deepEqual(JSON.parse(body), { product: 'lamp' });
  const wrong = await client.callTool({ ...call, _meta: { sessionId: 'another' } });
  assert.match(JSON.stringify(wrong.content), /session_unknown/);
  assert.equal(all.received.length, 1);
  assert.doesNotMatch(all.parley.logText(), /visitor-token|account-key/);
  await client.close();
});

test('without a logged-in visitor the account key admits the host and goes to no API', async () => {
  await using all = await startAll();
  await startSession(all.url);
  const sessionId = 'session-CANARY-1';
  const client = await connect2025(`${all.url}/mcp`, { authorization: `Bearer ${ACCOUNT_KEY}` });
  const args = { domain: 'orders', product: 'lamp' };
  await client.callTool({ name: 'orders_create_order', arguments: args, _meta: { sessionId } });
  assert.equal(all.received.length, 1);
  assert.equal(all.received[0]?.headers.authorization, undefined);
  assert.doesNotMatch(JSON.stringify(all.received), /account-key/);
  await client.close();
  assert.equal((await fetch(`${all.url}/mcp`, { method: 'POST', body: '{}' })).status, 401);
});

test('SIGHUP reads the file anew, and a mistake in it ends neither the relay nor what was in force', async () => {
  await using all = await startAll();
  const pid = all.parley.pid;
  await all.rewrite('    wrong: 1\n');
  process.kill(pid, 'SIGHUP');
  await until(() => all.parley.logText().includes('is not taken over'));
  await all.rewrite('    deny: [create_order]\n');
  process.kill(pid, 'SIGHUP');
  await until(() => all.parley.logText().includes('was read anew'));
  const client = await connect2025(`${all.url}/mcp`, { authorization: `Bearer ${ACCOUNT_KEY}` });
  assert.deepEqual((await client.listTools()).tools, []);
  await client.close();
});

test('a relay whose parley.yaml has a mistake does not start, says where it is, and ends with 78', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'parley-tools-'));
  const file = join(directory, 'parley.yaml');
  await writeFile(file, 'mcp: {callers: session}\ntools: {ulr: http://127.0.0.1:9/mcp}\n');
  const parley = startParley(MAIN, {
    MCP_HOST_BASE_URL: 'http://127.0.0.1:9',
    APPLICATION_ID: 'app-1',
    TUIX_AI_AGENTS_API_KEY: ACCOUNT_KEY,
    PARLEY_CONFIG: file,
  });
  assert.equal((await parley.ended).code, 78);
  assert.match(parley.complaint(), /parley\.yaml:2:9 tools\.ulr: received the unknown key "ulr", expected "url"/);
  await rm(directory, { recursive: true });
});
