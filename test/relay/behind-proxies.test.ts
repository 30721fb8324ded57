/** Two relays with one Redis behind each of three proxies as Debian has them, without binding a visitor to a relay. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CADDY } from '../support/caddy.ts';
import { assertExact, countUntilCut, somewhereIn } from '../support/counting-answer.ts';
import { EventReader, typesOf } from '../support/event-reader.ts';
import { HAPROXY } from '../support/haproxy.ts';
import { NGINX } from '../support/nginx.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { RelayProcess } from '../support/relay-process.ts';
import { startProxy } from '../support/reverse-proxy.ts';
import { type HostAnswer, type ScriptedHost, say, startScriptedHost, TIMESTAMP } from '../support/scripted-host.ts';
import { Visitor } from '../support/visitor.ts';

const CHUNKS = 120;
const TOLD_WITHIN_MS = 5_000;
let redis: RedisServer;
let host: ScriptedHost;
let relays: readonly [RelayProcess, RelayProcess];

before(async () => {
  redis = await startRedisServer();
  host = await startScriptedHost();
  relays = await Promise.all([startRelay('key-0'), startRelay('key-1')]);
});
after(async () => {
  for (const relay of relays) await relay[Symbol.asyncDispose]();
  await host[Symbol.asyncDispose]();
  await redis.stop();
});

/** Its key tells at the host which of the two has asked. */
function startRelay(key: string): Promise<RelayProcess> {
  const settings = { TRUST_PROXY: '1', TUIX_AI_AGENTS_API_KEY: key };
  return RelayProcess.start({ hostUrl: host.url, store: redis.url, settings });
}

const requestsOf = (relay: RelayProcess) => relay.logged.filter(({ msg }) => msg === 'request').length;

const chunk = (text: string) => ['chunk', { chunk: text, timestamp: TIMESTAMP }] as const;
const addresses = () => [relays[0].url, relays[1].url] as const;

function held(): Promise<HostAnswer> {
  const { promise, resolve } = Promise.withResolvers<HostAnswer>();
  host.onChat(resolve);
  return promise;
}

for (const [name, program] of Object.entries({ nginx: NGINX, HAProxy: HAPROXY, Caddy: CADDY })) {
  test(`behind ${name} each piece of an answer comes before the host has written the next one`, async () => {
    await using proxy = await startProxy(program, addresses());
    const visitor = await Visitor.at(proxy.url);
    const arrived = held();
    const asked = visitor.post('Hi', 'm-1');
    const hosted = await arrived;
    hosted.frame(...chunk('0'));
    const reader = new EventReader(await asked);
    assert.deepEqual(typesOf(await reader.until('chunk')), ['question', 'chunk']);
    for (let index = 1; index < 20; index++) {
      hosted.frame(...chunk(String(index)));
      const [next] = await reader.until('chunk');
      assert.equal(next?.data.chunk, String(index));
    }
    say('end')(hosted);
    assert.deepEqual(typesOf(await reader.rest()), ['chunk', 'complete', 'done']);
  });

  test(`behind ${name} an answer is taken up and stopped at whatever relay the request comes to`, async () => {
    await using proxy = await startProxy(program, addresses());
    const before = relays.map(requestsOf);
    const visitor = await Visitor.at(proxy.url);
    const arrived = held();
    const first = await Promise.all([visitor.post('Hi', 'm-1'), arrived.then((hosted) => hosted.frame(...chunk('0')))]);
    const reader = new EventReader(first[0]);
    const seen = await reader.until('chunk');
    await reader.leave();
    const hosted = await arrived;
    // More readers than relays: some of them read at the relay that does not run the turn.
    const readers: EventReader[] = [];
    for (let tab = 0; tab < 4; tab++) readers.push(new EventReader(await visitor.resume(seen.at(-1)?.id)));
    hosted.frame(...chunk('1'));
    for (const tab of readers) assert.equal((await tab.until('chunk'))[0]?.id, '1:3');
    assert.equal((await visitor.about('POST', '/stop')).status, 204);
    await hosted.left;
    for (const tab of readers) assert.deepEqual(typesOf(await tab.rest()), ['stopped', 'done']);
    const { events } = await (await visitor.about('GET')).json();
    assert.equal(events[1].data.chunk, '01');
    assert.equal((await visitor.about('DELETE')).status, 204);
    for (const [index, relay] of relays.entries()) assert.ok(requestsOf(relay) > (before[index] ?? 0));
  });

  test(`behind ${name} a killed relay costs its turn the rest and nothing else`, async (t) => {
    await using proxy = await startProxy(program, addresses());
    const visitor = await Visitor.at(proxy.url);
    const place = somewhereIn(CHUNKS);
    const chatsBefore = host.chats().length;
    host.onChat(countUntilCut({ chunkCount: CHUNKS }));
    const asked = visitor.ask('Count', 'm-1');
    await visitor.hasRead(place);
    const killed = host.chats().at(-1)?.headers['x-api-key'] === 'key-0' ? relays[0] : relays[1];
    await killed.kill();
    // Whatever this test comes to, the next one has two relays.
    t.after(() => killed.start());
    const killedAtMs = performance.now();
    const events = await asked;
    assert.ok(performance.now() - killedAtMs < TOLD_WITHIN_MS);
    assertExact(events, { chunkCount: CHUNKS, atLeast: place });
    assert.equal(events.at(-2)?.type, 'interrupted');
    assert.equal(host.chats().length, chatsBefore + 1);
    host.onChat(say('next'));
    assert.match(await (await visitor.post('And now?', 'm-2')).text(), /event: complete\n/);
  });
}
