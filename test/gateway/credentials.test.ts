import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { McpCallers } from '../../relay/http/mcp-callers.ts';
import { createLog } from '../../relay/log.ts';
import { CredentialDigests } from '../../relay/sessions/credential-digests.ts';
import { MemoryStore } from '../../relay/store/memory-store.ts';
import { createToolGateway } from '../../relay/tool-gateway/tool-gateway.ts';
import { startFixtureMcpServer } from './fixture-mcp-server.ts';
import { DOMAIN, mcpSource, startGateway } from './gateway-under-test.ts';
import { connect2025 } from './mcp-clients.ts';
import { recordingSource, textResult } from './recording-source.ts';

test('two visitors with credentials of their own are never mixed in 10,000 interleaved calls', async () => {
  const store = new MemoryStore();
  const log = createLog('silent');
  const digests = new CredentialDigests(randomBytes(32));
  const callers = new McpCallers({ store, digests, accountKey: 'account', now: Date.now });
  const source = recordingSource(async ({ arguments: args, credential, meta }) => {
    // Others run in between.
    await new Promise((resolve) => setImmediate(resolve));
    return textResult(`${args.whose} ${credential?.value} ${meta.sessionId}`);
  });
  const domain = { ...DOMAIN, name: 'x', source, concurrentCalls: 10_000 };
  const setup = { callers: { type: 'api' }, domains: [domain] } as const;
  const gateway = createToolGateway({ setup, callers, store, policy: undefined, log, now: Date.now });
  const wrong: string[] = [];
  await Promise.all(
    Array.from({ length: 10_000 }, async (_, index) => {
      const whose = index % 2 === 0 ? 'anna' : 'ben';
      const header = (name: string) => (name === 'authorization' ? `Bearer ${whose}` : undefined);
      const caller = await callers.admit(setup.callers, header);
      assert.ok(caller);
      // The same key for both: what one has done is not the other's.
      const meta = { sessionId: `session-${whose}`, idempotencyKey: `key-${Math.floor(index / 4)}` };
      const call = { endpoint: { domain: undefined }, caller, tool: 'x_note', arguments: { whose }, meta };
      const { content } = await gateway.callTool(call, new AbortController().signal);
      const expected = `${whose} Bearer ${whose} session-${whose}`;
      if (content[0]?.text !== expected) wrong.push(`${content[0]?.text} instead of ${expected}`);
    }),
  );
  assert.deepEqual(wrong, []);
  assert.equal(source.calls.length, 5_000);
  await store.close();
});

test('two visitors never share a session or a connection at a server, and tools are listed with neither’s credential', async () => {
  await using server = await startFixtureMcpServer();
  await using gateway = await startGateway({ domains: [{ source: mcpSource(server.url) }] });
  const anna = await connect2025(`${gateway.url}/mcp`, {
    authorization: 'Bearer anna',
    'x-parley-token': 't',
    cookie: 'c=1',
  });
  const ben = await connect2025(`${gateway.url}/mcp`, { authorization: 'Bearer ben', 'x-forwarded-for': '10.0.0.1' });
  await anna.listTools();
  const calls = Array.from({ length: 100 }, (_, index) => {
    const [client, whose] = index % 2 === 0 ? [anna, 'anna'] : [ben, 'ben'];
    return client.callTool({ name: 'create', arguments: { name: whose } });
  });
  await Promise.all(calls);
  const sessions = new Map<unknown, Set<unknown>>();
  for (const { arguments: args, headers } of server.calls) {
    assert.equal(headers.authorization, `Bearer ${args.name}`);
    sessions.set(args.name, (sessions.get(args.name) ?? new Set()).add(headers['mcp-session-id']));
  }
  assert.deepEqual([sessions.get('anna')?.size, sessions.get('ben')?.size], [1, 1]);
  assert.notDeepEqual(sessions.get('anna'), sessions.get('ben'));
  for (const { headers, rpc } of server.requests) {
    for (const name of ['x-parley-token', 'cookie', 'x-forwarded-for', 'x-api-key'])
      assert.equal(headers[name], undefined);
    if (rpc === 'tools/list') assert.equal(headers.authorization, undefined);
  }
  await Promise.all([anna.close(), ben.close()]);
});

test('a fixed credential is the API’s whoever calls, in the header that the owner chose; without one nothing is sent', async () => {
  const fixed = recordingSource();
  const none = recordingSource();
  await using gateway = await startGateway({
    domains: [
      { name: 'fixed', source: fixed, credential: { type: 'fixed', credential: { type: 'x-api-key', value: 'own' } } },
      { name: 'none', source: none, credential: { type: 'none' } },
    ],
  });
  const client = await connect2025(`${gateway.url}/mcp`, { authorization: 'Bearer visitor' });
  await client.callTool({ name: 'fixed_note', arguments: {} });
  await client.callTool({ name: 'none_note', arguments: {} });
  assert.deepEqual(fixed.calls[0]?.credential, { type: 'x-api-key', value: 'own' });
  assert.equal(none.calls[0]?.credential, undefined);
  await client.close();
});
