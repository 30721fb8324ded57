import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createLog } from '../../relay/log.ts';
import { FrameReader } from '../../relay/protocol/frame-reader.ts';
import { MemoryStore } from '../../relay/store/memory-store.ts';
import { openTools } from '../../relay/tools.ts';
import { connect2025 } from '../gateway/mcp-clients.ts';
import { API_KEY, startRelay } from '../support/relay-under-test.ts';
import { say, startScriptedHost } from '../support/scripted-host.ts';

const SMS_SECRET = 'shared with the service that sends codes';

async function listen(answer: RequestListener) {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += part;
  return text;
}

/** Everything real: the owner's API and his service for codes over HTTP, his descriptions, the relay, a client of MCP. */
async function begin(options: { waitMs: number }) {
  const apiCalls: string[] = [];
  const api = await listen(async (request, response) => {
    apiCalls.push(`${request.method} ${request.url} ${await bodyOf(request)}`.trim());
    response.setHeader('content-type', 'application/json');
    response.end('{"ok":true}');
  });
  const codes: { code: string; transactionId: string; recipient: { address: string } }[] = [];
  const service = await listen(async (request, response) => {
    const body = await bodyOf(request);
    const [, seconds, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(request.headers['x-parley-signature'])) ?? [];
    assert.equal(mac, createHmac('sha256', SMS_SECRET).update(`${seconds}.${body}`).digest('hex'));
    const asked = JSON.parse(body);
    if (asked.type === 'code') codes.push(asked);
    response.end(asked.type === 'recipient' ? JSON.stringify({ address: `phone of ${asked.authorization}` }) : '');
  });
  const directory = await mkdtemp(join(tmpdir(), 'parley-rules-'));
  await cp(join(import.meta.dirname, '../support/check-tools'), directory, { recursive: true });
  const file = join(directory, 'parley.yaml');
  const domain = (name: string, about: string) =>
    `  ${name}: { about: ${about}, openapi: ${name}.yaml, baseUrl: ${api.url}, credential: none, privateNetworks: [127.0.0.0/8] }`;
  const webhook = `{ url: ${service.url}, secret: "\${SMS_SECRET}" }`;
  await writeFile(
    file,
    `mcp: { callers: open }
domains:
${domain('coach', 'long-distance coaches')}
${domain('car', 'hired cars')}
verification: { send: webhook, webhook: ${webhook}, recipient: ${webhook}, waitMs: ${options.waitMs} }
`,
  );
  const store = new MemoryStore();
  const logLines: string[] = [];
  const tools = await openTools({
    ...{ file, environment: { SMS_SECRET }, listensOn: '127.0.0.1', accountKey: API_KEY, store },
    secrets: ['a secret of the tests, 32 bytes or more'],
    log: createLog('info', { write: (line) => void logLines.push(line) }),
  });
  const host = await startScriptedHost();
  const relay = await startRelay({ store, sharedHost: host, tools, verifications: tools.verifications });
  const client = await connect2025(`${relay.url}/mcp`, { authorization: 'Bearer visitor-1' });
  const session = await relay.startSession({ authorization: 'Bearer visitor-1' });
  const { body } = host.requests.find(({ url }) => url.endsWith('/session')) ?? { body: '' };
  assert.ok(body);
  const call = async (name: string, args: Record<string, unknown>, idempotencyKey?: string) => {
    const meta = { sessionId: 'session-CANARY-1', ...(idempotencyKey && { idempotencyKey }) };
    const result = await client.callTool({ name, arguments: args, _meta: meta });
    const [content] = result.content as { text: string }[];
    return { isError: result.isError === true, ...JSON.parse(content?.text.startsWith('{') ? content.text : '{}') };
  };
  return {
    ...{ relay, host, client, session, call, apiCalls, codes, logText: () => logLines.join('') },
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await relay[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
      await api.close();
      await service.close();
      await store.close();
      await rm(directory, { recursive: true });
    },
  };
}

describe('from the agent through /mcp to the owner’s API', () => {
  test('lock, switch, arguments, release by the visitor and replay, with one line of the audit log for each call', async () => {
    await using at = await begin({ waitMs: 10_000 });
    const names = (await at.client.listTools()).tools.map(({ name }) => name);
    assert.deepEqual(names, ['coach_search', 'coach_book', 'car_search', 'switch_domain']);
    const results: unknown[] = [];
    at.host.onChat(async ({ frame, response }) => {
      const trip = { from: 'Bern', to: 'Milan', departure: '2026-03-14' };
      const key = 'a'.repeat(64);
      for (const [name, args, idempotencyKey] of [
        ['coach_search', { domain: 'coach', ...trip }],
        ['car_search', { domain: 'car', ...trip }],
        ['switch_domain', { from: 'coach', to: 'car', reason: 'and a car' }],
        ['car_search', { domain: 'car', ...trip, departure: '14.03.2026' }],
        ['car_search', { domain: 'car', ...trip }],
        ['switch_domain', { from: 'car', to: 'coach', reason: 'book the coach' }],
        ['coach_book', { domain: 'coach', trip: 'T1' }, key],
        ['coach_book', { domain: 'coach', trip: 'T1' }, key],
      ] as const) {
        const { isError, code } = await at.call(name, args, idempotencyKey);
        results.push(isError ? code : name);
      }
      say('Booked.')({ frame, response } as never);
    });
    const answer = await at.relay.chat(at.session, 'Book it', { headers: { authorization: 'Bearer visitor-1' } });
    const frames = new FrameReader({ maxLineBytes: 100_000, maxEventBytes: 100_000 });
    for await (const bytes of answer.body ?? []) {
      for (const frame of frames.push(bytes)) {
        if (frame.type !== 'verification') continue;
        const { transactionId, arguments: args } = JSON.parse(frame.data);
        assert.deepEqual(args, { trip: 'T1' });
        while (at.codes.length === 0) await new Promise(setImmediate);
        assert.equal(at.codes[0]?.recipient.address, 'phone of Bearer visitor-1');
        const body = { transactionId, code: at.codes[0]?.code };
        const token = { 'x-session-token': at.session.token };
        const released = await at.relay.post(`/session/${at.session.sessionId}/verification`, body, token);
        assert.equal(released.status, 200);
      }
    }
    assert.deepEqual(results, [
      'coach_search',
      'domain_locked',
      'switch_domain',
      'invalid_arguments',
      'car_search',
      'switch_domain',
      'coach_book',
      'coach_book',
    ]);
    assert.deepEqual(at.apiCalls, [
      'GET /trips?from=Bern&to=Milan&departure=2026-03-14',
      'GET /cars?from=Bern&to=Milan&departure=2026-03-14',
      'POST /bookings {"trip":"T1"}',
    ]);
    const lines = at
      .logText()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.filter(({ msg }) => msg === 'decision').map(({ decision }) => decision),
      ['allowed', 'refused', 'switched', 'refused', 'allowed', 'switched', 'verified', 'replayed'],
    );
    const code = at.codes[0]?.code ?? '';
    const heard = at.host.requests.map(({ body, url }) => body + url).join('') + at.logText() + at.relay.logText();
    assert.doesNotMatch(heard, new RegExp(code));
  });

  test('without a session a call is refused with the way to send one', async () => {
    await using at = await begin({ waitMs: 0 });
    const result = await at.client.callTool({ name: 'coach_search', arguments: { domain: 'coach' } });
    const [content] = result.content as { text: string }[];
    assert.equal(JSON.parse(content?.text ?? '{}').code, 'session_required');
    assert.deepEqual(at.apiCalls, []);
  });
});
