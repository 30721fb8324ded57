import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRelay } from '../support/relay-under-test.ts';

test('a user id is a label that opens nothing: one is drawn where none is given, and two visitors of one name are two [S2.9]', async () => {
  await using relay = await startRelay();
  const start = async (body: object) => (await relay.post('/session', body)).json();
  const [nameless, other] = [await start({}), await start({})];
  assert.match(nameless.userId, /^\S{16,}$/);
  assert.notEqual(nameless.userId, other.userId);

  const [first, namesake] = [await start({ userId: 'visitor-1' }), await start({ userId: 'visitor-1' })];
  assert.notEqual(first.sessionId, namesake.sessionId);
  const borrowed = await relay.about({ ...first, token: namesake.token }, 'GET');
  assert.equal(borrowed.status, 404);
  const sent = relay.host.requests.map(({ body }) => JSON.parse(body).userId);
  assert.deepEqual(sent, [nameless.userId, other.userId, 'visitor-1', 'visitor-1']);
});
