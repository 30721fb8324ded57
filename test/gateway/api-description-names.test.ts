import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitToolName, nameOperations } from '../../relay/tool-gateway/api-description/tool-name.ts';

const operation = (path: string, operationId?: string, method = 'get') => ({ method, path, operationId });

test('an operation is named by its operationId, or by method and path', () => {
  const names = nameOperations(
    [
      operation('/a', 'listOrders'),
      operation('/orders/{id}/items', undefined, 'post'),
      operation('/b', 'repos/get-all'),
      operation('/', '…'),
    ],
    64,
  );
  assert.deepEqual(names, ['listOrders', 'post_orders_id_items', 'repos_get-all', 'get']);
});

test('two names that are too long and begin alike stay two, within the length', () => {
  const long = 'x'.repeat(70);
  const names = nameOperations([operation('/a', `${long}a`), operation('/b', `${long}b`)], 40);
  assert.equal(new Set(names).size, 2);
  for (const name of names) assert.match(name, /^x{31}_[0-9a-f]{8}$/);
});

test('a name that several would have makes room for what tells them apart', () => {
  const id = 'y'.repeat(40);
  const names = nameOperations([operation('/a', id), operation('/b', id), operation('/c', `${id}!`)], 40);
  assert.equal(new Set(names).size, 3);
  for (const name of names) assert.ok(name.length <= 40, name);
});

test('whoever has the name by right keeps it, whatever the order', () => {
  const rightful = operation('/a', 'get_user');
  const changed = operation('/b', 'get.user');
  const [first, second] = nameOperations([rightful, changed], 64);
  assert.equal(first, 'get_user');
  assert.match(second!, /^get_user_[0-9a-f]{8}$/);
  assert.deepEqual(nameOperations([changed, rightful], 64), [second, first]);
});

test('names that differ in case only are told apart', () => {
  const names = nameOperations([operation('/a', 'getUser'), operation('/b', 'getuser')], 64);
  assert.equal(new Set(names.map((name) => name.toLowerCase())).size, 2);
});

test('a thousand names of random operations are unique, allowed and the same each time', () => {
  const operations = Array.from({ length: 1_000 }, (_, index) =>
    operation(`/${index}`, `ü${'op'.repeat(index % 40)}${'.-_ '[index % 4]}`),
  );
  const names = nameOperations(operations, 30);
  assert.equal(new Set(names).size, 1_000);
  for (const name of names) assert.match(name, /^[a-zA-Z0-9_-]{1,30}$/);
  assert.deepEqual(nameOperations(operations, 30), names);
});

test('a name that fits is not touched, and one that does not ends in a hash of its identity', () => {
  assert.equal(fitToolName('create_order', 57, 'x'), 'create_order');
  assert.notEqual(fitToolName('z'.repeat(60), 57, 'one'), fitToolName('z'.repeat(60), 57, 'two'));
  assert.equal(fitToolName('z'.repeat(60), 57, 'one').length, 57);
});
