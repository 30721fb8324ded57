/** Reading descriptions: formats, files, lines, the report. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { importReportText } from '../../relay/tool-gateway/api-description/import-report.ts';
import { loadApiDescription } from '../../relay/tool-gateway/api-description/load-api-description.ts';
import {
  call,
  folderWith,
  load,
  oneOperation,
  openApi,
  startRecordingApi,
  toolNamed,
} from './api-description-recorder.ts';

const BASE = { baseUrl: 'http://127.0.0.1:9' };

test('the same description in JSON and in YAML gives the same tools', async (t) => {
  const json = {
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    paths: {
      '/a/{id}': {
        get: {
          operationId: 'a',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: ['integer', 'null'] } }],
        },
      },
    },
  };
  const yaml = `
openapi: 3.1.0
info: { title: T, version: "1" }
paths:
  /a/{id}:
    get:
      operationId: a
      parameters:
        - { name: id, in: path, required: true, schema: &s { type: [integer, "null"] } }
`;
  assert.deepEqual(await (await load(t, yaml)).listTools(), await (await load(t, json)).listTools());
});

for (const [format, text, line] of [
  [
    'JSON',
    '{\n "openapi": "3.0.0",\n "paths": {\n  "/a": { "trace": {} },\n  "/b": {\n   "x": "\\"}",\n   "get": {\n    "operationId": "b", "parameters": [ { "in": "moon", "name": "m" } ]\n   }\n  },\n  "/c": { "get": {} }\n }\n}',
    7,
  ],
  [
    'YAML',
    'openapi: 3.0.0\npaths:\n  /a:\n    trace: {}\n  /b:\n\n    get:\n      operationId: b\n      parameters: [{ in: moon, name: m }]\n  /c:\n    get: {}\n',
    8,
  ],
] as const) {
  test(`each operation that is left out stands in the report with its line in ${format} and the reason`, async (t) => {
    const source = await load(t, text);
    assert.deepEqual(
      (await source.listTools()).map(({ name }) => name),
      ['get_c'],
    );
    const [trace, moon] = source.report.entries;
    assert.deepEqual([trace!.outcome, trace!.subject, trace!.line], ['left-out', 'TRACE /a', 4]);
    assert.deepEqual([moon!.subject, moon!.line], ['GET /b', line]);
    assert.match(moon!.reason, /"m" stands in "moon", which is no place/);
    const lines = importReportText(source.report).split('\n');
    assert.match(lines[0]!, /: 1 tools of 3 operations, 2 left out$/);
    assert.match(lines[2]!, new RegExp(`description:${line}: GET /b left out: `));
  });
}

test('what was changed stands in the report too, and what several operations share only once', async (t) => {
  const schemas = { S: { type: 'strnig' } };
  const parameters = [{ name: 's', in: 'query', schema: { $ref: '#/components/schemas/S' } }];
  const source = await load(
    t,
    openApi({ '/a/{b}': { get: { parameters } }, '/c': { get: { parameters } } }, { components: { schemas } }),
  );
  assert.deepEqual(
    source.report.entries.map(({ outcome, subject, reason }) => [outcome, subject, reason]),
    [
      ['changed', 'schema S', 'the type "strnig" is unknown and allows anything now'],
      ['changed', 'GET /a/{b}', '"{b}" of the path is not described; it is a text argument now'],
    ],
  );
});

test('files of the folder belong to the description, each read relative to the one that names it', async (t) => {
  const folder = await folderWith(t, {
    'api.yaml': 'openapi: 3.0.0\npaths:\n  /a:\n    $ref: "paths.yaml#/a"\n',
    'paths.yaml':
      'a:\n  post:\n    operationId: a\n    requestBody:\n      required: true\n      content: { application/json: { schema: { $ref: "schemas.json#/Node" } } }\n',
    'schemas.json':
      '{"Node":{"type":"object","properties":{"next":{"$ref":"#/Node"},"id":{"$ref":"./schemas.json#/Id"}}},"Id":{"type":"integer"}}',
  });
  const source = await loadApiDescription({ file: path.join(folder, 'api.yaml'), ...BASE });
  const { inputSchema } = await toolNamed(source, 'a');
  assert.deepEqual(inputSchema.properties, { next: { $ref: '#/$defs/Node' }, id: { $ref: '#/$defs/Id' } });
  assert.deepEqual(Object.keys(inputSchema.$defs as object), ['Node', 'Id']);
  assert.deepEqual(
    source.report.files.map((file) => path.basename(file)),
    ['api.yaml', 'paths.yaml', 'schemas.json'],
  );
});

for (const [name, text, message, line] of [
  ['broken YAML', 'openapi: 3.0.0\npaths:\n  a: [\n', /:4: /, 4],
  ['broken JSON', '{\n"openapi": "3.0.0",\n"paths": [ }\n', /:3: /, 3],
  ['something else', '{"asyncapi":"2.0.0"}', /expected an API description/, 1],
  ['OpenAPI 4', 'openapi: 4.0.0\n', /expected an API description/, 1],
  ['a list', '- a\n', /expected a YAML or JSON object/, 1],
] as const) {
  test(`${name} is refused with the line`, async (t) => {
    await assert.rejects(load(t, text), (error: Error & { line?: number }) => {
      assert.equal(error.name, 'ApiDescriptionError');
      assert.match(error.message, message);
      assert.equal(error.line, line);
      return true;
    });
  });
}

test('a YAML file that grows without end by its aliases is refused', async (t) => {
  const levels = Array.from(
    { length: 30 },
    (_, index) => `l${index}: &l${index} [${index === 0 ? '1' : `*l${index - 1}, *l${index - 1}`}]`,
  );
  await assert.rejects(load(t, `openapi: 3.0.0\n${levels.join('\n')}\n`), { name: 'ApiDescriptionError' });
});

test('a file that is not there is refused by name', async () => {
  await assert.rejects(
    loadApiDescription({ file: '/no/such/description.yaml', ...BASE }),
    /\/no\/such\/description\.yaml: ENOENT/,
  );
});

test('the hints of a tool come from the method', async (t) => {
  const methods = ['get', 'head', 'post', 'put', 'patch', 'delete'];
  const source = await load(t, openApi({ '/a': Object.fromEntries(methods.map((method) => [method, {}])) }));
  const hints = (await source.listTools()).map(({ name, annotations }) => [
    name,
    annotations?.readOnlyHint,
    annotations?.destructiveHint,
    annotations?.idempotentHint,
  ]);
  assert.deepEqual(hints.sort(), [
    ['delete_a', false, true, true],
    ['get_a', true, false, true],
    ['head_a', true, false, true],
    ['patch_a', false, true, false],
    ['post_a', false, false, false],
    ['put_a', false, true, true],
  ]);
});

test('arguments that the gateway keeps for itself are not given to a parameter', async (t) => {
  const api = await startRecordingApi(t);
  const parameters = [{ name: 'domain', in: 'query', schema: { type: 'string' } }];
  const source = await load(t, oneOperation('get', '/', { parameters }), {
    baseUrl: api.origin,
    reservedArguments: ['domain'],
  });
  await call(source, 'call', { query_domain: 'd' });
  assert.equal(api.requests[0]!.url, '/?domain=d');
});

test('names leave the room that the domain takes', async (t) => {
  const source = await load(t, openApi({ [`/${'a'.repeat(80)}`]: { get: {} } }), { nameLength: 57 });
  assert.equal((await source.listTools())[0]!.name.length, 57);
});
