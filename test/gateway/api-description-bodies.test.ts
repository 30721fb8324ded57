/** What bodies arrive: JSON, forms, multipart with files, bytes, text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, load, oneOperation, openApi, startRecordingApi, toolNamed } from './api-description-recorder.ts';

const TEXT = { type: 'string' };

function body(mediaType: string, schema: object, more: object = {}, required = true): object {
  return { requestBody: { required, content: { [mediaType]: { schema, ...more } } } };
}

/** The parts of a multipart body, each as its headers and content. */
function partsOf(bytes: Buffer, contentType: string): readonly (readonly [string, string])[] {
  const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(contentType)?.[1];
  assert.ok(boundary, contentType);
  const text = bytes.toString('latin1');
  assert.ok(text.endsWith(`--${boundary}--\r\n`));
  return text
    .split(`--${boundary}\r\n`)
    .slice(1)
    .map((part) => part.split(`\r\n--${boundary}--`)[0]!.replace(/\r\n$/, ''))
    .map((part) => [part.slice(0, part.indexOf('\r\n\r\n')), part.slice(part.indexOf('\r\n\r\n') + 4)]);
}

test('each member of a JSON body is an argument, and the body arrives with exactly those that were given', async (t) => {
  const api = await startRecordingApi(t);
  const schema = {
    type: 'object',
    required: ['productId'],
    properties: { productId: TEXT, quantity: { type: 'integer', default: 1 }, tags: { type: 'array', items: TEXT } },
  };
  const source = await load(t, oneOperation('post', '/orders', body('application/json', schema)), {
    baseUrl: api.origin,
  });
  const { inputSchema } = await toolNamed(source, 'call');
  assert.deepEqual(inputSchema.required, ['productId']);
  await call(source, 'call', { productId: 'ü', tags: [] });
  const { headers, body: bytes } = api.requests[0]!;
  assert.equal(headers['content-type'], 'application/json');
  assert.equal(headers['content-length'], String(bytes.length));
  assert.equal(bytes.toString(), '{"productId":"ü","tags":[]}');
});

test('a vendor JSON body keeps its media type, and one that is no plain object is one argument', async (t) => {
  const api = await startRecordingApi(t);
  const schema = { type: 'array', items: { type: 'object' } };
  const operation = body('application/vnd.shop.v2+json', schema);
  const source = await load(t, oneOperation('put', '/list', operation), { baseUrl: api.origin });
  await call(source, 'call', { body: [{ a: null }] });
  assert.equal(api.requests[0]!.headers['content-type'], 'application/vnd.shop.v2+json');
  assert.equal(api.requests[0]!.body.toString(), '[{"a":null}]');
});

test('an optional body is sent only when something of it is given, and a required one always', async (t) => {
  const api = await startRecordingApi(t);
  const schema = { type: 'object', properties: { note: TEXT } };
  const paths = {
    '/a': { post: { operationId: 'optional', ...body('application/json', schema, {}, false) } },
    '/b': { post: { operationId: 'required', ...body('application/json', schema) } },
    '/c': { post: { operationId: 'whole', ...body('application/json', { ...schema, required: ['note'] }, {}, false) } },
  };
  const source = await load(t, openApi(paths), { baseUrl: api.origin });
  for (const name of ['optional', 'required', 'whole']) await call(source, name);
  await call(source, 'optional', { note: 'n' });
  await call(source, 'whole', { body: { note: 'n' } });
  assert.deepEqual(
    api.requests.map(({ body: bytes, headers }) => [
      bytes.toString(),
      headers['content-type'],
      headers['content-length'],
    ]),
    [
      ['', undefined, '0'],
      ['{}', 'application/json', '2'],
      ['', undefined, '0'],
      ['{"note":"n"}', 'application/json', '12'],
      ['{"note":"n"}', 'application/json', '12'],
    ],
  );
});

test('allOf of objects is one set of arguments, and an object with open ends stays whole', async (t) => {
  const schemas = { Base: { type: 'object', required: ['id'], properties: { id: TEXT } } };
  const all = { allOf: [{ $ref: '#/components/schemas/Base' }, { type: 'object', properties: { name: TEXT } }] };
  const open = { type: 'object', properties: { id: TEXT }, additionalProperties: true };
  const paths = {
    '/a': { post: { operationId: 'all', ...body('application/json', all) } },
    '/b': { post: { operationId: 'open', ...body('application/json', open) } },
  };
  const source = await load(t, openApi(paths, { components: { schemas } }));
  assert.deepEqual(Object.keys((await toolNamed(source, 'all')).inputSchema.properties as object), ['id', 'name']);
  assert.deepEqual(Object.keys((await toolNamed(source, 'open')).inputSchema.properties as object), ['body']);
});

test('a form arrives as a browser would send it, objects as JSON unless a style is stated', async (t) => {
  const api = await startRecordingApi(t);
  const schema = {
    type: 'object',
    properties: {
      text: TEXT,
      list: { type: 'array', items: TEXT },
      address: { type: 'object' },
      filter: { type: 'object' },
      csv: { type: 'array', items: TEXT },
    },
  };
  const encoding = { filter: { style: 'deepObject', explode: true }, csv: { style: 'form', explode: false } };
  const operation = body('application/x-www-form-urlencoded', schema, { encoding });
  const source = await load(t, oneOperation('post', '/', operation), { baseUrl: api.origin });
  await call(source, 'call', {
    text: "a b&c=ü~'",
    list: ['x', 'y z'],
    address: { zip: 1 },
    filter: { a: { b: 1 } },
    csv: ['1', '2'],
  });
  assert.equal(api.requests[0]!.headers['content-type'], 'application/x-www-form-urlencoded');
  assert.equal(
    api.requests[0]!.body.toString(),
    'text=a+b%26c%3D%C3%BC%7E%27&list=x&list=y+z&address=%7B%22zip%22%3A1%7D&filter%5Ba%5D%5Bb%5D=1&csv=1,2',
  );
});

test('a multipart body has its fields and files as parts, with name, file name, media type and bytes', async (t) => {
  const api = await startRecordingApi(t);
  const schema = {
    type: 'object',
    required: ['file'],
    properties: {
      title: TEXT,
      count: { type: 'integer' },
      meta: { type: 'object' },
      file: { type: 'string', format: 'binary', description: 'The picture.' },
      more: { type: 'array', items: { type: 'string', format: 'binary' } },
      tags: { type: 'array', items: TEXT },
      note: TEXT,
    },
  };
  const encoding = { file: { contentType: 'image/png, image/jpeg' }, note: { contentType: 'text/markdown' } };
  const source = await load(t, oneOperation('post', '/', body('multipart/form-data', schema, { encoding })), {
    baseUrl: api.origin,
  });
  const { properties } = (await toolNamed(source, 'call')).inputSchema as {
    properties: Record<string, { description?: string; required?: string[] }>;
  };
  assert.equal(properties.file!.description, 'The picture.');
  assert.deepEqual(properties.file!.required, ['data']);

  const bytes = Buffer.from([0, 255, 13, 10, 45, 45]);
  await call(source, 'call', {
    title: 'ü',
    count: 2,
    meta: { a: 1 },
    file: { data: bytes.toString('base64'), filename: 'a"b\r\nc.png' },
    more: [{ data: 'aGk', mimeType: 'text/plain', filename: 'hi.txt' }, { data: '' }],
    tags: ['x', 'y'],
    note: '*n*',
  });
  const { headers, body: sent } = api.requests[0]!;
  assert.deepEqual(partsOf(sent, headers['content-type']!), [
    ['Content-Disposition: form-data; name="title"', Buffer.from('ü').toString('latin1')],
    ['Content-Disposition: form-data; name="count"', '2'],
    ['Content-Disposition: form-data; name="meta"\r\nContent-Type: application/json', '{"a":1}'],
    [
      'Content-Disposition: form-data; name="file"; filename="a%22b%0D%0Ac.png"\r\nContent-Type: image/png',
      bytes.toString('latin1'),
    ],
    ['Content-Disposition: form-data; name="more"; filename="hi.txt"\r\nContent-Type: text/plain', 'hi'],
    ['Content-Disposition: form-data; name="more"; filename="more"\r\nContent-Type: application/octet-stream', ''],
    ['Content-Disposition: form-data; name="tags"', 'x'],
    ['Content-Disposition: form-data; name="tags"', 'y'],
    ['Content-Disposition: form-data; name="note"\r\nContent-Type: text/markdown', '*n*'],
  ]);
});

test('a file whose bytes are no base64 or whose media type would add a header is refused before anything is sent', async (t) => {
  const api = await startRecordingApi(t);
  const schema = { type: 'object', properties: { file: { type: 'string', format: 'binary' } } };
  const source = await load(t, oneOperation('post', '/', body('multipart/form-data', schema)), { baseUrl: api.origin });
  for (const [file, field] of [
    [{ data: 'not base64!' }, 'file/data'],
    [{ data: 'aGk=', mimeType: 'text/plain\r\nX-Evil: 1' }, 'file/mimeType'],
    ['aGk=', 'file'],
  ] as const) {
    const result = await call(source, 'call', { file });
    assert.equal(result.isError, true);
    assert.equal((result.structuredContent as { field: string }).field, field);
  }
  assert.equal(api.requests.length, 0);
});

test('a body of bytes is a base64 argument and arrives as bytes', async (t) => {
  const api = await startRecordingApi(t);
  const operation = body('application/octet-stream', { type: 'string', format: 'binary' });
  const source = await load(t, oneOperation('post', '/', operation), { baseUrl: api.origin });
  const tool = await toolNamed(source, 'call');
  assert.deepEqual(tool.inputSchema.required, ['body']);
  await call(source, 'call', { body: '/wD+' });
  assert.equal(api.requests[0]!.headers['content-type'], 'application/octet-stream');
  assert.deepEqual([...api.requests[0]!.body], [255, 0, 254]);
});

test('a text body arrives as it was written', async (t) => {
  const api = await startRecordingApi(t);
  const paths = {
    '/a': { post: { operationId: 'plain', ...body('text/plain', TEXT) } },
    '/b': { post: { operationId: 'xml', ...body('application/xml', { type: 'object' }) } },
  };
  const source = await load(t, openApi(paths), { baseUrl: api.origin });
  await call(source, 'plain', { body: '"ü"' });
  await call(source, 'xml', { body: '<a/>' });
  assert.deepEqual(
    api.requests.map(({ headers, body: bytes }) => [headers['content-type'], bytes.toString()]),
    [
      ['text/plain; charset=utf-8', '"ü"'],
      ['application/xml', '<a/>'],
    ],
  );
});

test('of several media types the one that a model writes best is offered, and the report names the others', async (t) => {
  const content = {
    'application/xml': {},
    'application/json': { schema: { type: 'object', properties: { a: TEXT } } },
    'text/plain': {},
  };
  const source = await load(t, oneOperation('post', '/', { requestBody: { content } }));
  assert.deepEqual(Object.keys((await toolNamed(source, 'call')).inputSchema.properties as object), ['a']);
  assert.match(
    source.report.entries[0]!.reason,
    /sent as application\/json; not offered: application\/xml, text\/plain/,
  );
});

test('what only the API writes is no argument, and what only the caller writes is in no answer', async (t) => {
  const schemas = {
    Id: { type: 'string', readOnly: true },
    User: {
      type: 'object',
      required: ['id', 'name', 'password', 'created'],
      properties: {
        id: { $ref: '#/components/schemas/Id' },
        name: TEXT,
        password: { type: 'string', writeOnly: true },
        created: { type: 'string', readOnly: true },
        friend: { $ref: '#/components/schemas/User' },
      },
    },
  };
  const schema = { $ref: '#/components/schemas/User' };
  const responses = { 201: { description: '', content: { 'application/json': { schema } } } };
  const operation = { ...body('application/json', schema), responses };
  const source = await load(t, oneOperation('post', '/users', operation, { components: { schemas } }));
  const { inputSchema, outputSchema } = await toolNamed(source, 'call');
  assert.deepEqual(Object.keys(inputSchema.properties as object), ['name', 'password', 'friend']);
  assert.deepEqual(inputSchema.required, ['name', 'password']);
  const user = (outputSchema!.$defs as Record<string, { properties: object; required: string[] }>).User!;
  assert.deepEqual(Object.keys(user.properties), ['id', 'name', 'created', 'friend']);
  assert.deepEqual(user.required, ['id', 'name', 'created']);
});

test('the forms and files of Swagger 2 arrive like those of OpenAPI 3', async (t) => {
  const api = await startRecordingApi(t);
  const field = (name: string, more: object) => ({ name, in: 'formData', ...more });
  const list = field('list', { type: 'array', items: TEXT, collectionFormat: 'pipes' });
  const paths = {
    '/form': { post: { operationId: 'form', parameters: [field('a', { type: 'string', required: true }), list] } },
    '/file': {
      post: {
        operationId: 'file',
        consumes: ['multipart/form-data'],
        parameters: [field('f', { type: 'file', required: true, description: 'The file.' }), list],
      },
    },
    '/json': {
      post: {
        operationId: 'json',
        parameters: [
          {
            name: 'order',
            in: 'body',
            required: true,
            schema: { type: 'object', properties: { n: { type: 'integer' } } },
          },
        ],
      },
    },
  };
  const description = { swagger: '2.0', info: { title: 'T', version: '1' }, paths };
  const source = await load(t, description, { baseUrl: api.origin });
  await call(source, 'form', { a: 'b c', list: ['1', '2'] });
  await call(source, 'file', { f: { data: 'aGk=', filename: 'f.txt' }, list: ['1', '2'] });
  await call(source, 'json', { n: 1 });
  const [form, file, json] = api.requests;
  assert.equal(form!.body.toString(), 'a=b+c&list=1%7C2');
  assert.deepEqual(partsOf(file!.body, file!.headers['content-type']!), [
    ['Content-Disposition: form-data; name="f"; filename="f.txt"\r\nContent-Type: application/octet-stream', 'hi'],
    ['Content-Disposition: form-data; name="list"', '1|2'],
  ]);
  assert.equal(json!.body.toString(), '{"n":1}');
});
