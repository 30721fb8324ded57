import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SourceTool } from '../../relay/tool-gateway/tool-source.ts';
import { startFixtureMcpServer } from './fixture-mcp-server.ts';
import { mcpSource, startGateway } from './gateway-under-test.ts';
import { connect2025, connect2026 } from './mcp-clients.ts';
import { recordingSource } from './recording-source.ts';

const tool = (name: string): SourceTool => ({ name, inputSchema: { type: 'object' } });

test('with several domains each tool’s name begins with its domain, and each answer names it [S3.5, S3.7]', async () => {
  const orders = recordingSource();
  const coaches = recordingSource();
  await using gateway = await startGateway({
    domains: [
      { name: 'orders', source: orders },
      { name: 'coaches', source: coaches },
    ],
  });
  const client = await connect2025(`${gateway.url}/mcp`);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  assert.deepEqual(names, ['orders_note', 'orders_read', 'coaches_note', 'coaches_read']);
  const result = await client.callTool({ name: 'coaches_note', arguments: { a: 1 } });
  assert.equal(result._meta?.['parley/domain'], 'coaches');
  assert.deepEqual([orders.calls.length, coaches.calls[0]?.name, coaches.calls[0]?.arguments], [0, 'note', { a: 1 }]);
  await client.close();

  const single = await connect2025(`${gateway.url}/mcp/orders`);
  assert.deepEqual(
    (await single.listTools()).tools.map(({ name }) => name),
    ['orders_note', 'orders_read'],
  );
  assert.equal((await single.callTool({ name: 'coaches_note', arguments: {} })).isError, true);
  assert.equal(coaches.calls.length, 1);
  await single.close();
});

test('a transparent domain keeps its names at its own endpoint and has its prefix at the shared one', async () => {
  const source = recordingSource();
  await using gateway = await startGateway({ domains: [{ name: 'shop', source, isTransparent: true }] });
  const own = await connect2026(`${gateway.url}/mcp/shop`);
  assert.deepEqual(
    (await own.listTools()).tools.map(({ name }) => name),
    ['note', 'read'],
  );
  assert.equal((await own.callTool({ name: 'note', arguments: {} }))._meta?.['parley/domain'], undefined);
  await own.close();
  const shared = await connect2026(`${gateway.url}/mcp`);
  assert.deepEqual(
    (await shared.listTools()).tools.map(({ name }) => name),
    ['shop_note', 'shop_read'],
  );
  await shared.close();
});

test('names that do not fit are never just cut: two that begin alike stay two, stay the same, and both can be called', async () => {
  const long = 'get_a_very_long_name_that_goes_on_and_on_until_it_does_not_fit_any_more';
  const source = recordingSource();
  source.tools = [
    tool(`${long}_one`),
    tool(`${long}_two`),
    tool('with.dots/and ünicode'),
    tool('with_dots_and_nicode'),
    tool('short'),
  ];
  await using gateway = await startGateway({ domains: [{ name: 'orders', source }] });
  const client = await connect2025(`${gateway.url}/mcp`);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  assert.equal(new Set(names).size, 5);
  for (const name of names) assert.match(name, /^orders_[A-Za-z0-9_-]{1,57}$/);
  assert.equal(names[4], 'orders_short');
  for (const name of names) await client.callTool({ name, arguments: {} });
  assert.deepEqual(
    source.calls.map(({ name }) => name),
    source.tools.map(({ name }) => name),
  );
  source.tools = [...source.tools].reverse();
  assert.deepEqual(
    (await client.listTools()).tools.map(({ name }) => name),
    [...names].reverse(),
  );
  await client.close();
});

test('tools that are denied or not allowed are neither listed nor called, and a renamed one has only its new name', async () => {
  const source = recordingSource();
  source.tools = ['get_a', 'get_b', 'get_secret', 'delete_a', 'put.a'].map(tool);
  await using gateway = await startGateway({
    domains: [{ name: 'x', source, allow: ['get_*', 'put.a'], deny: ['*secret'], rename: { get_b: 'look_at_b' } }],
  });
  const client = await connect2025(`${gateway.url}/mcp`);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  assert.deepEqual(names.slice(0, 2), ['x_get_a', 'x_look_at_b']);
  assert.match(names[2] ?? '', /^x_put_a_[0-9a-f]{8}$/);
  assert.equal(names.length, 3);
  for (const name of ['x_get_secret', 'x_delete_a', 'x_get_b', 'get_a', 'X_get_a', 'x-get_a', 'x_get_a ', 'ｘ_get_a']) {
    assert.equal((await client.callTool({ name, arguments: {} })).isError, true, name);
  }
  assert.equal(source.calls.length, 0);
  await client.callTool({ name: 'x_look_at_b', arguments: {} });
  assert.equal(source.calls[0]?.name, 'get_b');
  await client.close();
});

test('a renamed tool is called by its own name at the server, in the body and in the headers that name it', async () => {
  await using server = await startFixtureMcpServer();
  await using gateway = await startGateway({
    domains: [{ name: 'shop', source: mcpSource(`${server.url}`), rename: { create: 'make' } }],
  });
  await using inner = await startGateway({ domains: [{ name: 'outer', source: mcpSource(`${gateway.url}/mcp`) }] });
  const client = await connect2026(`${inner.url}/mcp`);
  const result = await client.callTool({ name: 'outer_shop_make', arguments: { name: 'lamp' } });
  assert.match(JSON.stringify(result.content), /thing \d+ lamp/);
  assert.equal(server.calls[0]?.tool, 'create');
  await client.close();
});

test('an error of a tool with an output schema carries nothing that the schema would not allow', async () => {
  const source = recordingSource();
  const outputSchema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } as const;
  source.tools = [{ ...tool('make'), outputSchema }];
  await using gateway = await startGateway({ domains: [{ name: 'x', source, callsPerMinute: 1 }] });
  const client = await connect2025(`${gateway.url}/mcp`);
  await client.listTools();
  await assert.rejects(client.callTool({ name: 'x_make', arguments: {} }), /did not return structured content/);
  const refused = await client.callTool({ name: 'x_make', arguments: {} });
  assert.equal(refused.isError, true);
  assert.equal(refused.structuredContent, undefined);
  const [{ text }] = refused.content as [{ text: string }];
  assert.equal(JSON.parse(text).code, 'rate_limited');
  await client.close();
});

test('the list of tools is the same for every caller, in every session and order', async () => {
  await using gateway = await startGateway({
    domains: [
      { name: 'a', source: recordingSource() },
      { name: 'b', source: recordingSource() },
    ],
  });
  const lists = await Promise.all(
    ['Bearer one', 'Bearer two'].map(async (authorization) => {
      const client = await connect2025(`${gateway.url}/mcp`, { authorization });
      await client.callTool({ name: 'b_note', arguments: {}, _meta: { sessionId: authorization } });
      const { tools } = await client.listTools();
      await client.close();
      return tools;
    }),
  );
  assert.deepEqual(lists[0], lists[1]);
});
