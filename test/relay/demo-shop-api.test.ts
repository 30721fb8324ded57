import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { API_KEY, startShop, VISITOR_CREDENTIAL } from './demo-fixtures.ts';

const asAccount = { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' };
const twoMugs = JSON.stringify({ productId: 'prod_2f81', quantity: 2 });

function post(url: string, body: string, headers: Record<string, string> = asAccount) {
  return fetch(`${url}/orders`, { method: 'POST', headers, body });
}

test('an order is priced, written to the database, taken off the stock and found again by its number', async (t) => {
  const shop = await startShop(t);
  const response = await post(shop.url, twoMugs);
  const order = await response.json();
  assert.equal(response.status, 201);
  assert.match(order.orderId, /^ord_[0-9a-f]{6}$/);
  assert.deepEqual(
    { ...order, orderId: '', createdAt: '' },
    {
      orderId: '',
      status: 'confirmed',
      productId: 'prod_2f81',
      quantity: 2,
      total: 59.98,
      currency: 'CHF',
      createdAt: '',
    },
  );
  assert.deepEqual(
    shop.orders().map(({ id, quantity }) => ({ id, quantity })),
    [{ id: order.orderId, quantity: 2 }],
  );
  assert.equal(shop.stockOf('prod_2f81'), 118);

  const again = await fetch(`${shop.url}${response.headers.get('Location')}`, { headers: asAccount });
  assert.deepEqual(await again.json(), order);
});

test('the same idempotency key gives back the first order and places no second one, also for calls at once', async (t) => {
  const shop = await startShop(t);
  const headers = { ...asAccount, 'X-Idempotency-Key': 'key-1', 'X-Session-Id': 'session-1' };
  const responses = await Promise.all(Array.from({ length: 8 }, () => post(shop.url, twoMugs, headers)));
  const ids = await Promise.all(responses.map(async (response) => (await response.json()).orderId));
  assert.equal(new Set(ids).size, 1);
  assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 201]);
  assert.equal(responses.filter(({ headers }) => headers.get('Idempotent-Replayed') === 'true').length, 7);
  assert.equal(shop.orders().length, 1);
  assert.equal(shop.orders()[0]?.session_id, 'session-1');
  assert.equal(shop.stockOf('prod_2f81'), 118);
});

test('a used idempotency key with another order is refused, and belongs to its owner alone', async (t) => {
  const shop = await startShop(t);
  const key = { 'X-Idempotency-Key': 'key-1' };
  await post(shop.url, twoMugs, { ...asAccount, ...key });
  const conflict = await post(shop.url, JSON.stringify({ productId: 'prod_2f81', quantity: 3 }), {
    ...asAccount,
    ...key,
  });
  assert.equal(conflict.status, 409);
  assert.equal((await conflict.json()).code, 'key_conflict');

  const other = await post(shop.url, twoMugs, { ...asAccount, ...key, Authorization: `Bearer ${VISITOR_CREDENTIAL}` });
  assert.equal(other.status, 201);
  assert.deepEqual(
    shop.orders().map(({ owner }) => owner),
    ['account', 'visitor'],
  );
});

test('an order of somebody else is as unknown as one that never was', async (t) => {
  const shop = await startShop(t);
  const { orderId } = await (await post(shop.url, twoMugs)).json();
  const headers = { Authorization: `Bearer ${VISITOR_CREDENTIAL}` };
  const foreign = await (await fetch(`${shop.url}/orders/${orderId}`, { headers })).json();
  const unknown = await (await fetch(`${shop.url}/orders/ord_000000`, { headers })).json();
  assert.equal(unknown.status, 404);
  assert.deepEqual({ ...foreign, received: '' }, { ...unknown, received: '' });
});

const refusals = [
  {
    body: '{"productId":"prod_d640","quantity":1}',
    status: 409,
    code: 'out_of_stock',
    field: 'quantity',
    received: '1',
  },
  {
    body: '{"productId":"prod_5be2","quantity":7}',
    status: 409,
    code: 'out_of_stock',
    field: 'quantity',
    received: '7',
  },
  {
    body: '{"productId":"prod_0000","quantity":1}',
    status: 422,
    code: 'unknown_product',
    field: 'productId',
    received: 'prod_0000',
  },
  {
    body: '{"productId":"2f81","quantity":1}',
    status: 400,
    code: 'invalid_request',
    field: 'productId',
    received: '"2f81"',
  },
  { body: '{"quantity":1}', status: 400, code: 'invalid_request', field: 'productId', received: 'nothing' },
  {
    body: '{"productId":"prod_2f81","quantity":"2"}',
    status: 400,
    code: 'invalid_request',
    field: 'quantity',
    received: '"2"',
  },
  {
    body: '{"productId":"prod_2f81","quantity":0}',
    status: 400,
    code: 'invalid_request',
    field: 'quantity',
    received: '0',
  },
  {
    body: '{"productId":"prod_2f81","quantity":1.5}',
    status: 400,
    code: 'invalid_request',
    field: 'quantity',
    received: '1.5',
  },
  {
    body: '{"productId":"prod_2f81","quantity":101}',
    status: 400,
    code: 'invalid_request',
    field: 'quantity',
    received: '101',
  },
  { body: '{"productId":"prod_2f81","quantity":1,"price":0}', status: 400, code: 'invalid_request', field: 'price' },
  { body: '[]', status: 400, code: 'invalid_request', field: 'body', received: '[]' },
  { body: '{"productId":', status: 400, code: 'invalid_request', field: 'body' },
];

for (const { body, status, code, field, received } of refusals) {
  test(`the order ${body} is refused with ${code} about ${field}, and nothing is written`, async (t) => {
    const shop = await startShop(t);
    const response = await post(shop.url, body);
    const problem = await response.json();
    assert.equal(response.status, status);
    assert.match(response.headers.get('Content-Type') ?? '', /^application\/problem\+json/);
    assert.deepEqual([problem.status, problem.code, problem.field, problem.received], [status, code, field, received]);
    assert.ok(problem.expected.length > 0);
    assert.deepEqual(shop.orders(), []);
    assert.equal(shop.stockOf('prod_5be2'), 6);
  });
}

test('without a credential the shop answers 401, with a wrong one 403, whatever is asked', async (t) => {
  const shop = await startShop(t);
  for (const path of ['/products', '/orders/ord_000000', '/nowhere']) {
    assert.equal((await fetch(shop.url + path)).status, 401);
    const wrong = await fetch(shop.url + path, { headers: { Authorization: 'Bearer wrong' } });
    assert.equal(wrong.status, 403);
    assert.equal((await wrong.json()).field, 'Authorization');
  }
  assert.equal((await post(shop.url, twoMugs, { 'Content-Type': 'application/json' })).status, 401);
  assert.equal((await fetch(`${shop.url}/products`, { headers: { Authorization: API_KEY } })).status, 403);
});

test('every operation and problem code of the description is one that the shop has', async (t) => {
  const shop = await startShop(t);
  const served = await (await fetch(`${shop.url}/openapi.yaml`)).text();
  assert.equal(served, readFileSync(new URL('../../demo/shop-api/openapi.yaml', import.meta.url), 'utf8'));
  const description = parse(served);
  for (const [path, operations] of Object.entries(description.paths)) {
    for (const method of Object.keys(operations as object)) {
      const url = shop.url + path.replace('{orderId}', 'ord_000000');
      const response = await fetch(url, { method, headers: asAccount, ...(method === 'post' ? { body: '{}' } : {}) });
      const body = await response.json();
      assert.notEqual(body.code, 'not_found', `${method} ${path}`);
      assert.ok(
        Object.hasOwn((operations as Record<string, { responses: object }>)[method]!.responses, response.status),
      );
    }
  }
  const { products } = await (await fetch(`${shop.url}/products`, { headers: asAccount })).json();
  assert.deepEqual(Object.keys(products[0]), description.components.schemas.Product.required);
  assert.deepEqual(
    Object.keys(await (await post(shop.url, twoMugs)).json()),
    description.components.schemas.Order.required,
  );
});
