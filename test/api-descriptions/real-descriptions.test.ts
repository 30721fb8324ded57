/** Three real APIs, whole: GitHub (OpenAPI 3.0), Blockfrost (OpenAPI 3.0 in YAML), Kubernetes (Swagger 2). */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { importReportText } from '../../relay/tool-gateway/api-description/import-report.ts';
import { loadApiDescription } from '../../relay/tool-gateway/api-description/load-api-description.ts';
import type { JsonSchema, SourceTool } from '../../relay/tool-gateway/tool-source.ts';
import type { ToolError } from '../../relay/tool-policy/tool-error.ts';
import { type RecordedRequest, startRecordingApi } from '../gateway/api-description-recorder.ts';
import { blockfrost, gitHub, kubernetes, type RealDescription } from './descriptions.ts';
import { argumentsOf, type ExpectedCall, expectedCall, isObject } from './expected-call.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;
const SIGNAL = new AbortController().signal;

/** Every schema is valid, and every reference within it leads somewhere. */
function checkSchemas(tools: readonly SourceTool[]): void {
  const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false, addUsedSchema: false });
  for (const { name, inputSchema, outputSchema } of tools) {
    for (const schema of outputSchema ? [inputSchema, outputSchema] : [inputSchema]) {
      assert.equal(schema.type, 'object', name);
      assert.equal(ajv.validateSchema(schema as object), true, `${name}: ${ajv.errorsText()}`);
      const defined = Object.keys((schema.$defs ?? {}) as JsonSchema);
      const used = new Set(
        [...JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)].map((match) => match[1]!),
      );
      // Both ways: nothing dangles, and nothing is carried along that nothing needs.
      assert.deepEqual(defined.toSorted(), [...used].toSorted(), name);
    }
    ajv.compile(inputSchema as object);
  }
}

function checkArrival(expected: ExpectedCall, { method, url, headers, body }: RecordedRequest): void {
  const subject = `${expected.method} ${expected.template}`;
  assert.equal(method, expected.method.toUpperCase(), subject);
  const [path = '', query = ''] = url.split('?');
  const names: string[] = [];
  const pattern = expected.template.split(/\{([^}]+)\}/).map((piece, index) => {
    if (index % 2 === 0) return piece.replaceAll(/[^\w/-]/g, '\\$&');
    names.push(piece);
    return '([^/]+)';
  });
  const match = new RegExp(`^${pattern.join('')}$`).exec(path);
  assert.ok(match, `${subject}: ${path}`);
  for (const [index, name] of names.entries()) {
    assert.equal(decodeURIComponent(match[index + 1]!), String(expected.path[name]), subject);
  }
  const wanted = expected.query.flatMap(([name, value, isExploded]) => {
    if (!Array.isArray(value)) return [[name, String(value)]];
    return isExploded ? value.map((item) => [name, String(item)]) : [[name, value.map(String).join(',')]];
  });
  assert.ok(!/[^\w%.~&=,-]/.test(query), `${subject}: ${query}`);
  const arrived = query === '' ? [] : query.split('&').map((pair) => pair.split('=').map(decodeURIComponent));
  assert.deepEqual(
    arrived,
    wanted.filter(([, value]) => value !== undefined),
    subject,
  );
  for (const [name, value] of Object.entries(expected.header))
    assert.equal(headers[name.toLowerCase()], String(value), subject);
  if (!expected.body) {
    assert.equal(body.length, 0, subject);
    return;
  }
  const { mediaType, value } = expected.body;
  assert.equal(headers['content-length'], String(body.length), subject);
  if (mediaType === 'application/json') assert.deepEqual(JSON.parse(body.toString()), value, subject);
  else assert.equal(body.toString(), value, subject);
}

async function checkDescription(t: TestContext, { root, file }: RealDescription, minCalls: number): Promise<void> {
  const api = await startRecordingApi(t);
  const source = await loadApiDescription({ file, baseUrl: api.origin });
  t.after(() => source.close());
  const tools = await source.listTools();
  t.diagnostic(importReportText(source.report).split('\n')[0]!);
  assert.equal(new Set(tools.map(({ name }) => name.toLowerCase())).size, tools.length);
  for (const { name } of tools) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
  assert.doesNotMatch(importReportText(source.report).replaceAll(/^\S+ /gm, ''), /failed/i);
  // Only what goes to a server that the owner did not allow is left out.
  for (const entry of source.report.entries) {
    if (entry.outcome === 'left-out') assert.match(entry.reason, /is not allowed/);
    assert.ok(entry.line !== undefined && entry.line > 1);
  }
  checkSchemas(tools);

  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  let arrivedCalls = 0;
  const unmade: string[] = [];
  for (const [template, item] of Object.entries(root.paths as Record<string, Record<string, unknown>>)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (!isObject(operation)) continue;
      const name = String(operation.operationId ?? `${method}${template}`)
        .replaceAll(/[^\w-]+/g, '_')
        .replaceAll(/^_+|_+$/g, '');
      const tool = byName.get(name);
      if (!tool) continue;
      const expected = expectedCall(root, method, template, item, operation);
      const args = argumentsOf(expected, tool.inputSchema.properties as Record<string, unknown>);
      api.requests.length = 0;
      const result = await source.callTool({ name, arguments: args, meta: {} }, SIGNAL);
      if (result.isError) {
        const error = result.structuredContent as unknown as ToolError;
        // The made-up values do not fit every pattern and every combination of rules.
        assert.equal(error.code, 'invalid_arguments', `${name}: ${JSON.stringify(error)}`);
        unmade.push(`${name}: ${error.field}: ${error.expected}`);
        continue;
      }
      checkArrival(expected, api.requests[0]!);
      arrivedCalls += 1;
    }
  }
  t.diagnostic(
    `${arrivedCalls} calls arrived as described; for ${unmade.length} no arguments could be made up: ${unmade.slice(0, 5).join('; ')}`,
  );
  assert.ok(arrivedCalls >= minCalls, `${arrivedCalls} calls\n${unmade.join('\n')}`);
}

test('GitHub: every schema is valid, every name unique, and calls arrive exactly as the description demands', async (t) => {
  await checkDescription(t, await gitHub(), 1_100);
});

test('Blockfrost, in YAML: the same', async (t) => {
  await checkDescription(t, await blockfrost(), 110);
});

test('Kubernetes, in Swagger 2: the same', async (t) => {
  const description = await kubernetes();
  t.after(description.clean);
  await checkDescription(t, description, 900);
});
