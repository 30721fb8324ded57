/** What a turn's log promises when stores lose answers, relays race and sessions end. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { RedisStore } from '../../relay/store/redis-store.ts';
import { CountingStore } from '../support/counting-store.ts';
import { EventReader, type ReadEvent, readEvents, typesOf } from '../support/event-reader.ts';
import { FailingStore } from '../support/failing-store.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { type RelayUnderTest, startRelay } from '../support/relay-under-test.ts';
import { ROUNDS } from '../support/rounds.ts';
import { type HostAnswer, say, startScriptedHost, TIMESTAMP } from '../support/scripted-host.ts';

const IN_SOAK = ROUNDS > 3;
const GRACE = { turnGraceMs: Number.POSITIVE_INFINITY };
const chunk = (text: string) => ['chunk', { chunk: text, timestamp: TIMESTAMP }] as const;
let redis: RedisServer;
before(async () => {
  redis = await startRedisServer();
});
after(() => redis.stop());

/** Two relays that share a real Redis and an agent host. */
async function startCluster() {
  const stores = await Promise.all([RedisStore.open(redis.url), RedisStore.open(redis.url)]);
  const host = await startScriptedHost();
  const [one, two] = await Promise.all(stores.map((store) => startRelay({ ...GRACE, store, sharedHost: host })));
  if (!one || !two) throw new Error('two relays were started');
  return {
    host,
    one,
    two,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([one, two].map((relay) => relay[Symbol.asyncDispose]()));
      await Promise.all(stores.map((store) => store.close()));
      await host[Symbol.asyncDispose]();
    },
  };
}

async function askHeld(relay: RelayUnderTest, session: Awaited<ReturnType<RelayUnderTest['startSession']>>) {
  const { promise, resolve } = Promise.withResolvers<HostAnswer>();
  relay.host.onChat(resolve);
  const asked = relay.chat(session, 'Hi');
  const hosted = await promise;
  hosted.frame(...chunk('stored '));
  const reader = new EventReader(await asked);
  return { hosted, reader, seen: await reader.until('chunk') };
}

const chunksOf = (events: readonly ReadEvent[]) =>
  events.filter(({ type }) => type === 'chunk').map((e) => e.data.chunk);

test('the same message id sent 50 times at once to two relays is one turn, and all 50 read the same answer', async () => {
  await using cluster = await startCluster();
  for (let round = 0; round < ROUNDS; round++) {
    const session = await cluster.one.startSession();
    const { promise: arrived, resolve } = Promise.withResolvers<HostAnswer>();
    cluster.host.onChat(resolve);
    const asked = Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 ? cluster.one : cluster.two).chat(session, 'Order one', { messageId: 'click' }).then(readEvents),
      ),
    );
    say('One ', 'order')(await arrived);
    for (const events of await asked) {
      assert.deepEqual(typesOf(events), ['question', 'chunk', 'chunk', 'complete', 'done']);
    }
    assert.equal(cluster.host.chats().length, round + 1);
  }
});

test('an event that readers were given directly does not come again when the store carries out what it had let wait', async () => {
  const store = new FailingStore();
  await using relay = await startRelay({ ...GRACE, store });
  const session = await relay.startSession();
  const { hosted, reader, seen } = await askHeld(relay, session);
  store.hang();
  hosted.frame(...chunk('direct '));
  assert.deepEqual(chunksOf(await reader.until('chunk')), ['direct ']);
  store.recover();
  const place = seen.at(-1)?.id ?? '';
  const back = await readEvents(await relay.about(session, 'GET', '/events', { 'last-event-id': place }));
  assert.deepEqual(typesOf(back), ['interrupted', 'done']);
  // The attached reader has the turn to its end all the same.
  say('end')(hosted);
  assert.deepEqual(typesOf(await reader.rest()), ['chunk', 'complete', 'done']);
});

test('an event that was stored, but whose answer was lost, does not come again to whoever had it directly', async () => {
  const store = new FailingStore();
  await using host = await startScriptedHost();
  await using relay = await startRelay({ ...GRACE, store, sharedHost: host });
  await using other = await startRelay({ ...GRACE, store, sharedHost: host });
  const session = await relay.startSession();
  const { hosted, reader, seen } = await askHeld(relay, session);
  const lost = store.loseNextAnswer();
  hosted.frame(...chunk('direct '));
  await lost;
  store.becomeUnavailable();
  assert.deepEqual(chunksOf(await reader.until('chunk')), ['direct ']);
  store.recover();
  const place = seen.at(-1)?.id ?? '';
  const back = await readEvents(await relay.about(session, 'GET', '/events', { 'last-event-id': place }));
  assert.deepEqual(chunksOf(back), []);
  assert.equal(back.at(-2)?.type, 'interrupted');
  say('end')(hosted);
  await reader.rest();
  const later = await readEvents(await other.about(session, 'GET', '/events', { 'last-event-id': place }));
  assert.deepEqual(chunksOf(later), []);
  assert.equal(later.at(-1)?.type, 'done');
});

test('a write that was carried out and reported as failed is not written twice, whatever others append meanwhile', async () => {
  const store = new FailingStore();
  await using relay = await startRelay({ ...GRACE, store });
  const session = await relay.startSession();
  const { hosted, reader } = await askHeld(relay, session);
  const log = `log:${session.sessionId}`;
  const lost = store.loseNextAnswer();
  hosted.frame(...chunk('once '));
  await lost;
  const entries = [`0 domain-changed ${JSON.stringify({ domain: 'shop', timestamp: TIMESTAMP })}`];
  await store.commit([], [{ type: 'append', log, entries, expiresAtMs: Date.now() + 60_000 }]);
  say('end')(hosted);
  assert.deepEqual(typesOf(await reader.rest()), ['chunk', 'domain-changed', 'chunk', 'complete', 'done']);
  const kept = (await store.readLog(log, 0, 100)).entries.map(({ entry }) => entry.split(' ')[1]);
  assert.deepEqual(kept, ['question', 'chunk', 'chunk', 'domain-changed', 'chunk', 'complete', 'done']);
});

test('readers who wait for a turn of another relay cost that relay’s looks and not one each', async () => {
  const store = new CountingStore();
  await using host = await startScriptedHost();
  await using one = await startRelay({ ...GRACE, store, sharedHost: host });
  await using two = await startRelay({ ...GRACE, store, sharedHost: host });
  const session = await one.startSession();
  const { hosted } = await askHeld(one, session);
  const readers: EventReader[] = [];
  for (let tab = 0; tab < 40; tab++) readers.push(new EventReader(await two.about(session, 'GET', '/events')));
  for (const reader of readers) await reader.until('chunk');
  const readsBefore = store.readCount;
  await store.hasReadKey('relay:', 4);
  assert.ok(store.readCount - readsBefore < 40, `${store.readCount - readsBefore} reads for 40 readers in 3 s`);
  say('end')(hosted);
  for (const reader of readers) assert.equal((await reader.rest()).at(-1)?.type, 'done');
});

test('a deleted session leaves nothing in the store, and one that ended is forgotten soon after', async () => {
  await using cluster = await startCluster();
  const session = await cluster.one.startSession();
  for (const message of ['One', 'Two']) await readEvents(await cluster.one.chat(session, message));
  const keys = () => redis.command('keys', `*${session.sessionId}*`);
  const leftMs = Number(await redis.command('pttl', `parley:l:log:${session.sessionId}`));
  assert.ok(leftMs > 3_600_000 && leftMs <= 4_200_000, `the log is kept for ${leftMs} ms`);
  assert.match(await keys(), /message:/);
  assert.equal((await cluster.two.about(session, 'DELETE')).status, 204);
  assert.equal(await keys(), '');
});

test('a session that is deleted in the middle of a turn never comes back, whichever relay deletes it', async () => {
  await using cluster = await startCluster();
  cluster.host.onChat(async ({ frame, response }) => {
    for (let index = 0; !response.destroyed; index++) {
      frame(...chunk(`${index} `));
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  const deletions = IN_SOAK ? 1_000 : 50;
  for (let done = 0; done < deletions; done += 10) {
    await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const session = await cluster.one.startSession();
        const reader = new EventReader(await cluster.one.chat(session, 'Hi'));
        await reader.until('chunk');
        const relay = index % 2 ? cluster.one : cluster.two;
        assert.equal((await relay.about(session, 'DELETE')).status, 204);
        const last = (await reader.rest()).at(-1);
        assert.equal(last?.type, 'session-ended');
        assert.equal((await relay.about(session, 'GET')).status, 404);
        assert.equal(await redis.command('keys', `*${session.sessionId}*`), '');
      }),
    );
  }
  assert.equal(cluster.host.chats().length, deletions);
});

test('stop at another relay closes the connection to the agent host within half a second', async () => {
  await using cluster = await startCluster();
  for (let round = 0; round < ROUNDS; round++) {
    const session = await cluster.one.startSession();
    const { promise: arrived, resolve } = Promise.withResolvers<HostAnswer>();
    cluster.host.onChat(resolve);
    const asked = cluster.one.chat(session, 'Hi');
    const hosted = await arrived;
    // A host that writes without a pause: the wish to stop has to get in between.
    const left = hosted.left.then(() => performance.now());
    const writing = setInterval(() => hosted.frame(...chunk('x ')), 1);
    const reader = new EventReader(await asked);
    await reader.until('chunk');
    const askedAtMs = performance.now();
    assert.equal((await cluster.two.about(session, 'POST', '/stop')).status, 204);
    const tookMs = (await left) - askedAtMs;
    clearInterval(writing);
    assert.ok(tookMs < 500, `it took ${tookMs} ms`);
    assert.deepEqual(typesOf(await reader.rest()).slice(-2), ['stopped', 'done']);
  }
});
