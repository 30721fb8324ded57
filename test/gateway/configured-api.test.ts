import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createLog } from '../../relay/log.ts';
import { readGatewayConfig } from '../../relay/tool-gateway/config/read-config.ts';
import { openSetup } from '../../relay/tool-gateway/open-setup.ts';
import type { ToolError } from '../../relay/tool-policy/tool-error.ts';
import { startGateway } from './gateway-under-test.ts';
import { connect2025 } from './mcp-clients.ts';

/** An API whose description names its own address, and a `parley.yaml` beside it; `more` are further keys of its domain. */
async function configuredApi(t: TestContext, status: number, more: (origin: string) => string) {
  let calls = 0;
  const api = createServer((_, response) => {
    calls += 1;
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"free":3}');
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
  const origin = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const directory = await mkdtemp(join(tmpdir(), 'parley-api-'));
  t.after(async () => {
    api.closeAllConnections();
    api.close();
    await rm(directory, { recursive: true });
  });
  const seats = { post: { operationId: 'seats', responses: { 200: { description: 'free seats' } } } };
  const info = { title: 'x', version: '1' };
  const description = { openapi: '3.0.3', info, servers: [{ url: origin }], paths: { '/seats': seats } };
  await writeFile(join(directory, 'api.json'), JSON.stringify(description));
  const text = `mcp: {callers: open}\ndomains:\n  coaches: {about: Coaches., openapi: api.json, credential: none, ${more(origin)}}\n`;
  const configFile = join(directory, 'parley.yaml');
  const config = readGatewayConfig(text, { file: configFile, variables: () => undefined, isLoopback: true });
  return {
    open: () => openSetup(config, { configFile, kept: new Map(), log: createLog('silent') }),
    calls: () => calls,
  };
}

test('calls go to the server that the description names where the owner allows its origin, and else nothing opens', async (t) => {
  const foreign = await configuredApi(t, 200, () => 'allowedOrigins: ["https://other.example"]');
  await assert.rejects(foreign.open(), { name: 'ApiDescriptionError' });

  const allowed = await configuredApi(t, 200, (origin) => `allowedOrigins: ["${origin}"]`);
  const { setup } = await allowed.open();
  await using gateway = await startGateway({ domains: setup.domains });
  const client = await connect2025(`${gateway.url}/mcp`);
  const result = await client.callTool({ name: 'coaches_seats', arguments: {} });
  assert.notEqual(result.isError, true);
  assert.equal(allowed.calls(), 1);
  await client.close();
});

test('a described API that answers 503 five times in a row is not asked a sixth time', async (t) => {
  const api = await configuredApi(t, 503, (origin) => `baseUrl: "${origin}"`);
  const { setup } = await api.open();
  await using gateway = await startGateway({ domains: setup.domains });
  const client = await connect2025(`${gateway.url}/mcp`);
  const codes: (string | undefined)[] = [];
  for (let index = 0; index < 6; index += 1) {
    const result = await client.callTool({ name: 'coaches_seats', arguments: {} });
    codes.push((result.structuredContent as ToolError | undefined)?.code);
  }
  assert.equal(codes[5], 'api_unavailable');
  assert.equal(api.calls(), 5);
  await client.close();
});
