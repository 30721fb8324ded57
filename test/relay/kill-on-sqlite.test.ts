import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { assertInterrupted } from '../support/assert-interrupted.ts';
import { countUntilCut, somewhereIn } from '../support/counting-answer.ts';
import { RelayProcess } from '../support/relay-process.ts';
import { ROUNDS } from '../support/rounds.ts';
import { startScriptedHost } from '../support/scripted-host.ts';
import { Visitor } from '../support/visitor.ts';

const CHUNKS = 120;
/** From the moment when the relay listens again. */
const TOLD_WITHIN_MS = 5_000;
const directory = mkdtempSync(join(tmpdir(), 'parley-kills-'));
after(() => rmSync(directory, { recursive: true }));

test('kill -9 in the middle of an answer and a restart on SQLite: the turn is told as interrupted with its exact beginning', async () => {
  await using host = await startScriptedHost();
  await using relay = await RelayProcess.start({
    hostUrl: host.url,
    store: `sqlite:${join(directory, 'kills.sqlite')}`,
  });
  for (let round = 0; round < ROUNDS; round++) {
    const visitor = await Visitor.at(relay.url);
    const place = somewhereIn(CHUNKS);
    const chatsBefore = host.chats().length;
    host.onChat(countUntilCut({ chunkCount: CHUNKS }));
    const asked = visitor.ask('Count', 'm-1');
    await visitor.hasRead(place);
    await relay.kill();
    await relay.start();
    const restartedAtMs = performance.now();
    await asked;
    assert.ok(performance.now() - restartedAtMs < TOLD_WITHIN_MS);
    assert.equal(host.chats().length, chatsBefore + 1);
    await assertInterrupted(visitor, relay.url, host, { chunkCount: CHUNKS, atLeast: place });
  }
});
