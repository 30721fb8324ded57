/** Schemas of descriptions as JSON Schema 2020-12. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../../relay/tool-gateway/tool-source.ts';
import { load, oneOperation, openApi, toolNamed } from './api-description-recorder.ts';

type Definitions = Readonly<Record<string, JsonSchema>>;

function jsonBody(schema: object): object {
  return { requestBody: { required: true, content: { 'application/json': { schema } } } };
}

/** The input schema of an operation whose body is `schema`, kept whole. */
async function inputOf(t: TestContext, schema: object, schemas: object = {}, openapi = '3.0.3'): Promise<JsonSchema> {
  const description = oneOperation('post', '/', jsonBody({ type: 'array', items: schema }), {
    openapi,
    components: { schemas },
  });
  const { inputSchema } = await toolNamed(await load(t, description), 'call');
  compile(inputSchema);
  return inputSchema;
}

/** Compiles as 2020-12 does it, which fails for a dangling reference and a wrong keyword. */
function compile(schema: JsonSchema) {
  return new Ajv2020({ strict: false, logger: false, validateFormats: false }).compile(schema as object);
}

function itemOf(input: JsonSchema): JsonSchema {
  return (input.properties as { body: { items: JsonSchema } }).body.items;
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const swagger = (paths: object, definitions: object) => ({
  swagger: '2.0',
  info: { title: 'T', version: '1' },
  paths,
  definitions,
});

test('a definition that is reached only through two others is there', async (t) => {
  const schemas = {
    List: { type: 'array', items: ref('Person') },
    Person: { type: 'object', properties: { name: ref('Name') } },
    Name: { type: 'string', minLength: 1 },
    Unused: { type: 'string' },
  };
  const input = await inputOf(t, ref('List'), schemas);
  assert.deepEqual(Object.keys(input.$defs as Definitions), ['List', 'Person', 'Name']);
  assert.equal(compile(input)({ body: [[{ name: '' }]] }), false);
});

test('a circular reference loads in OpenAPI 3 and Swagger 2, stays a reference, and the other tools load too', async (t) => {
  const node = (at: string) => ({ type: 'object', properties: { value: { type: 'integer' }, next: { $ref: at } } });
  const other = { get: { operationId: 'other' } };
  const descriptions = [
    openApi(
      { '/n': { post: { operationId: 'call', ...jsonBody(ref('Node')) } }, '/o': other },
      { components: { schemas: { Node: node('#/components/schemas/Node') } } },
    ),
    swagger(
      {
        '/n': {
          post: {
            operationId: 'call',
            parameters: [{ in: 'body', name: 'n', required: true, schema: { $ref: '#/definitions/Node' } }],
          },
        },
        '/o': other,
      },
      { Node: node('#/definitions/Node') },
    ),
  ];
  for (const description of descriptions) {
    const source = await load(t, description);
    const { inputSchema } = await toolNamed(source, 'call');
    // A circle of objects instead of references could not be written.
    JSON.stringify(inputSchema);
    assert.deepEqual((inputSchema.$defs as Definitions).Node, {
      type: 'object',
      properties: { value: { type: 'integer' }, next: { $ref: '#/$defs/Node' } },
    });
    const check = compile(inputSchema);
    assert.equal(check({ value: 1, next: { next: { value: 2 } } }), true);
    assert.equal(check({ value: 1, next: { next: { value: 'two' } } }), false);
    assert.ok(await toolNamed(source, 'other'));
  }
});

test('definitions that only the answer uses stay with the answer', async (t) => {
  const schemas = {
    In: { type: 'object', properties: { a: { type: 'string' } } },
    Out: { type: 'object', properties: { b: ref('Deep') } },
    Deep: { type: 'integer' },
  };
  const responses = { 200: { description: '', content: { 'application/json': { schema: ref('Out') } } } };
  const description = oneOperation(
    'post',
    '/',
    { ...jsonBody({ type: 'array', items: ref('In') }), responses },
    { components: { schemas } },
  );
  const { inputSchema, outputSchema } = await toolNamed(await load(t, description), 'call');
  assert.deepEqual(Object.keys(inputSchema.$defs as Definitions), ['In']);
  assert.deepEqual(Object.keys(outputSchema!.$defs as Definitions), ['Out', 'Deep']);
});

test('a reference may lead anywhere in the document', async (t) => {
  const paths = {
    '/a': {
      get: {
        operationId: 'a',
        responses: {
          200: {
            description: '',
            content: {
              'application/json': { schema: { type: 'object', properties: { 'x/y~z': { type: 'integer' } } } },
            },
          },
        },
      },
    },
    '/b': {
      post: {
        operationId: 'b',
        ...jsonBody({
          type: 'object',
          properties: {
            v: { $ref: '#/paths/~1a/get/responses/200/content/application~1json/schema/properties/x~1y~0z' },
          },
        }),
      },
    },
  };
  const { inputSchema } = await toolNamed(await load(t, openApi(paths)), 'b');
  assert.equal(compile(inputSchema)({ v: 1 }), true);
  assert.equal(compile(inputSchema)({ v: 'x' }), false);
});

test('two definitions whose names end alike stay two', async (t) => {
  const schemas = { 'A B': { type: 'string' }, A_B: { type: 'integer' } };
  const input = await inputOf(t, { type: 'object', properties: { one: ref('A%20B'), two: ref('A_B') } }, schemas);
  assert.deepEqual(Object.values(input.$defs as Definitions), [{ type: 'string' }, { type: 'integer' }]);
});

const CONVERSIONS: readonly {
  readonly name: string;
  readonly openapi?: string;
  readonly from: object;
  readonly to: object;
}[] = [
  {
    name: 'exclusive limits of 3.0',
    from: { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false },
    to: { type: 'number', exclusiveMinimum: 1, maximum: 5 },
  },
  { name: 'exclusive limits of 3.1', openapi: '3.1.0', from: { exclusiveMinimum: 1 }, to: { exclusiveMinimum: 1 } },
  {
    name: 'nullable',
    from: { type: 'string', nullable: true, enum: ['a'] },
    to: { type: ['string', 'null'], enum: ['a', null] },
  },
  {
    name: 'nullable beside allOf',
    from: { allOf: [{ type: 'object' }], nullable: true },
    to: { anyOf: [{ allOf: [{ type: 'object' }] }, { type: 'null' }] },
  },
  {
    name: 'lists of types',
    openapi: '3.1.0',
    from: { type: ['string', 'null'], const: 'a' },
    to: { type: ['string', 'null'], const: 'a' },
  },
  {
    name: 'example',
    from: { type: 'string', example: 'e', description: 'd', default: 'f', title: 't' },
    to: { type: 'string', examples: ['e'], description: 'd', default: 'f', title: 't' },
  },
  { name: 'examples of 3.1', openapi: '3.1.0', from: { examples: [1, 2] }, to: { examples: [1, 2] } },
  {
    name: 'bytes in base64',
    from: { type: 'string', format: 'byte' },
    to: { type: 'string', contentEncoding: 'base64' },
  },
  {
    name: 'tuples',
    from: { type: 'array', items: [{ type: 'string' }, {}] },
    to: { type: 'array', prefixItems: [{ type: 'string' }, {}] },
  },
  {
    name: 'true and false',
    openapi: '3.1.0',
    from: { properties: { a: true, b: false } },
    to: { properties: { a: {}, b: { not: {} } } },
  },
  {
    name: 'compositions',
    from: { oneOf: [{ type: 'string' }, { type: 'integer' }], not: { enum: ['x'] } },
    to: { oneOf: [{ type: 'string' }, { type: 'integer' }], not: { enum: ['x'] } },
  },
  {
    name: 'maps',
    from: { type: 'object', additionalProperties: { type: 'integer' } },
    to: { type: 'object', additionalProperties: { type: 'integer' } },
  },
  {
    name: 'closed objects',
    from: { type: 'object', additionalProperties: false },
    to: { type: 'object', additionalProperties: false },
  },
  {
    name: 'rules beside a reference in 3.1',
    openapi: '3.1.0',
    from: { $ref: '#/components/schemas/S', maxLength: 3, description: 'd' },
    to: { $ref: '#/$defs/S', maxLength: 3, description: 'd' },
  },
  {
    name: 'words beside a reference in 3.0',
    from: { $ref: '#/components/schemas/S', maxLength: 3, description: 'd' },
    to: { $ref: '#/$defs/S', description: 'd' },
  },
  {
    name: 'extensions and markup',
    from: { type: 'string', xml: {}, 'x-go-name': 'A', externalDocs: {} },
    to: { type: 'string' },
  },
  {
    name: 'keywords with wrong values',
    from: { type: 'string', minLength: '3', pattern: '(?<', enum: 'a', multipleOf: 0 },
    to: { type: 'string', description: 'Pattern: (?<' },
  },
];

for (const { name, openapi = '3.0.3', from, to } of CONVERSIONS) {
  test(`${name}: converted`, async (t) => {
    assert.deepEqual(itemOf(await inputOf(t, from, { S: { type: 'string' } }, openapi)), to);
  });
}

test('each form of a discriminator with a mapping takes only its own value', async (t) => {
  const schemas = {
    Pet: {
      oneOf: [ref('Cat'), ref('Dog')],
      discriminator: { propertyName: 'kind', mapping: { cat: ref('Cat').$ref, dog: 'Dog' } },
    },
    Cat: { type: 'object', properties: { kind: { type: 'string' } } },
    Dog: { type: 'object', properties: { kind: { type: 'string' } } },
  };
  const check = compile(await inputOf(t, ref('Pet'), schemas));
  assert.equal(check({ body: [{ kind: 'cat' }, { kind: 'dog' }] }), true);
  assert.equal(check({ body: [{ kind: 'bird' }] }), false);
});

test('a base whose forms extend it can be checked to the end, and keeps the fields of the base', async (t) => {
  const schemas = {
    Pet: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' } },
      oneOf: [ref('Cat'), ref('Dog')],
    },
    Cat: { allOf: [ref('Pet'), { type: 'object', required: ['claws'], properties: { claws: { type: 'integer' } } }] },
    Dog: { allOf: [ref('Pet'), { type: 'object', required: ['bark'], properties: { bark: { type: 'string' } } }] },
  };
  const check = compile(await inputOf(t, ref('Pet'), schemas));
  assert.equal(check({ body: [{ name: 'n', claws: 4 }] }), true);
  assert.equal(check({ body: [{ name: 'n' }] }), false);
  assert.equal(check({ body: [{ claws: 4 }] }), false);
});

test('a schema that is nothing but itself allows anything, and the report says so', async (t) => {
  const schemas = {
    A: ref('B'),
    B: { anyOf: [ref('A'), { type: 'string' }] },
    C: { allOf: [ref('C'), { type: 'object' }] },
  };
  const description = oneOperation('post', '/', jsonBody({ type: 'array', items: { anyOf: [ref('A'), ref('C')] } }), {
    components: { schemas },
  });
  const source = await load(t, description);
  const check = compile((await toolNamed(source, 'call')).inputSchema);
  assert.equal(check({ body: [1, 'a', {}] }), true);
  assert.ok(
    source.report.entries.some(({ subject, reason }) => subject === 'schema A' && /within itself/.test(reason)),
  );
});

test('an answer that is no object is described in the member "result", and no answer can contradict the description', async (t) => {
  const responses = {
    200: {
      description: '',
      content: { 'application/json': { schema: { type: 'array', items: { type: 'integer' } } } },
    },
  };
  const { outputSchema } = await toolNamed(await load(t, oneOperation('get', '/', { responses })), 'call');
  assert.equal(outputSchema!.type, 'object');
  const [described] = outputSchema!.anyOf as JsonSchema[];
  assert.deepEqual(described, {
    type: 'object',
    properties: { result: { type: 'array', items: { type: 'integer' } } },
    required: ['result'],
  });
  const check = compile(outputSchema!);
  for (const answer of [{ result: [1] }, { result: ['x'] }, {}, { code: 'api_error' }])
    assert.equal(check(answer), true);
});

test('descriptions and examples of parameters reach the tool', async (t) => {
  const parameters = [
    {
      name: 'a',
      in: 'query',
      description: 'The first.',
      example: 'x',
      schema: { type: 'string', description: 'Less near.' },
    },
    {
      name: 'b',
      in: 'query',
      deprecated: true,
      examples: { one: { value: 1 }, two: { value: 2 } },
      schema: { type: 'integer' },
    },
  ];
  const { inputSchema, title, description } = await toolNamed(
    await load(t, oneOperation('get', '/', { parameters, summary: 'Short', description: 'Long.', deprecated: true })),
    'call',
  );
  assert.deepEqual(inputSchema.properties, {
    a: { type: 'string', description: 'The first.', examples: ['x'] },
    b: { type: 'integer', examples: [1, 2], deprecated: true },
  });
  assert.equal(title, 'Short');
  assert.equal(description, 'Deprecated.\n\nShort\n\nLong.');
});

test('thirty thousand references in a chain and as many in one list end in bounded time', async (t) => {
  const schemas: Record<string, object> = {};
  for (let index = 0; index < 30_000; index += 1)
    schemas[`S${index}`] = index === 29_999 ? { type: 'string' } : { allOf: [ref(`S${index + 1}`)] };
  const many = { oneOf: Array.from({ length: 30_000 }, () => ref('S29999')) };
  const paths = {
    '/chain': { post: { operationId: 'chain', ...jsonBody({ type: 'array', items: ref('S0') }) } },
    '/many': { post: { operationId: 'many', ...jsonBody({ type: 'array', items: many }) } },
    '/good': { get: { operationId: 'good' } },
  };
  const startedAt = process.cpuUsage().user;
  const source = await load(t, openApi(paths, { components: { schemas } }));
  assert.ok(process.cpuUsage().user - startedAt < 20_000_000);
  assert.ok(await toolNamed(source, 'good'));
  assert.match(
    source.report.entries.find(({ subject }) => subject === 'POST /chain')!.reason,
    /its arguments need more than/,
  );
});
