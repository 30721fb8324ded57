/** Every style, exploded and not, of every type: what must arrive, after OpenAPI 3.1.1 "Style Examples" and RFC 6570. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, load, oneOperation, openApi, startRecordingApi } from './api-description-recorder.ts';

const EMPTY = '';
const STRING = 'a b/ü';
const LIST = ['blue', 'b&w', 'brown'];
const OBJECT = { R: 100, 'G,1': 'x y', B: null };

interface Row {
  readonly place: 'path' | 'query' | 'header' | 'cookie';
  readonly style: string;
  readonly explode: boolean;
  readonly value: unknown;
  /** The path's last segment, the query, the header `color`, or the cookies. */
  readonly arrives: string;
}

function rows(
  place: Row['place'],
  style: string,
  explode: boolean,
  expected: readonly (readonly [unknown, string])[],
): readonly Row[] {
  return expected.map(([value, arrives]) => ({ place, style, explode, value, arrives }));
}

const TABLE: readonly Row[] = [
  ...rows('path', 'simple', false, [
    [STRING, 'a%20b%2F%C3%BC'],
    [1.5, '1.5'],
    [true, 'true'],
    [LIST, 'blue,b%26w,brown'],
    [OBJECT, 'R,100,G%2C1,x%20y'],
  ]),
  ...rows('path', 'simple', true, [
    [STRING, 'a%20b%2F%C3%BC'],
    [LIST, 'blue,b%26w,brown'],
    [OBJECT, 'R=100,G%2C1=x%20y'],
  ]),
  ...rows('path', 'label', false, [
    [STRING, '.a%20b%2F%C3%BC'],
    [LIST, '.blue,b%26w,brown'],
    [OBJECT, '.R,100,G%2C1,x%20y'],
  ]),
  ...rows('path', 'label', true, [
    [STRING, '.a%20b%2F%C3%BC'],
    [LIST, '.blue.b%26w.brown'],
    [OBJECT, '.R=100.G%2C1=x%20y'],
  ]),
  ...rows('path', 'matrix', false, [
    [EMPTY, ';color'],
    [STRING, ';color=a%20b%2F%C3%BC'],
    [LIST, ';color=blue,b%26w,brown'],
    [OBJECT, ';color=R,100,G%2C1,x%20y'],
  ]),
  ...rows('path', 'matrix', true, [
    [STRING, ';color=a%20b%2F%C3%BC'],
    [LIST, ';color=blue;color=b%26w;color=brown'],
    [OBJECT, ';R=100;G%2C1=x%20y'],
  ]),
  ...rows('query', 'form', false, [
    [EMPTY, 'color='],
    [STRING, 'color=a%20b%2F%C3%BC'],
    [false, 'color=false'],
    [LIST, 'color=blue,b%26w,brown'],
    [OBJECT, 'color=R,100,G%2C1,x%20y'],
    [[], ''],
  ]),
  ...rows('query', 'form', true, [
    [EMPTY, 'color='],
    [STRING, 'color=a%20b%2F%C3%BC'],
    [LIST, 'color=blue&color=b%26w&color=brown'],
    [OBJECT, 'R=100&G%2C1=x%20y'],
    [[], ''],
    [[{ a: 1 }], 'color=%7B%22a%22%3A1%7D'],
  ]),
  ...rows('query', 'spaceDelimited', false, [
    [LIST, 'color=blue%20b%26w%20brown'],
    [OBJECT, 'color=R%20100%20G%2C1%20x%20y'],
  ]),
  ...rows('query', 'spaceDelimited', true, [[LIST, 'color=blue&color=b%26w&color=brown']]),
  ...rows('query', 'pipeDelimited', false, [
    [LIST, 'color=blue%7Cb%26w%7Cbrown'],
    [OBJECT, 'color=R%7C100%7CG%2C1%7Cx%20y'],
  ]),
  ...rows('query', 'pipeDelimited', true, [[LIST, 'color=blue&color=b%26w&color=brown']]),
  ...rows('query', 'deepObject', true, [
    [OBJECT, 'color%5BR%5D=100&color%5BG%2C1%5D=x%20y'],
    [
      { a: { b: { c: 'd e' } }, f: [1, { g: 2 }] },
      'color%5Ba%5D%5Bb%5D%5Bc%5D=d%20e&color%5Bf%5D%5B0%5D=1&color%5Bf%5D%5B1%5D%5Bg%5D=2',
    ],
  ]),
  ...rows('header', 'simple', false, [
    ['a b/ü', 'a b/ü'],
    [LIST, 'blue,b&w,brown'],
    [{ R: 100, G: 'x y' }, 'R,100,G,x y'],
  ]),
  ...rows('header', 'simple', true, [
    [LIST, 'blue,b&w,brown'],
    [{ R: 100, G: 'x y' }, 'R=100,G=x y'],
  ]),
  ...rows('cookie', 'form', false, [
    [STRING, 'color=a%20b%2F%C3%BC'],
    [LIST, 'color=blue,b%26w,brown'],
    [OBJECT, 'color=R,100,G%2C1,x%20y'],
  ]),
  ...rows('cookie', 'form', true, [
    [LIST, 'color=blue; color=b%26w; color=brown'],
    [OBJECT, 'R=100; G%2C1=x%20y'],
  ]),
];

for (const { place, style, explode, value, arrives } of TABLE) {
  test(`${JSON.stringify(value)} in ${place}, ${style}${explode ? ' exploded' : ''}, arrives as ${arrives || 'nothing'}`, async (t) => {
    const api = await startRecordingApi(t);
    const template = place === 'path' ? '/colors/{color}' : '/colors';
    const parameters = [{ name: 'color', in: place, required: place === 'path', style, explode, schema: {} }];
    const source = await load(t, oneOperation('get', template, { parameters }), { baseUrl: `${api.origin}/v1/` });
    const result = await call(source, 'call', { color: value });
    assert.equal(result.isError, undefined, JSON.stringify(result));
    const { url, headers } = api.requests[0]!;
    const [path = '', query = ''] = url.split('?');
    const arrived = {
      path: path.slice('/v1/colors/'.length),
      query,
      header: Buffer.from(headers.color?.toString() ?? '', 'latin1').toString('utf8'),
      cookie: headers.cookie ?? '',
    };
    assert.equal(arrived[place], arrives);
    assert.equal(path.startsWith('/v1/colors'), true);
  });
}

test('a parameter with a media type arrives in that media type', async (t) => {
  const api = await startRecordingApi(t);
  const content = { 'application/json': { schema: { type: 'object' } } };
  const parameters = [
    { name: 'filter', in: 'query', content },
    { name: 'X-Filter', in: 'header', content },
  ];
  const source = await load(t, oneOperation('get', '/', { parameters }), { baseUrl: api.origin });
  await call(source, 'call', { filter: { eq: 'a b' }, 'X-Filter': { eq: 'a b' } });
  assert.equal(api.requests[0]!.url, '/?filter=%7B%22eq%22%3A%22a%20b%22%7D');
  assert.equal(api.requests[0]!.headers['x-filter'], '{"eq":"a b"}');
});

test('reserved characters stay where the description allows them, but never add a parameter', async (t) => {
  const api = await startRecordingApi(t);
  const parameters = [{ name: 'path', in: 'query', allowReserved: true, schema: { type: 'string' } }];
  const source = await load(t, oneOperation('get', '/', { parameters }), { baseUrl: api.origin });
  await call(source, 'call', { path: '/a:b?c=d&admin=1#e+f%41%ſ' });
  assert.equal(api.requests[0]!.url, '/?path=/a:b?c=d%26admin=1%23e%2Bf%41%25%C5%BF');
});

test('one name in path, query, header, cookie and body is five arguments, each of which arrives at its place', async (t) => {
  const api = await startRecordingApi(t);
  const schema = { type: 'string' };
  const operation = {
    parameters: [
      { name: 'id', in: 'query', schema },
      { name: 'id', in: 'cookie', schema },
      { name: 'id', in: 'path', required: true, schema },
      { name: 'id', in: 'header', schema },
    ],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { type: 'object', properties: { id: schema } } } },
    },
  };
  const source = await load(t, oneOperation('put', '/things/{id}', operation), { baseUrl: api.origin });
  const args = { id: 'p', query_id: 'q', header_id: 'h', cookie_id: 'c', body_id: 'b' };
  assert.deepEqual(Object.keys((await source.listTools())[0]!.inputSchema.properties as object), Object.keys(args));
  await call(source, 'call', args);
  const { url, headers, body } = api.requests[0]!;
  assert.equal(url, '/things/p?id=q');
  assert.equal(headers.id, 'h');
  assert.equal(headers.cookie, 'id=c');
  assert.equal(body.toString(), '{"id":"b"}');
});

test('names that no model may use become arguments that it may, and arrive under their own name', async (t) => {
  const api = await startRecordingApi(t);
  const schema = { type: 'string' };
  const parameters = [
    { name: '$filter', in: 'query', schema },
    { name: 'page[size]', in: 'query', schema },
    { name: 'ids[]', in: 'query', schema: { type: 'array', items: schema } },
    { name: '__proto__', in: 'query', schema },
    { name: 'größe', in: 'query', schema },
  ];
  const source = await load(t, oneOperation('get', '/', { parameters }), { baseUrl: api.origin });
  const names = Object.keys((await source.listTools())[0]!.inputSchema.properties as object);
  assert.deepEqual(names.slice(0, 3), ['filter', 'page_size', 'ids']);
  for (const name of names) assert.match(name, /^[a-zA-Z0-9_.-]{1,64}$/);
  await call(
    source,
    'call',
    Object.fromEntries(names.map((name, index) => [name, name === 'ids' ? ['a', 'b'] : `${index}`])),
  );
  assert.equal(
    api.requests[0]!.url,
    '/?%24filter=0&page%5Bsize%5D=1&ids%5B%5D=a&ids%5B%5D=b&__proto__=3&gr%C3%B6%C3%9Fe=4',
  );
});

for (const value of ['.', '..', '%2e%2e', '']) {
  test(`the path value ${JSON.stringify(value)} cannot lead to another operation`, async (t) => {
    const api = await startRecordingApi(t);
    const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
    const source = await load(t, oneOperation('delete', '/users/{id}', { parameters }), { baseUrl: api.origin });
    const result = await call(source, 'call', { id: value });
    if (value === '%2e%2e') assert.equal(api.requests[0]!.url, '/users/%252e%252e');
    else {
      assert.equal(result.isError, true);
      assert.equal((result.structuredContent as { field: string }).field, 'id');
      assert.equal(api.requests.length, 0);
    }
  });
}

const SWAGGER_COLLECTIONS = [
  ['csv', 'a,b%20c'],
  ['ssv', 'a%20b%20c'],
  ['tsv', 'a%09b%20c'],
  ['pipes', 'a%7Cb%20c'],
  ['multi', 'a&list=b%20c'],
  [undefined, 'a,b%20c'],
] as const;

for (const [collectionFormat, arrives] of SWAGGER_COLLECTIONS) {
  test(`a list of Swagger 2 with the collection format ${collectionFormat} arrives as ${arrives}`, async (t) => {
    const api = await startRecordingApi(t);
    const parameter = { name: 'list', in: 'query', type: 'array', items: { type: 'string' }, collectionFormat };
    const paths = { '/lists': { get: { operationId: 'call', parameters: [parameter], responses: {} } } };
    const description = { swagger: '2.0', info: { title: 'T', version: '1' }, paths };
    const source = await load(t, description, { baseUrl: api.origin });
    await call(source, 'call', { list: ['a', 'b c'] });
    assert.equal(api.requests[0]!.url, `/lists?list=${arrives}`);
  });
}

test('a parameter of the path holds for its operations, which can say it anew', async (t) => {
  const api = await startRecordingApi(t);
  const page = (style: string) => ({
    name: 'tags',
    in: 'query',
    style,
    explode: false,
    schema: { type: 'array', items: {} },
  });
  const item = {
    parameters: [page('form')],
    get: { operationId: 'one' },
    delete: { operationId: 'two', parameters: [page('pipeDelimited')] },
  };
  const source = await load(t, openApi({ '/t': item }), { baseUrl: api.origin });
  await call(source, 'one', { tags: [1, 2] });
  await call(source, 'two', { tags: [1, 2] });
  assert.deepEqual(
    api.requests.map(({ url }) => url),
    ['/t?tags=1,2', '/t?tags=1%7C2'],
  );
});
