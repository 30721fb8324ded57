import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryStore } from '../../relay/store/memory-store.ts';
import { toolErrorResult } from '../../relay/tool-gateway/tool-source.ts';
import type { ToolError } from '../../relay/tool-policy/tool-error.ts';
import { startGateway } from './gateway-under-test.ts';
import { connect2025 } from './mcp-clients.ts';
import { recordingSource, textResult } from './recording-source.ts';
import { until } from './until.ts';

type Client = Awaited<ReturnType<typeof connect2025>>;

async function errorOf(client: Client, session: string, name = 'x_note'): Promise<ToolError | undefined> {
  const result = await client.callTool({ name, arguments: {}, _meta: { sessionId: session } });
  return result.structuredContent as ToolError | undefined;
}

test('a session may call a tool so many times in a minute, over all relays, and is told how long to wait [S3.16]', async () => {
  let nowMs = Date.now();
  const now = () => nowMs;
  const store = new MemoryStore({ now });
  const source = recordingSource();
  const domain = { name: 'x', source, callsPerMinute: 3, callsPerMinuteOf: { read: 1 } };
  await using first = await startGateway({ domains: [domain], store, now });
  await using second = await startGateway({ domains: [domain], store, now });
  const clients = [await connect2025(`${first.url}/mcp`), await connect2025(`${second.url}/mcp`)] as const;
  for (const index of [0, 1, 0] as const) assert.equal(await errorOf(clients[index], 's'), undefined);
  nowMs += 20_000;
  const refused = await errorOf(clients[1], 's');
  assert.deepEqual([refused?.code, refused?.retryable, refused?.retryAfterMs], ['rate_limited', true, 40_000]);
  assert.match(refused?.hint ?? '', /Wait 40 seconds/);
  assert.equal(await errorOf(clients[0], 'another'), undefined);
  assert.equal(await errorOf(clients[0], 's', 'x_read'), undefined);
  assert.equal((await errorOf(clients[0], 's', 'x_read'))?.code, 'rate_limited');
  nowMs += 40_000;
  assert.equal(await errorOf(clients[0], 's'), undefined);
  assert.equal(source.calls.length, 6);
  for (const client of clients) await client.close();
  await store.close();
});

test('no more calls run at once than the owner said; the others are told to come again', async () => {
  const { promise: release, resolve } = Promise.withResolvers<void>();
  const source = recordingSource(async () => {
    await release;
    return textResult('done');
  });
  await using gateway = await startGateway({ domains: [{ name: 'x', source, concurrentCalls: 2 }] });
  const client = await connect2025(`${gateway.url}/mcp`);
  const running = [errorOf(client, 's'), errorOf(client, 's')];
  await until(() => source.calls.length === 2);
  const third = await errorOf(client, 's');
  assert.deepEqual([third?.code, third?.retryAfterMs], ['rate_limited', 1_000]);
  resolve();
  assert.deepEqual(await Promise.all(running), [undefined, undefined]);
  assert.equal(await errorOf(client, 's'), undefined);
  await client.close();
});

test('an API that does not answer five times in a row is left alone, and one call tries after a while', async () => {
  let nowMs = 1_000_000;
  let isDown = true;
  const source = recordingSource(() =>
    isDown ? toolErrorResult({ code: 'api_unreachable', retryable: true, hint: 'x' }) : textResult('done'),
  );
  const other = recordingSource();
  await using gateway = await startGateway({
    domains: [
      { name: 'x', source },
      { name: 'y', source: other },
    ],
    now: () => nowMs,
  });
  const client = await connect2025(`${gateway.url}/mcp`);
  for (let index = 0; index < 5; index += 1) assert.equal((await errorOf(client, 's'))?.code, 'api_unreachable');
  const refused = await errorOf(client, 's');
  assert.deepEqual([refused?.code, refused?.retryAfterMs], ['api_unavailable', 10_000]);
  assert.equal(source.calls.length, 5);
  assert.equal(await errorOf(client, 's', 'y_note'), undefined);
  nowMs += 10_000;
  assert.equal((await errorOf(client, 's'))?.code, 'api_unreachable');
  assert.equal((await errorOf(client, 's'))?.code, 'api_unavailable');
  isDown = false;
  nowMs += 10_000;
  for (let index = 0; index < 3; index += 1) assert.equal(await errorOf(client, 's'), undefined);
  await client.close();
});

test('an API that refuses calls is not taken for one that does not answer', async () => {
  const refusal = { code: 'api_error', retryable: false, hint: 'x', api: { status: 400 } } as const;
  const source = recordingSource(() => toolErrorResult(refusal));
  await using gateway = await startGateway({ domains: [{ name: 'x', source }] });
  const client = await connect2025(`${gateway.url}/mcp`);
  for (let index = 0; index < 8; index += 1) assert.equal((await errorOf(client, 's'))?.code, 'api_error');
  assert.equal(source.calls.length, 8);
  await client.close();
});

test('a store that is not there refuses a call that may not be made twice, and the API is not asked', async () => {
  const store = new MemoryStore();
  const source = recordingSource();
  await using gateway = await startGateway({ domains: [{ name: 'x', source }], store });
  const client = await connect2025(`${gateway.url}/mcp`);
  await store.close();
  const params = { name: 'x_note', arguments: {}, _meta: { sessionId: 's', idempotencyKey: 'k' } };
  const result = await client.callTool(params);
  assert.equal((result.structuredContent as ToolError).code, 'store_unavailable');
  assert.equal(source.calls.length, 0);
  await client.close();
});
