import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MemoryStore } from '../../relay/store/memory-store.ts';
import { RedisStore } from '../../relay/store/redis-store.ts';
import type { Store } from '../../relay/store/store.ts';
import type { PublicTool } from '../../relay/tool-policy/decision.ts';
import type { PolicyRules } from '../../relay/tool-policy/policy-rules.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { beginConversation, callTool, eventsOf, putRulesToWork, RULES } from '../support/ruled-conversation.ts';

const DOMAINS = ['coach', 'car', 'shop'] as const;
const CALLS = 100_000;
const CALLS_OVER_REDIS = 5_000;
const CONVERSATIONS = 50;
/** Calls of one conversation that are on their way at once. */
const AT_ONCE = 4;

const TOOLS = DOMAINS.map(
  (domain): PublicTool => ({
    name: `${domain}_search`,
    domain,
    annotations: { readOnlyHint: true },
    inputSchema: { type: 'object', properties: { from: { type: 'string' }, to: { type: 'string' } } },
  }),
);

const toolOf = (domain: string) => TOOLS.find((tool) => tool.domain === domain) as PublicTool;

const sameTwice = (store: Store) => [store, store] as const;

/** Numbers that look random and are the same at every run (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * A model that wants one domain and slips: it calls another domain's tool, declares another domain, switches with a wrong `from`,
 * or writes a name that only looks like a tool's.
 */
async function drift(
  rules: PolicyRules,
  calls: number,
  stores: readonly [Store, Store] = sameTwice(new MemoryStore()),
) {
  const [store, other] = stores;
  const relays = [putRulesToWork({ store, rules }), putRulesToWork({ store: other, rules })] as const;
  const random = randomNumbers(20_260_314);
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  let reached = 0;
  let outside = 0;
  let answered = 0;
  const makeOne = async (sessionId: string, active: string): Promise<string> => {
    const relay = pick(relays);
    if (random() < 0.06) {
      const to = pick(DOMAINS);
      const from = random() < 0.2 ? pick(DOMAINS) : active;
      const args = { from, to, reason: 'wanted' };
      const result = await callTool(relay, {
        sessionId,
        tool: 'switch_domain',
        definition: undefined,
        arguments: args,
      });
      if (result.type !== 'answered') return active;
      answered += 1;
      return to;
    }
    const domain = random() < 0.35 ? pick(DOMAINS) : active;
    const tool = toolOf(domain);
    const looks = random() < 0.03 ? tool.name.replace('_', '-') : tool.name;
    const args = { domain: random() < 0.05 ? pick(DOMAINS) : domain, from: 'Bern', to: 'Milan' };
    const definition = looks === tool.name ? tool : undefined;
    await callTool(relay, { sessionId, tool: looks, definition, arguments: args }, () => {
      reached += 1;
      if (domain !== active) outside += 1;
    });
    return active;
  };
  const converse = async (sessionId: string, count: number) => {
    await beginConversation(store, sessionId);
    let active: string = pick(DOMAINS);
    const enter = { from: 'none', to: active, reason: 'begins' };
    await callTool(relays[0], { sessionId, tool: 'switch_domain', definition: undefined, arguments: enter });
    answered += 1;
    for (let made = 0; made < count; ) {
      // Reads at once; a switch alone, so that "active" is what the store has at each call's arrival.
      const batch = Math.min(AT_ONCE, count - made);
      if (random() < 0.2) {
        active = await makeOne(sessionId, active);
        made += 1;
        continue;
      }
      const before = active;
      const results = await Promise.all(Array.from({ length: batch }, () => makeReading(sessionId, before)));
      made += results.length;
    }
  };
  const makeReading = (sessionId: string, active: string) => {
    const domain = random() < 0.35 ? pick(DOMAINS) : active;
    const args = { domain, from: 'Bern' };
    return callTool(
      pick(relays),
      { sessionId, tool: `${domain}_search`, definition: toolOf(domain), arguments: args },
      () => {
        reached += 1;
        if (domain !== active) outside += 1;
      },
    );
  };
  await Promise.all(Array.from({ length: CONVERSATIONS }, (_, index) => converse(`s${index}`, calls / CONVERSATIONS)));
  const events = await Promise.all(Array.from({ length: CONVERSATIONS }, (_, index) => eventsOf(store, `s${index}`)));
  const audited = relays.flatMap((relay) => relay.audited);
  for (const open of new Set(stores)) await open.close();
  return {
    reached,
    outside,
    answered,
    audited,
    domainEvents: events.flat().filter(({ type }) => type === 'domain').length,
  };
}

describe('a drifting model over three domains', () => {
  test(`of ${CALLS} calls none reaches an API outside the active domain, and every switch is in the audit log [S3.1]`, async (context) => {
    const { reached, outside, answered, audited, domainEvents } = await drift(
      { ...RULES, lockStart: 'explicit' },
      CALLS,
    );
    context.diagnostic(`${reached} calls reached an API, ${outside} of them outside the active domain`);
    assert.equal(outside, 0);
    assert.ok(reached > CALLS / 3, `${reached} calls reached an API`);
    assert.equal(audited.filter(({ decision }) => decision === 'switched').length, answered);
    assert.equal(domainEvents, answered);
    assert.equal(audited.length, CALLS + CONVERSATIONS);
    const refusals = new Set(audited.flatMap(({ code }) => code ?? []));
    assert.deepEqual([...refusals].sort(), ['domain_locked', 'domain_mismatch', 'invalid_arguments', 'unknown_tool']);
  });

  test('over two relays with Redis the same holds', async () => {
    const server = await startRedisServer();
    try {
      const stores = [await RedisStore.open(server.url), await RedisStore.open(server.url)] as const;
      const { outside, answered, audited } = await drift({ ...RULES, lockStart: 'explicit' }, CALLS_OVER_REDIS, stores);
      assert.equal(outside, 0);
      assert.equal(audited.filter(({ decision }) => decision === 'switched').length, answered);
      assert.equal(audited.length, CALLS_OVER_REDIS + CONVERSATIONS);
    } finally {
      await server.stop();
    }
  });

  test('with the lock off a part of them does: what the lock prevents', async (context) => {
    const { reached, outside } = await drift({ ...RULES, lockStart: 'off' }, CALLS / 10);
    context.diagnostic(`lock off: ${outside} of ${reached} calls reached an API outside the wanted domain`);
    assert.ok(outside > reached / 10, `${outside} of ${reached}`);
  });
});
