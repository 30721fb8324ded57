/** What a real client makes of the tools and of every kind of answer: it checks each against the announced schema. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { ApiDescriptionSource } from '../../relay/tool-gateway/api-description/api-description-source.ts';
import { load, oneOperation, startRecordingApi } from './api-description-recorder.ts';

const ORDER = {
  type: 'object',
  required: ['orderId'],
  properties: { orderId: { type: 'string' }, parent: { $ref: '#/components/schemas/Order' } },
};

async function clientOf(t: TestContext, source: ApiDescriptionSource): Promise<Client> {
  const server = new Server({ name: 'source', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [...(await source.listTools())] as never }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const result = await source.callTool({ name: params.name, arguments: params.arguments ?? {}, meta: {} }, signal);
    return result as never;
  });
  const client = new Client({ name: 'test', version: '1' });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  await client.connect(here);
  t.after(() => client.close());
  return client;
}

const ANSWERS: readonly (readonly [
  string,
  number,
  Readonly<Record<string, string>>,
  string | Buffer | undefined,
  boolean,
])[] = [
  ['as described', 201, { 'content-type': 'application/json' }, '{"orderId":"o","parent":{"orderId":"p"}}', false],
  ['that strays', 201, { 'content-type': 'application/json' }, '{"orderId":1}', false],
  ['that is a list', 201, { 'content-type': 'application/json' }, '[]', false],
  ['without content', 204, {}, undefined, false],
  ['of text', 200, { 'content-type': 'text/plain' }, 'x', false],
  ['of bytes', 200, { 'content-type': 'application/pdf' }, Buffer.from([1]), false],
  ['that is cut', 200, { 'content-type': 'application/json' }, `"${'x'.repeat(2_000)}"`, false],
  ['that refuses', 400, { 'content-type': 'application/json' }, '{"message":"no"}', true],
  ['that is a page', 500, { 'content-type': 'text/html' }, '<html>', true],
];

for (const [name, status, headers, body, isError] of ANSWERS) {
  test(`a client that checks answers takes one ${name}`, async (t) => {
    const api = await startRecordingApi(t);
    api.answer = (_, response) => {
      response.writeHead(status, headers);
      response.end(body);
    };
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } };
    const operation = { responses: { 201: { description: '', content } } };
    const description = oneOperation('post', '/orders', operation, { components: { schemas: { Order: ORDER } } });
    const client = await clientOf(t, await load(t, description, { baseUrl: api.origin, maxAnswerBytes: 1_000 }));
    const { tools } = await client.listTools();
    assert.ok(tools[0]!.outputSchema);
    const result = await client.callTool({ name: 'call', arguments: {} });
    assert.equal(result.isError ?? false, isError);
    assert.equal(typeof result.structuredContent, 'object');
  });
}
