import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertInterrupted } from '../support/assert-interrupted.ts';
import { countUntilCut, somewhereIn } from '../support/counting-answer.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { RelayProcess } from '../support/relay-process.ts';
import { ROUNDS } from '../support/rounds.ts';
import { startScriptedHost } from '../support/scripted-host.ts';
import { Visitor } from '../support/visitor.ts';

const CHUNKS = 120;
const TOLD_WITHIN_MS = 5_000;

test('a relay of two that is killed in the middle of an answer: its readers hear from the other one that it was interrupted', async (t) => {
  const redis = await startRedisServer();
  t.after(() => redis.stop());
  await using host = await startScriptedHost();
  await using surviving = await RelayProcess.start({ hostUrl: host.url, store: redis.url });
  await using killed = await RelayProcess.start({ hostUrl: host.url, store: redis.url });
  for (let round = 0; round < ROUNDS; round++) {
    const visitor = await Visitor.at(killed.url, surviving.url);
    const place = somewhereIn(CHUNKS);
    const chatsBefore = host.chats().length;
    host.onChat(countUntilCut({ chunkCount: CHUNKS }));
    const asked = visitor.ask('Count', 'm-1');
    await visitor.hasRead(place);
    // A second tab, which has been reading at the other relay from the start.
    const otherTab = await visitor.about('GET', '/events', surviving.url);
    assert.equal(otherTab.status, 200);
    await killed.kill();
    const killedAtMs = performance.now();
    await asked;
    const otherText = await otherTab.text();
    assert.ok(performance.now() - killedAtMs < TOLD_WITHIN_MS);
    assert.match(otherText, /event: interrupted\n/);
    assert.equal(host.chats().length, chatsBefore + 1);
    await assertInterrupted(visitor, surviving.url, host, { chunkCount: CHUNKS, atLeast: place });
    await killed.start();
  }
});
