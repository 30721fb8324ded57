import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFixtureMcpServer } from './fixture-mcp-server.ts';
import { FIXTURE_TOOLS } from './fixture-tools.ts';
import { mcpSource, startGateway } from './gateway-under-test.ts';
import { connect2025, connect2026 } from './mcp-clients.ts';
import { until } from './until.ts';

const GENERATIONS = [
  ['2025', connect2025],
  ['2026-07-28', connect2026],
] as const;

for (const [revision, connect] of GENERATIONS) {
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

  test(`_meta of a request and of a result goes through for ${revision}, and fields of one hop are made anew`, async () => {
    await using server = await startFixtureMcpServer();
    await using gateway = await startGateway({ domains: [{ source: mcpSource(server.url) }] });
    const client = await connect(`${gateway.url}/mcp`);
    const meta = {
      sessionId: 's-1',
      idempotencyKey: 'k-1',
      traceparent: '00-ab-cd-01',
      'example.com/own': { a: null },
    };
    const result = await client.callTool(
      { name: 'echo', arguments: { text: 'x' }, _meta: meta },
      ...withProgress(revision),
    );
    assert.equal(result._meta?.['example.com/trace'], '00-ab-cd-01');
    const seen = server.calls[0]?.meta ?? {};
    const { progressToken, ...others } = seen;
    assert.deepEqual(others, meta);
    assert.notEqual(progressToken, undefined, 'progress was asked for on this hop too');
    await client.close();
  });

  test(`progress of a tool reaches a client of ${revision} before its result`, async () => {
    await using server = await startFixtureMcpServer();
    await using gateway = await startGateway({ domains: [{ source: mcpSource(server.url) }] });
    const client = await connect(`${gateway.url}/mcp`);
    const seen: unknown[] = [];
    const onprogress = (progress: unknown) => seen.push(progress);
    const call = { name: 'steps', arguments: {} };
    const result =
      'getNegotiatedProtocolVersion' in client
        ? await (client as Awaited<ReturnType<typeof connect2026>>).callTool(call, { onprogress })
        : await (client as Awaited<ReturnType<typeof connect2025>>).callTool(call, undefined, { onprogress });
    assert.deepEqual(seen, [
      { progress: 1, total: 3, message: 'step 1' },
      { progress: 2, total: 3, message: 'step 2' },
      { progress: 3, total: 3, message: 'step 3' },
    ]);
    assert.deepEqual(result.content, [{ type: 'text', text: 'all steps' }]);
    await client.close();
  });

  test(`a call that a client of ${revision} cancels is cancelled at the server`, async () => {
    await using server = await startFixtureMcpServer();
    await using gateway = await startGateway({ domains: [{ source: mcpSource(server.url) }] });
    const client = await connect(`${gateway.url}/mcp`);
    const leaving = new AbortController();
    const options = { signal: leaving.signal };
    const call = { name: 'slow', arguments: {} };
    const answer =
      'getNegotiatedProtocolVersion' in client
        ? (client as Awaited<ReturnType<typeof connect2026>>).callTool(call, options)
        : (client as Awaited<ReturnType<typeof connect2025>>).callTool(call, undefined, options);
    const failed = assert.rejects(answer);
    await until(() => server.calls.length === 1);
    leaving.abort();
    await failed;
    if (revision === '2025') await client.close();
    await until(() => server.cancelled.includes('slow'));
    await client.close();
  });

  test(`a tool’s own failure stays a result with isError for ${revision}`, async () => {
    await using server = await startFixtureMcpServer();
    await using gateway = await startGateway({ domains: [{ source: mcpSource(server.url) }] });
    const client = await connect(`${gateway.url}/mcp`);
    const result = await client.callTool({ name: 'fail', arguments: {} });
    assert.equal(result.isError, true);
    assert.deepEqual(result.content, [{ type: 'text', text: 'it did not work' }]);
    await client.close();
  });
}

test('a tool list that changes at the server is told to a client that listens, and the next list has the change', async () => {
  await using server = await startFixtureMcpServer();
  await using gateway = await startGateway({ domains: [{ source: mcpSource(server.url) }] });
  const { promise: changed, resolve } = Promise.withResolvers<void>();
  const client = await connect2026(
    `${gateway.url}/mcp`,
    {},
    {
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => resolve() } },
    },
  );
  assert.equal((await client.listTools()).tools.length, FIXTURE_TOOLS.length);
  await until(() => server.requests.some(({ method }) => method === 'GET'));
  await server.setTools(FIXTURE_TOOLS.slice(0, 2));
  await changed;
  assert.deepEqual(
    (await client.listTools(undefined, { cacheMode: 'refresh' })).tools.map(({ name }) => name),
    ['echo', 'create'],
  );
  await client.close();
});

test('arguments named _meta are the host’s and never reach a tool', async () => {
  await using server = await startFixtureMcpServer();
  await using gateway = await startGateway({ domains: [{ source: mcpSource(server.url) }] });
  const client = await connect2025(`${gateway.url}/mcp`);
  await client.callTool({ name: 'create', arguments: { name: 'x', _meta: { sessionId: 'forged' } } });
  assert.deepEqual(server.calls[0]?.arguments, { name: 'x' });
  assert.deepEqual(server.calls[0]?.meta, {});
  await client.close();
});

test('a tool that the server does not have is an answer that a model can read', async () => {
  await using server = await startFixtureMcpServer();
  await using gateway = await startGateway({ domains: [{ source: mcpSource(server.url) }] });
  const client = await connect2025(`${gateway.url}/mcp`);
  const result = await client.callTool({ name: 'ech0', arguments: {} });
  assert.equal(result.isError, true);
  assert.equal((result.structuredContent as { code: string }).code, 'unknown_tool');
  assert.equal(server.calls.length, 0);
  await client.close();
});

test('an answer that is too long is cut with a note that the call was carried out', async () => {
  await using server = await startFixtureMcpServer();
  await using gateway = await startGateway({ domains: [{ source: mcpSource(server.url), maxResultBytes: 10_000 }] });
  const client = await connect2025(`${gateway.url}/mcp`);
  const { content, isError } = (await client.callTool({ name: 'large', arguments: {} })) as {
    content: { text: string }[];
    isError?: boolean;
  };
  assert.equal(isError, undefined);
  assert.match(content[0]?.text ?? '', /^x{1000,10000}$/);
  assert.match(content[1]?.text ?? '', /has been carried out: do not repeat/);
  await client.close();
});

test('a call that takes too long is cancelled at the server and told as a time-out', async () => {
  await using server = await startFixtureMcpServer();
  await using gateway = await startGateway({ domains: [{ source: mcpSource(server.url), timeoutMs: 200 }] });
  const client = await connect2025(`${gateway.url}/mcp`);
  const result = await client.callTool({ name: 'slow', arguments: {} });
  assert.equal((result.structuredContent as { code: string }).code, 'api_timeout');
  await until(() => server.cancelled.includes('slow'));
  await client.close();
});

test('a malformed tools/call is refused and reaches no server', async () => {
  await using server = await startFixtureMcpServer();
  await using gateway = await startGateway({ domains: [{ source: mcpSource(server.url) }] });
  for (const params of [{}, { name: 7 }, { name: 'echo', arguments: 'text' }, { name: 'echo', arguments: [1] }]) {
    const response = await fetch(`${gateway.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    assert.match(await response.text(), /"error":\{"code":-32602/);
  }
  assert.equal(server.calls.length, 0);
});

function withProgress(revision: string): [] {
  const options = { onprogress: () => {} };
  return (revision === '2025' ? [undefined, options] : [options]) as unknown as [];
}
