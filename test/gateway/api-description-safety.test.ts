/** What a description, a model or an API must not bring about. */
import assert from 'node:assert/strict';
import type { LookupFunction } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { AddressPolicy } from '../../relay/tool-gateway/api-description/address-policy.ts';
import { loadApiDescription } from '../../relay/tool-gateway/api-description/load-api-description.ts';
import type { ToolError } from '../../relay/tool-policy/tool-error.ts';
import {
  call,
  folderWith,
  load,
  oneOperation,
  openApi,
  startRecordingApi,
  toolNamed,
} from './api-description-recorder.ts';

const header = (name: string, more: object = {}) => ({ name, in: 'header', schema: { type: 'string' }, ...more });

const META = { sessionId: 'session-1', idempotencyKey: 'k'.repeat(64), traceparent: 'x' };
const META_PARAMETERS = [header('X-Session-Id', { required: true }), header('X-IDEMPOTENCY-KEY')];

test('declared headers for session and key are no arguments and are filled from _meta, verbatim [S1.1, S1.2, S1.17, S1.19]', async (t) => {
  const api = await startRecordingApi(t);
  const source = await load(t, oneOperation('post', '/', { parameters: META_PARAMETERS }), { baseUrl: api.origin });
  const tool = await toolNamed(source, 'call');
  assert.deepEqual(tool.inputSchema.properties, {});
  assert.equal(tool.takesIdempotencyKey, true);
  await call(source, 'call', {}, { meta: { ...META, idempotencyKey: "the caller's OWN key/1" } });
  await call(source, 'call');
  const [first, second] = api.requests;
  assert.equal(first!.headers['x-session-id'], 'session-1');
  assert.equal(first!.headers['x-idempotency-key'], "the caller's OWN key/1");
  assert.equal(first!.headers.traceparent, undefined);
  assert.equal('x-session-id' in second!.headers || 'x-idempotency-key' in second!.headers, false);
});

test('undeclared headers are sent only where the owner says always, declared ones not where he says never [S1.3]', async (t) => {
  const api = await startRecordingApi(t);
  const paths = {
    '/a': { post: { operationId: 'silent' } },
    '/b': { post: { operationId: 'declared', parameters: META_PARAMETERS } },
  };
  const sent: boolean[] = [];
  for (const metaHeaders of ['declared', 'always', 'never'] as const) {
    const source = await load(t, openApi(paths), { baseUrl: api.origin, metaHeaders });
    for (const name of ['silent', 'declared']) {
      await call(source, name, {}, { meta: META });
      const { headers } = api.requests.at(-1)!;
      assert.equal('x-session-id' in headers, 'x-idempotency-key' in headers);
      sent.push('x-session-id' in headers);
    }
  }
  assert.deepEqual(sent, [false, true, true, true, false, false]);
});

for (const value of ['a\r\nX-Evil: 1', 'a\u0000', 'a\u2028b', 'x'.repeat(5_000), 17, null, ['a']]) {
  test(`the idempotency key ${JSON.stringify(value).slice(0, 30)} is refused and nothing is called`, async (t) => {
    const api = await startRecordingApi(t);
    const source = await load(t, oneOperation('post', '/', { parameters: META_PARAMETERS }), { baseUrl: api.origin });
    const result = await call(source, 'call', {}, { meta: { idempotencyKey: value } });
    const error = result.structuredContent as unknown as ToolError;
    assert.deepEqual([result.isError, error.code, error.field], [true, 'invalid_meta', '_meta/idempotencyKey']);
    assert.equal(api.requests.length, 0);
  });
}

test('a header argument with a line break is refused and nothing is called', async (t) => {
  const api = await startRecordingApi(t);
  const source = await load(t, oneOperation('get', '/', { parameters: [header('X-Tag')] }), { baseUrl: api.origin });
  const result = await call(source, 'call', { 'X-Tag': 'a\nHost: evil' });
  assert.equal((result.structuredContent as { field: string }).field, 'X-Tag');
  assert.equal(api.requests.length, 0);
});

test('the API receives these headers and no others [S1.16, S1.18]', async (t) => {
  const api = await startRecordingApi(t);
  const source = await load(t, oneOperation('post', '/', { parameters: META_PARAMETERS }), { baseUrl: api.origin });
  await call(source, 'call', {}, { meta: META, credential: { type: 'authorization', value: 'Bearer secret-token' } });
  await call(source, 'call', {}, { meta: {}, credential: { type: 'x-api-key', value: 'secret-key' } });
  const [first, second] = api.requests.map(({ headers }) => headers);
  assert.deepEqual(Object.keys(first!).sort(), [
    'accept',
    'authorization',
    'connection',
    'content-length',
    'host',
    'user-agent',
    'x-idempotency-key',
    'x-session-id',
  ]);
  assert.equal(first!.authorization, 'Bearer secret-token');
  assert.deepEqual([second!['x-api-key'], second!.authorization], ['secret-key', undefined]);
});

test('headers about caller, place and connection, and those of the security schemes, are no arguments', async (t) => {
  const names = [
    'Authorization',
    'Host',
    'Cookie',
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'X-Forwarded-For',
    'X-Real-IP',
    'X-Api-Key',
    'Accept',
    'X-HTTP-Method-Override',
    'Sec-Fetch-Site',
    'X-Token',
  ];
  const parameters = [
    ...names.map((name) => header(name)),
    { name: 'sid', in: 'cookie', schema: {} },
    { name: 'token', in: 'query', schema: {} },
    header('X-Tag'),
  ];
  const securitySchemes = {
    a: { type: 'apiKey', in: 'header', name: 'x-token' },
    b: { type: 'apiKey', in: 'cookie', name: 'sid' },
    c: { type: 'apiKey', in: 'query', name: 'token' },
  };
  const source = await load(t, oneOperation('get', '/', { parameters }, { components: { securitySchemes } }));
  assert.deepEqual(Object.keys((await toolNamed(source, 'call')).inputSchema.properties as object), ['X-Tag']);
  assert.equal(source.report.entries.length, names.length + 2);
});

test('a credential that the API sends back does not reach the model', async (t) => {
  const api = await startRecordingApi(t);
  api.answer = (request, response) => {
    response.writeHead(request.url === '/fail' ? 400 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ headers: request.headers }));
  };
  const source = await load(
    t,
    openApi({ '/ok': { get: { operationId: 'ok' } }, '/fail': { get: { operationId: 'fail' } } }),
    { baseUrl: api.origin },
  );
  for (const name of ['ok', 'fail']) {
    const result = await call(
      source,
      name,
      {},
      { credential: { type: 'authorization', value: 'Bearer secret-token' } },
    );
    assert.equal(JSON.stringify(result).includes('secret-token'), false);
    assert.equal(JSON.stringify(result).includes('[credential]'), true);
  }
});

test('a read follows a redirect within its origin, at most three, and a write none', async (t) => {
  const api = await startRecordingApi(t);
  api.answer = (request, response) => {
    const step = Number(/step=(\d)/.exec(request.url)?.[1] ?? 0);
    response.writeHead(step < 3 ? 302 : 200, { location: `/moved?step=${step + 1}` });
    response.end();
  };
  const source = await load(t, openApi({ '/t': { get: { operationId: 'read' }, post: { operationId: 'write' } } }), {
    baseUrl: `${api.origin}/api`,
  });
  assert.equal((await call(source, 'read')).isError, undefined);
  assert.deepEqual(
    api.requests.map(({ url }) => url),
    ['/api/t', '/moved?step=1', '/moved?step=2', '/moved?step=3'],
  );
  const result = await call(source, 'write');
  const error = result.structuredContent as unknown as ToolError;
  assert.deepEqual([error.code, error.api?.status, api.requests.length], ['api_error', 302, 5]);

  api.answer = (_, response) => {
    response.writeHead(302, { location: '/again' });
    response.end();
  };
  assert.equal((await call(source, 'read')).isError, true);
  assert.equal(api.requests.length, 9);
});

test('no redirect leads to another origin, and no credential leaves', async (t) => {
  const api = await startRecordingApi(t);
  const other = await startRecordingApi(t);
  const source = await load(t, oneOperation('get', '/', {}), {
    baseUrl: api.origin,
    privateAddresses: ['127.0.0.0/8'],
  });
  const { port } = new URL(api.origin);
  for (const location of [
    `${other.origin}/x`,
    `//127.0.0.1:${new URL(other.origin).port}/x`,
    `http://user:pw@127.0.0.1:${port}/x`,
    'http://169.254.169.254/latest/meta-data',
    'file:///etc/passwd',
  ]) {
    api.answer = (_, response) => {
      response.writeHead(302, { location });
      response.end();
    };
    const result = await call(source, 'call', {}, { credential: { type: 'authorization', value: 'Bearer secret' } });
    assert.equal(result.isError, true, location);
  }
  assert.equal(other.requests.length, 0);
  assert.equal(api.requests.length, 5);
});

const SERVERS = [
  'http://169.254.169.254',
  'http://[::ffff:169.254.169.254]',
  'http://0x7f000001',
  'http://2130706433',
  'http://017700000001',
  'http://localhost:22',
  'http://[::1]',
  'http://[64:ff9b::7f00:1]',
  'file:///etc/passwd',
  'gopher://127.0.0.1:70',
  '//evil.example',
  '\\\\evil.example',
  'https://user:pw@api.example.com',
  '/v1',
];

for (const url of SERVERS) {
  test(`a description whose server is ${url} is refused when it is loaded`, async (t) => {
    const description = openApi({ '/': { get: {} } }, { servers: [{ url }] });
    const folder = await folderWith(t, { 'api.json': JSON.stringify(description, null, 2) });
    const file = path.join(folder, 'api.json');
    await assert.rejects(loadApiDescription({ file }), { name: 'ApiDescriptionError', line: 12 });
    // Also where the owner allowed some origin of his.
    await assert.rejects(loadApiDescription({ file, allowedOrigins: ['https://api.example.com'] }), {
      name: 'ApiDescriptionError',
    });
  });
}

test('the description says which server, among the origins that the owner allows', async (t) => {
  const description = openApi(
    {
      '/': { get: { operationId: 'a' } },
      '/up': { servers: [{ url: 'https://uploads.example.com' }], post: { operationId: 'b' } },
    },
    {
      servers: [
        { url: 'https://evil.example' },
        { url: 'https://{region}.example.com/{v}', variables: { region: { default: 'eu' }, v: { default: 'v2' } } },
      ],
    },
  );
  const folder = await folderWith(t, { 'api.json': JSON.stringify(description) });
  const file = path.join(folder, 'api.json');
  const source = await loadApiDescription({ file, allowedOrigins: ['https://eu.example.com'] });
  assert.deepEqual(
    (await source.listTools()).map(({ name }) => name),
    ['a'],
  );
  assert.match(source.report.entries[0]!.reason, /the origin https:\/\/uploads\.example\.com is not allowed/);
  const both = await loadApiDescription({
    file,
    allowedOrigins: ['https://eu.example.com', 'https://uploads.example.com'],
  });
  assert.deepEqual(
    (await both.listTools()).map(({ name }) => name),
    ['a', 'b'],
  );
});

test('a name that leads to a private address is not connected to, unless the owner named one of the two', async (t) => {
  const api = await startRecordingApi(t);
  const { port } = new URL(api.origin);
  let answers: string[] = [];
  const lookup: LookupFunction = (_, __, callback) => {
    callback(
      null,
      answers.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  const options = { baseUrl: `http://api.example.test:${port}`, lookup };
  answers = ['127.0.0.1'];
  const refused = await call(await load(t, oneOperation('get', '/', {}), options), 'call');
  assert.equal((refused.structuredContent as unknown as ToolError).code, 'api_unreachable');
  answers = ['::ffff:127.0.0.1', '10.1.2.3', 'fd00::1'];
  assert.equal((await call(await load(t, oneOperation('get', '/', {}), options), 'call')).isError, true);
  assert.equal(api.requests.length, 0);

  answers = ['127.0.0.1'];
  for (const privateAddresses of [['127.0.0.0/8'], ['127.0.0.1'], ['api.example.test']]) {
    const source = await load(t, oneOperation('get', '/', {}), { ...options, privateAddresses });
    assert.equal((await call(source, 'call')).isError, undefined, privateAddresses[0]);
  }
  assert.equal(api.requests.length, 3);
});

test('the address that was checked is the one that is connected to: the name is looked up once for it', async (t) => {
  const api = await startRecordingApi(t);
  let lookups = 0;
  const lookup: LookupFunction = (_, __, callback) => {
    lookups += 1;
    // A name that changes its mind between check and use.
    callback(null, [{ address: lookups === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }]);
  };
  const options = {
    baseUrl: `http://api.example.test:${new URL(api.origin).port}`,
    lookup,
    privateAddresses: ['127.0.0.1'],
  };
  const source = await load(t, oneOperation('get', '/', {}), options);
  assert.equal((await call(source, 'call')).isError, undefined);
  assert.equal(lookups, 1);
});

test('addresses that are not of the public internet are known in each of their forms', () => {
  const policy = new AddressPolicy([]);
  for (const address of [
    '127.0.0.1',
    '10.0.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1%eth0',
    'fd12::1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '64:ff9b::a00:1',
    '2002:7f00:1::',
    '::7f00:1',
  ]) {
    assert.equal(policy.allows(address), false, address);
  }
  for (const address of ['8.8.8.8', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::808:808']) {
    assert.equal(policy.allows(address), true, address);
  }
  assert.throws(() => new AddressPolicy(['http://x']), /neither an address, a range nor a host name/);
});

test('no reference is fetched or read outside the folder, and the operations without one load', async (t) => {
  const api = await startRecordingApi(t);
  const references = [
    `${api.origin}/x.json#/A`,
    'file:///etc/passwd',
    '../outside.json',
    '/etc/hostname',
    './link.json',
    '//evil/x',
    '#/components/schemas/Missing',
    '#broken',
  ];
  const paths = Object.fromEntries(
    references.map(($ref, index) => [
      `/r${index}`,
      { post: { requestBody: { content: { 'application/json': { schema: { $ref } } } } } },
    ]),
  );
  const outside = await folderWith(t, { 'secret.json': '{"type":"string"}' });
  const folder = await folderWith(t, {
    'api.json': JSON.stringify(openApi({ ...paths, '/ok': { get: { operationId: 'ok' } } })),
  });
  const { symlink } = await import('node:fs/promises');
  await symlink(path.join(outside, 'secret.json'), path.join(folder, 'link.json'));
  const source = await loadApiDescription({ file: path.join(folder, 'api.json'), baseUrl: api.origin });
  assert.deepEqual(
    (await source.listTools()).map(({ name }) => name),
    ['ok'],
  );
  assert.equal(source.report.entries.filter(({ outcome }) => outcome === 'left-out').length, references.length);
  assert.equal(api.requests.length, 0);
});
