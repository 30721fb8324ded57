import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRelay } from '../support/relay-under-test.ts';

test('a visitor starts a session, asks, gets the answer as a stream, and ends the session', async () => {
  await using relay = await startRelay();
  const session = await relay.startSession();
  assert.equal(session.initialMessage, 'Hello! How can I assist you today?');
  const answer = await relay.chat(session, 'Hi');
  assert.equal(answer.status, 200);
  const ended = await relay.about(session, 'DELETE');
  assert.equal(ended.status, 204);
});
