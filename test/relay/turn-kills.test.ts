/** Kills at a random place of an answer: nothing of it is lost, told twice or told in another order, and it is asked for once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertExact, count, somewhereIn } from '../support/counting-answer.ts';
import { RelayProcess } from '../support/relay-process.ts';
import { startRelay } from '../support/relay-under-test.ts';
import { ROUNDS } from '../support/rounds.ts';
import { startScriptedHost } from '../support/scripted-host.ts';
import { Visitor } from '../support/visitor.ts';

const CHUNKS = 120;

test('SIGTERM in the middle of an answer costs nothing of it, and no new message is taken meanwhile', async () => {
  await using host = await startScriptedHost();
  for (let round = 0; round < ROUNDS; round++) {
    await using relay = await RelayProcess.start({ hostUrl: host.url, store: 'memory:' });
    const visitor = await Visitor.at(relay.url);
    const other = await Visitor.at(relay.url);
    const place = somewhereIn(CHUNKS);
    const refused = Promise.withResolvers<void>();
    host.onChat(count({ chunkCount: CHUNKS, before: (index) => (index > place ? refused.promise : undefined) }));
    const asked = visitor.ask('Count', 'm-1');
    await visitor.hasRead(place);
    relay.signal('SIGTERM');
    const refusal = await refusalOf(other);
    assert.equal(refusal.status, 503);
    assert.ok(Number(refusal.headers.get('retry-after')) > 0);
    assert.equal((await refusal.json()).code, 'shutting_down');
    refused.resolve();
    assertExact(await asked, { chunkCount: CHUNKS, atLeast: CHUNKS });
    assert.deepEqual(await relay.exited, { code: 0, signal: null });
  }
  assert.equal(host.chats().length, ROUNDS);
});

/** The signal needs a moment to arrive: `/readyz` tells when it has. */
async function refusalOf(visitor: Visitor): Promise<Response> {
  for (;;) {
    const { isShuttingDown } = await (await fetch(`${visitor.address}/readyz`)).json();
    if (isShuttingDown) return visitor.post('Hi', 'm-2');
  }
}

test('an agent host whose connection is reset in the middle of an answer: its exact beginning stays, told as failed', async () => {
  await using relay = await startRelay({ turnGraceMs: Number.POSITIVE_INFINITY });
  for (let round = 0; round < ROUNDS; round++) {
    const visitor = await Visitor.at(relay.url);
    const place = somewhereIn(CHUNKS);
    relay.host.onChat(
      count({
        chunkCount: CHUNKS,
        before: async (index, { response }) => {
          if (index !== place) return;
          // A reset drops what the network still holds, so that it is only done when all has arrived.
          await visitor.hasRead(place);
          response.socket?.resetAndDestroy();
        },
      }),
    );
    const events = await visitor.ask('Count', 'm-1');
    assertExact(events, { chunkCount: CHUNKS, atLeast: place });
    assert.equal(visitor.chunks.length, place);
    assert.equal(events.at(-2)?.type, 'error');
    assert.equal(events.at(-2)?.data.code, 'stream_interrupted');
  }
  assert.equal(relay.host.chats().length, ROUNDS);
});
