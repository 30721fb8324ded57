import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import express from 'express';
import { ConfigError } from '../../relay/config.ts';
import { requestContext } from '../../relay/http/request-context.ts';
import { createLog } from '../../relay/log.ts';
import { MemoryStore } from '../../relay/store/memory-store.ts';
import { type OpenedTools, openTools } from '../../relay/tools.ts';
import { startFixtureMcpServer } from './fixture-mcp-server.ts';
import { connect2026 } from './mcp-clients.ts';
import { until } from './until.ts';

interface ConfiguredRelay {
  readonly url: string;
  readonly tools: OpenedTools;
  readonly logText: () => string;
  write(name: string, text: string): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

async function startConfigured(config: string, files: Readonly<Record<string, string>> = {}): Promise<ConfiguredRelay> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-config-'));
  const write = async (name: string, text: string) => {
    // As editors and mounted configurations do it: another file takes the name.
    await writeFile(join(directory, `.${name}`), text);
    await rename(join(directory, `.${name}`), join(directory, name));
  };
  for (const [name, text] of Object.entries(files)) await write(name, text);
  await write('parley.yaml', config);
  const lines: string[] = [];
  const log = createLog('debug', { write: (line) => void lines.push(line) });
  const store = new MemoryStore();
  const tools = await openTools({
    file: join(directory, 'parley.yaml'),
    environment: {},
    listensOn: '127.0.0.1',
    accountKey: 'account',
    secrets: ['x'.repeat(32)],
    store,
    log,
  });
  const app = express();
  app.use(requestContext(log), tools.routes);
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tools,
    logText: () => lines.join(''),
    write,
    [Symbol.asyncDispose]: async () => {
      await tools.close(100);
      server.closeAllConnections();
      server.close();
      await store.close();
      await rm(directory, { recursive: true });
    },
  };
}

const config = (url: string, more = '') =>
  `mcp: {callers: open}\ndomains:\n  shop:\n    about: A shop.\n    mcp: {url: "${url}"}\n    credential: none\n${more}`;

async function toolNames(client: Awaited<ReturnType<typeof connect2026>>): Promise<string[]> {
  return (await client.listTools(undefined, { cacheMode: 'refresh' })).tools.map(({ name }) => name);
}

test('a changed file is in force by itself, its listeners are told, and the connections to its servers go on', async () => {
  await using server = await startFixtureMcpServer();
  await using relay = await startConfigured(config(server.url));
  const { promise: changed, resolve } = Promise.withResolvers<void>();
  const client = await connect2026(
    `${relay.url}/mcp`,
    {},
    {
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => resolve() } },
    },
  );
  assert.ok((await toolNames(client)).includes('shop_create'));
  await relay.write('parley.yaml', config(server.url, '    deny: [create]\n'));
  await changed;
  assert.ok(!(await toolNames(client)).includes('shop_create'));
  assert.equal((await client.callTool({ name: 'shop_create', arguments: {} })).isError, true);
  assert.equal(server.calls.length, 0);
  assert.equal(server.initialisations(), 1);
  await client.close();
});

test('a file with mistakes leaves the old one in force and says why, and the corrected one is taken', async () => {
  await using server = await startFixtureMcpServer();
  await using relay = await startConfigured(config(server.url));
  const client = await connect2026(`${relay.url}/mcp`);
  await relay.write('parley.yaml', config(server.url, '    dney: [create]\n'));
  await until(() => relay.logText().includes('is not taken over'));
  assert.match(relay.logText(), /"path":"domains\.shop\.dney".*"expected":"\\"deny\\""/);
  assert.ok((await toolNames(client)).includes('shop_create'));
  await relay.write('parley.yaml', 'mcp: [');
  assert.equal(await relay.tools.reload(), false);
  assert.ok((await toolNames(client)).includes('shop_create'));
  await relay.write('parley.yaml', config(server.url, '    deny: [create]\n'));
  assert.equal(await relay.tools.reload(), true);
  assert.ok(!(await toolNames(client)).includes('shop_create'));
  await client.close();
});

const description = (paths: string) => `openapi: 3.1.0\ninfo: {title: t, version: "1"}\npaths:\n${paths}`;
const operation = (name: string) =>
  `  /${name}:\n    get: {operationId: ${name}, responses: {"200": {description: ok}}}\n`;

test('a changed API description is in force by itself, and a broken one leaves the old one in force', async () => {
  const domains =
    'mcp: {callers: open}\ndomains:\n  api:\n    about: An API.\n    openapi: api.yaml\n    baseUrl: http://127.0.0.1:9\n    credential: none\n';
  await using relay = await startConfigured(domains, { 'api.yaml': description(operation('first')) });
  const client = await connect2026(`${relay.url}/mcp`);
  assert.deepEqual(await toolNames(client), ['api_first']);
  await relay.write('api.yaml', description(operation('first') + operation('second')));
  await until(async () => (await toolNames(client)).length === 2);
  await relay.write('api.yaml', 'no: description\n');
  await until(() => relay.logText().includes('is not taken over'));
  assert.deepEqual(await toolNames(client), ['api_first', 'api_second']);
  await client.close();
});

test('a relay does not start with mistakes, with a description that is not there, or without its file', async () => {
  const wrong = (text: string) => assert.rejects(startConfigured(text), ConfigError);
  await wrong('mcp: {callers: open}\n');
  await wrong('mcp: {callers: open}\ndomains:\n  api: {about: x, openapi: missing.yaml, credential: none}\n');
  await assert.rejects(
    openTools({
      file: join(tmpdir(), 'no-such-folder', 'parley.yaml'),
      environment: {},
      listensOn: '127.0.0.1',
      accountKey: 'a',
      secrets: ['x'.repeat(32)],
      store: new MemoryStore(),
      log: createLog('silent'),
    }),
    /expected a file that can be read/,
  );
});
