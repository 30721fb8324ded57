import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryStore } from '../../relay/store/memory-store.ts';
import { openStore } from '../../relay/store/open-store.ts';
import type { CommitResult, Condition, Write } from '../../relay/store/store.ts';
import type { SourceResult } from '../../relay/tool-gateway/tool-source.ts';
import { toolErrorResult } from '../../relay/tool-gateway/tool-source.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { type DomainUnderTest, startGateway } from './gateway-under-test.ts';
import { connect2025, connect2026 } from './mcp-clients.ts';
import { NOTE, recordingSource, textResult } from './recording-source.ts';
import { until } from './until.ts';

type Client = Awaited<ReturnType<typeof connect2025>>;
type Answer = Pick<SourceResult, 'content' | 'isError' | '_meta' | 'structuredContent'>;

const call = (client: Client, options: { key?: string; args?: object; session?: string; name?: string }) =>
  client.callTool({
    name: options.name ?? 'x_note',
    arguments: { ...options.args },
    _meta: { sessionId: options.session ?? 's', ...(options.key !== undefined && { idempotencyKey: options.key }) },
  }) as Promise<Answer>;
const textOf = ({ content }: Answer) => content[0]?.text;
const codeOf = (answer: Answer) => (answer.structuredContent as { code?: string } | undefined)?.code;
const isReplay = ({ _meta }: Answer) => _meta?.['parley/replay'] === true;

async function withGateway(domain: DomainUnderTest, use: (client: Client) => Promise<void>): Promise<void> {
  await using gateway = await startGateway({ domains: [{ name: 'x', ...domain }] });
  const client = await connect2025(`${gateway.url}/mcp`);
  await use(client);
  await client.close();
}

test('a repeated key gives back the first result, marked as a replay, without a second call [S1.12]', async () => {
  const source = recordingSource();
  await withGateway({ source }, async (client) => {
    const first = await call(client, { key: 'k', args: { a: 1, b: null } });
    const second = await call(client, { key: 'k', args: { b: '', a: 1 } });
    assert.deepEqual([textOf(first), isReplay(first)], ['call 1', false]);
    assert.deepEqual([textOf(second), isReplay(second)], ['call 1', true]);
    assert.equal(source.calls.length, 1);
    assert.equal(source.calls[0]?.meta.idempotencyKey, 'k');
  });
});

test('the same key with other arguments is a conflict, and another session, tool, caller or key is another call [S1.13]', async () => {
  const source = recordingSource();
  source.tools = [NOTE, { ...NOTE, name: 'other' }];
  await using gateway = await startGateway({ domains: [{ name: 'x', source }] });
  const anna = await connect2025(`${gateway.url}/mcp`, { authorization: 'Bearer anna' });
  const ben = await connect2025(`${gateway.url}/mcp`, { authorization: 'Bearer ben' });
  await call(anna, { key: 'k', args: { a: 1 } });
  assert.equal(codeOf(await call(anna, { key: 'k', args: { a: 2 } })), 'key_conflict');
  assert.equal(source.calls.length, 1);
  await call(anna, { key: 'k', args: { a: 1 }, session: 'other' });
  await call(anna, { key: 'k', args: { a: 1 }, name: 'x_other' });
  await call(anna, { key: 'k2', args: { a: 1 } });
  assert.equal(isReplay(await call(ben, { key: 'k', args: { a: 1 } })), false);
  assert.equal(source.calls.length, 5);
  await Promise.all([anna.close(), ben.close()]);
});

test('calls without a key and reads are made every time [S1.19]', async () => {
  const source = recordingSource();
  await withGateway({ source }, async (client) => {
    for (const options of [{}, {}, { key: 'k', name: 'x_read' }, { key: 'k', name: 'x_read' }])
      await call(client, options);
    assert.equal(source.calls.length, 4);
  });
});

test('an API that takes the key decides for itself where the owner says so, and only there', async () => {
  const source = recordingSource();
  source.tools = [
    { ...NOTE, takesIdempotencyKey: true },
    { ...NOTE, name: 'forgetful' },
  ];
  await withGateway({ source, repeats: 'api' }, async (client) => {
    for (const name of ['x_note', 'x_note', 'x_forgetful', 'x_forgetful']) await call(client, { key: 'k', name });
    assert.deepEqual(
      source.calls.map(({ name }) => name),
      ['note', 'note', 'forgetful'],
    );
  });
});

test('an error is not remembered: the same key calls again', async () => {
  const source = recordingSource((_, count) =>
    count === 1 ? { ...textResult('no'), isError: true } : textResult(`call ${count}`),
  );
  await withGateway({ source }, async (client) => {
    assert.equal((await call(client, { key: 'k' })).isError, true);
    assert.equal(textOf(await call(client, { key: 'k' })), 'call 2');
    assert.equal(isReplay(await call(client, { key: 'k' })), true);
    assert.equal(source.calls.length, 2);
  });
});

test('a question to the caller is not remembered: the call comes again with the answer, and then its result is', async () => {
  const question = {
    content: [],
    resultType: 'input_required',
    inputRequests: {
      name: {
        method: 'elicitation/create',
        params: { message: 'Name?', requestedSchema: { type: 'object', properties: {} } },
      },
    },
    requestState: 'opaque',
  };
  const source = recordingSource((given, count) => (given.inputResponses ? textResult(`call ${count}`) : question));
  await using gateway = await startGateway({ domains: [{ name: 'x', source }] });
  const client = await connect2026(`${gateway.url}/mcp`, {}, { capabilities: { elicitation: {} } });
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
  const ask = () => client.callTool({ name: 'x_note', arguments: {}, _meta: { sessionId: 's', idempotencyKey: 'k' } });
  const result = (await ask()) as Answer;
  assert.equal(textOf(result), 'call 2');
  assert.deepEqual(source.calls[1]?.inputResponses, { name: { action: 'accept', content: { name: 'Ada' } } });
  assert.equal(source.calls[1]?.requestState, 'opaque');
  await client.close();
});

test('a call whose outcome is not known is not made again', async () => {
  const unknown: SourceResult = {
    ...toolErrorResult({ code: 'outcome_unknown', retryable: false, hint: 'lost' }),
    _meta: { 'parley/outcome': 'unknown' },
  };
  const source = recordingSource(() => unknown);
  await withGateway({ source }, async (client) => {
    assert.equal(codeOf(await call(client, { key: 'k' })), 'outcome_unknown');
    assert.equal(codeOf(await call(client, { key: 'k' })), 'outcome_unknown');
    assert.equal(source.calls.length, 1);
  });
});

test('a call that timed out is not made again, and a read that timed out is', async () => {
  const never = () => new Promise<SourceResult>(() => {});
  const hanging = recordingSource((_, __, signal) =>
    Promise.race([
      never(),
      new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ]),
  );
  await withGateway({ source: hanging, timeoutMs: 100 }, async (client) => {
    assert.equal(codeOf(await call(client, { key: 'k' })), 'api_timeout');
    assert.equal(codeOf(await call(client, { key: 'k' })), 'outcome_unknown');
    assert.equal(codeOf(await call(client, { key: 'k', name: 'x_read' })), 'api_timeout');
    assert.equal(codeOf(await call(client, { key: 'k', name: 'x_read' })), 'api_timeout');
    assert.equal(hanging.calls.length, 3);
  });
});

test('when all who wait have left, the call is cancelled and its outcome not known; while one waits, it goes on', async () => {
  const { promise: release, resolve } = Promise.withResolvers<void>();
  const cancelled: boolean[] = [];
  const source = recordingSource(async (_, count, signal) => {
    signal.addEventListener('abort', () => cancelled.push(true));
    await release;
    signal.throwIfAborted();
    return textResult(`call ${count}`);
  });
  await using gateway = await startGateway({ domains: [{ name: 'x', source }] });
  const client = await connect2026(`${gateway.url}/mcp`);
  const params = { name: 'x_note', arguments: {}, _meta: { sessionId: 's', idempotencyKey: 'k' } };
  const leaving = new AbortController();
  const left = assert.rejects(client.callTool(params, { signal: leaving.signal }));
  await until(() => source.calls.length === 1);
  const staying = client.callTool(params) as Promise<Answer>;
  await new Promise((done) => setTimeout(done, 50));
  leaving.abort();
  await left;
  resolve();
  assert.equal(textOf(await staying), 'call 1');
  assert.equal(source.calls.length, 1);
  assert.deepEqual(cancelled, []);
  await client.close();
});

test('what another relay has begun and not finished, because it died, is told as not known and not made again', async () => {
  let nowMs = Date.now();
  const store = new MemoryStore();
  const hanging = recordingSource(() => new Promise<SourceResult>(() => {}));
  const dead = await startGateway({ domains: [{ name: 'x', source: hanging }], store });
  const source = recordingSource();
  await using alive = await startGateway({ domains: [{ name: 'x', source }], store, now: () => nowMs });
  const first = await connect2025(`${dead.url}/mcp`);
  const second = await connect2025(`${alive.url}/mcp`);
  const lost = call(first, { key: 'k' }).catch(() => 'lost');
  await until(() => hanging.calls.length === 1);
  nowMs += 60_000;
  assert.equal(codeOf(await call(second, { key: 'k' })), 'outcome_unknown');
  assert.equal(source.calls.length, 0);
  await first.close();
  await second.close();
  await lost;
  await dead[Symbol.asyncDispose]();
  await store.close();
});

test('50 identical calls at once over two relays with Redis have one effect, and all get its result', async () => {
  const redis = await startRedisServer();
  try {
    const stores = await Promise.all([openStore(redis.url), openStore(redis.url)]);
    let effects = 0;
    const sources = stores.map(() =>
      recordingSource(async () => {
        effects += 1;
        const effect = effects;
        await new Promise((resolve) => setTimeout(resolve, 100));
        return textResult(`effect ${effect}`);
      }),
    );
    const gateways = await Promise.all(
      stores.map((store, index) => startGateway({ domains: [{ name: 'x', source: sources[index]! }], store })),
    );
    const clients = await Promise.all(gateways.map(({ url }) => connect2025(`${url}/mcp`)));
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => call(clients[index % 2]!, { key: 'k', args: { n: 1 } })),
    );
    assert.equal(effects, 1);
    assert.deepEqual(new Set(answers.map(textOf)), new Set(['effect 1']));
    assert.equal(answers.filter((answer) => !isReplay(answer)).length, 1);
    await Promise.all(clients.map((client) => client.close()));
    await Promise.all(gateways.map((gateway) => gateway[Symbol.asyncDispose]()));
    await Promise.all(stores.map((store) => store.close()));
  } finally {
    await redis.stop();
  }
});

test('50 identical calls that wait for one which fails all get its failure, and the next one is made again', async () => {
  const store = new CountingStore();
  const source = recordingSource(async (_, count) => {
    await until(() => store.countedCalls >= 50);
    return { ...textResult(`failure ${count}`), isError: true };
  });
  const domain = { name: 'x', source, callsPerMinute: 1_000 };
  const gateways = await Promise.all([0, 1].map(() => startGateway({ domains: [domain], store })));
  const clients = await Promise.all(gateways.map(({ url }) => connect2025(`${url}/mcp`)));
  const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => call(clients[index % 2]!, { key: 'k' })));
  assert.deepEqual(new Set(answers.map(textOf)), new Set(['failure 1']));
  assert.equal(textOf(await call(clients[0]!, { key: 'k' })), 'failure 2');
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all(gateways.map((gateway) => gateway[Symbol.asyncDispose]()));
  await store.close();
});

/** Knows how many calls have passed the limits, which is the step before the memory of calls. */
class CountingStore extends MemoryStore {
  countedCalls = 0;

  override commit(conditions: readonly Condition[], writes: readonly Write[]): Promise<CommitResult> {
    if (writes.some(({ type }) => type === 'add')) this.countedCalls += 1;
    return super.commit(conditions, writes);
  }
}

test('arguments that JSON readers fold into one another are refused with their place, and nothing is called', async () => {
  const source = recordingSource();
  await withGateway({ source }, async (client) => {
    const answer = await call(client, { key: 'k', args: { order: { id: 2 ** 53 } } });
    assert.equal(codeOf(answer), 'invalid_arguments');
    assert.equal((answer.structuredContent as { field: string }).field, 'order/id');
    assert.equal(source.calls.length, 0);
  });
});
