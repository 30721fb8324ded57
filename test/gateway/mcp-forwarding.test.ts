import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFixtureMcpServer } from './fixture-mcp-server.ts';
import { FIXTURE_TOOLS } from './fixture-tools.ts';
import { mcpSource, startGateway } from './gateway-under-test.ts';
import { connect2025, connect2026 } from './mcp-clients.ts';

for (const [revision, connect] of [
  ['2025', connect2025],
  ['2026-07-28', connect2026],
] as const) {
  test(`a client of revision ${revision} sees one server’s tools as they are, over all pages, and calls one`, async () => {
    await using server = await startFixtureMcpServer();
    await using gateway = await startGateway({ domains: [{ source: mcpSource(server.url) }] });
    const client = await connect(`${gateway.url}/mcp`);
    const { tools } = await client.listTools();
    assert.deepEqual(tools, FIXTURE_TOOLS);
    const result = await client.callTool({ name: 'echo', arguments: { text: null, list: [null, 1] } });
    assert.deepEqual(result.structuredContent, { text: null, more: { nothing: null } });
    assert.deepEqual(result.content, [
      { type: 'text', text: '{"text":null,"list":[null,1]}', annotations: { priority: 0.5 } },
    ]);
    await client.close();
  });
}
