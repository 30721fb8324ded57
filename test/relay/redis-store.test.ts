/** What a Redis store promises beyond the contract of all stores: a server that is away, slow, full or a replica. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { RedisStore } from '../../relay/store/redis-store.ts';
import { type Store, StoreUnavailableError, type Write } from '../../relay/store/store.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { startSlowLine } from '../support/slow-line.ts';

const LIFE_MS = 3_600_000;
const LOG = 'log:1';
/** How often the server is killed: a few times with every run of the tests, more in a soak. */
const KILLS = Number(process.env.SOAK_ROUNDS ?? 3);
/** No call may take longer, whatever the server does. */
const CALL_LIMIT_MS = 2_000;
const RECOVERY_LIMIT_MS = 10_000;

async function startServer(t: TestContext): Promise<RedisServer> {
  const server = await startRedisServer();
  t.after(() => server.stop());
  return server;
}

async function openStore(t: TestContext, url: string): Promise<RedisStore> {
  const store = await RedisStore.open(url);
  t.after(() => store.close());
  return store;
}

function append(entry: string): Write {
  return { type: 'append', log: LOG, entries: [entry], expiresAtMs: Date.now() + LIFE_MS };
}

function put(key: string, value: string): Write {
  return { type: 'put', key, value, expiresAtMs: Date.now() + LIFE_MS };
}

async function texts(store: Store): Promise<readonly string[]> {
  return (await store.readLog(LOG, 0, 1_000)).entries.map(({ entry }) => entry);
}

/** Makes a call that must reject in time. Returns how long that took. */
async function refusedAfterMs(call: () => Promise<unknown>, reason = /^Redis: /): Promise<number> {
  const begunMs = performance.now();
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof StoreUnavailableError, String(error));
    assert.match(error.message, reason);
    return true;
  });
  const tookMs = performance.now() - begunMs;
  assert.ok(tookMs < CALL_LIMIT_MS, `rejected after ${tookMs} ms`);
  return tookMs;
}

/** Resolves when the store says that it can be used; every refusal until then must be in time. */
async function recovered(store: Store): Promise<void> {
  const begunMs = performance.now();
  for (;;) {
    try {
      await store.check();
      return;
    } catch (error) {
      assert.ok(error instanceof StoreUnavailableError, String(error));
      assert.ok(performance.now() - begunMs < RECOVERY_LIMIT_MS, `not back: ${error.message}`);
      await wait(50);
    }
  }
}

/** Whether an append of `writer` wakes a listener of `reader` soon. */
async function assertWakes(reader: Store, writer: Store): Promise<void> {
  const woken = Promise.withResolvers<void>();
  const end = reader.subscribe(LOG, () => woken.resolve());
  await writer.commit([], [append('wake')]);
  const late = wait(1_000, 'late', { ref: false });
  assert.notEqual(await Promise.race([woken.promise, late]), 'late');
  end();
}

describe('a Redis server that', () => {
  test('does not answer for five seconds: calls are refused in time, and all goes on after without a restart', async (t) => {
    const server = await startServer(t);
    const store = await openStore(t, server.url);
    await store.commit([], [append('before')]);
    let calls = 0;
    t.after(store.subscribe('other', () => calls++));

    server.pause();
    const resumed = wait(5_000).then(() => server.resume());
    await refusedAfterMs(() => store.commit([], [append('lost answer')]));
    for (const call of [
      () => store.get('key'),
      () => store.readLog(LOG, 0, 1),
      () => store.commit([], [put('a', 'b')]),
    ]) {
      assert.ok((await refusedAfterMs(call)) < 100, 'once it is known to be away, no call waits');
    }
    calls = 0;
    await resumed;
    await recovered(store);
    assert.ok(calls > 0, 'whoever waits is woken when the server is back, because messages may have been missed');
    await store.commit([], [append('after')]);
    const kept = await texts(store);
    assert.equal(kept[0], 'before');
    assert.equal(kept.at(-1), 'after');
    await assertWakes(store, store);
  });

  test('dies and starts again, several times: there is nothing but refusals in between', async (t) => {
    const server = await startServer(t);
    const store = await openStore(t, server.url);
    const other = await openStore(t, server.url);
    for (let round = 0; round < KILLS; round++) {
      const inFlight = Promise.allSettled(
        Array.from({ length: 50 }, (_, index) => store.commit([], [append(`${round} ${index}`)])),
      );
      await server.kill();
      for (const result of await inFlight) {
        if (result.status === 'rejected') assert.ok(result.reason instanceof StoreUnavailableError);
      }
      await refusedAfterMs(() => store.commit([], [append('x')]));
      await refusedAfterMs(() => store.check());
      await server.start();
      await Promise.all([recovered(store), recovered(other)]);
      await assertWakes(store, other);
    }
  });

  test('is not there yet when the relay starts: it is used as soon as it is', async (t) => {
    const server = await startServer(t);
    await server.kill();
    const store = await openStore(t, server.url);
    let calls = 0;
    t.after(store.subscribe(LOG, () => calls++));
    await refusedAfterMs(() => store.check(), /ECONNREFUSED/);
    await server.start();
    await recovered(store);
    assert.ok(calls > 0);
    await assertWakes(store, store);
  });

  test('answers only after five seconds: calls are refused in time, and taken again when it is quick', async (t) => {
    const server = await startServer(t);
    const line = await startSlowLine(server.port);
    t.after(() => line.close());
    const store = await openStore(t, `redis://127.0.0.1:${line.port}`);
    await store.check();
    line.delayMs = 5_000;
    const slowUntilMs = performance.now() + 6_000;
    while (performance.now() < slowUntilMs) {
      await refusedAfterMs(() => store.commit([], [put('key', 'value')]));
      await wait(200);
    }
    line.delayMs = 0;
    await recovered(store);
    await assertWakes(store, store);
  });

  test('is cut off without a word: the silence is noticed though nobody asks for anything', async (t) => {
    const server = await startServer(t);
    const line = await startSlowLine(server.port);
    t.after(() => line.close());
    const store = await openStore(t, `redis://127.0.0.1:${line.port}`);
    const direct = await openStore(t, server.url);
    const woken = Promise.withResolvers<void>();
    let isBack = false;
    t.after(store.subscribe(LOG, () => isBack && woken.resolve()));
    await store.check();
    line.delayMs = Number.POSITIVE_INFINITY;
    await direct.commit([], [append('missed')]);
    // Longer than a ping and its limit.
    await wait(4_000);
    line.delayMs = 0;
    isBack = true;
    const late = wait(RECOVERY_LIMIT_MS, 'late', { ref: false });
    assert.notEqual(await Promise.race([woken.promise, late]), 'late');
    assert.deepEqual(await texts(direct), ['missed']);
  });

  test('closes its connections: they are made again', async (t) => {
    const server = await startServer(t);
    const store = await openStore(t, server.url);
    let calls = 0;
    t.after(store.subscribe('other', () => calls++));
    await store.check();
    for (const kind of ['pubsub', 'normal']) {
      calls = 0;
      await server.command('CLIENT', 'KILL', 'TYPE', kind);
      await wait(0);
      await recovered(store);
      await store.commit([], [{ type: 'wake', topic: 'other' }]);
      while (calls === 0) await wait(10);
    }
    await assertWakes(store, store);
  });

  test('was told to forget its scripts: commits and looks into logs still work', async (t) => {
    const server = await startServer(t);
    const store = await openStore(t, server.url);
    await server.command('SCRIPT', 'FLUSH');
    assert.deepEqual(await texts(store), []);
    await server.command('SCRIPT', 'FLUSH');
    const results = await Promise.all(['a', 'b', 'c'].map((entry) => store.commit([], [append(entry)])));
    for (const result of results) assert.equal(result.isCommitted, true);
    await server.command('SCRIPT', 'FLUSH');
    assert.equal((await store.commit([], [{ type: 'delete', key: 'key' }])).isCommitted, true);
    assert.equal((await texts(store)).length, 3);
  });

  test('is full: no part of a commit is written, what takes away still can be, and there is room again', async (t) => {
    const server = await startServer(t);
    const store = await openStore(t, server.url);
    await store.commit([], [put('key', 'before'), append('before')]);
    await server.command('CONFIG', 'SET', 'maxmemory', '1mb');
    const deleteThenWrite: readonly Write[] = [{ type: 'delete', key: 'key' }, append('full'), put('key', 'full')];
    await refusedAfterMs(() => store.commit([], deleteThenWrite), /OOM/);
    await refusedAfterMs(() => store.check(), /OOM/);
    assert.equal((await store.get('key'))?.value, 'before');
    assert.deepEqual(await texts(store), ['before']);

    const removal: readonly Write[] = [
      { type: 'delete', key: 'key' },
      { type: 'delete-log', log: LOG },
      { type: 'wake', topic: LOG },
    ];
    assert.equal((await store.commit([{ type: 'present', key: 'key' }], removal)).isCommitted, true);
    assert.equal(await store.get('key'), undefined);

    await server.command('CONFIG', 'SET', 'maxmemory', '0');
    await store.check();
    await store.commit([], [append('after')]);
    assert.deepEqual(await texts(store), ['after']);
  });

  test('has become a replica: writing is refused whole, and goes on where the writable one is', async (t) => {
    const server = await startServer(t);
    const store = await openStore(t, server.url);
    await store.commit([], [append('before')]);
    await server.command('REPLICAOF', '127.0.0.1', '1');
    await refusedAfterMs(() => store.commit([], [append('replica')]), /READONLY/);
    await server.command('REPLICAOF', 'NO', 'ONE');
    await recovered(store);
    await store.commit([], [append('after')]);
    assert.deepEqual(await texts(store), ['before', 'after']);
  });

  test('wants another password: the reason is told, the password is not', async (t) => {
    const server = await startServer(t);
    await server.command('CONFIG', 'SET', 'requirepass', 'right');
    const store = await openStore(t, server.url.replace('redis://', 'redis://:hidden-password@'));
    await assert.rejects(store.check(), (error) => {
      assert.ok(error instanceof StoreUnavailableError);
      assert.match(error.message, /WRONGPASS/);
      assert.ok(!`${error.message} ${error.stack}`.includes('hidden-password'));
      return true;
    });
    const right = await openStore(t, server.url.replace('redis://', 'redis://:right@'));
    await right.check();
  });
});

test('everything in Redis expires by itself, under names of its own', async (t) => {
  const server = await startServer(t);
  const store = await openStore(t, server.url);
  await store.commit([], [put('key', 'value'), append('entry')]);
  await store.commit([], [{ type: 'add', key: 'counter', amount: 1, expiresAtMs: Date.now() + LIFE_MS }]);
  const keys = (await server.command('KEYS', '*')).split('\n').sort();
  assert.deepEqual(keys, ['parley:l:log:1', 'parley:v:counter', 'parley:v:key', 'parley:version']);
  for (const key of keys) {
    const lifeMs = Number(await server.command('PTTL', key));
    // The source of versions stays: one that began again could give a key a version that it had.
    if (key === 'parley:version') assert.equal(lifeMs, -1);
    else assert.ok(lifeMs > LIFE_MS - 60_000 && lifeMs <= LIFE_MS, `${key}: ${lifeMs}`);
  }
});

test('a store that is closed while its server is away says so from then on', async () => {
  const store = await RedisStore.open('redis://127.0.0.1:1');
  await refusedAfterMs(() => store.check(), /ECONNREFUSED/);
  await store.close();
  await refusedAfterMs(() => store.check(), /the store is closed/);
});
