import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MemoryStore } from '../../relay/store/memory-store.ts';
import { faultsOfDomainNames } from '../../relay/tool-policy/domain-names.ts';
import { presentTools } from '../../relay/tool-policy/presented-tools.ts';
import {
  beginConversation,
  CAR_SEARCH,
  COACH_SEARCH,
  callTool,
  eventsOf,
  putRulesToWork,
  RULES,
  type RulesAtWork,
  SHOP_ORDER,
  TOOLS,
} from '../support/ruled-conversation.ts';

const COACH = { domain: 'coach', from: 'Bern', to: 'Milan', date: '2026-03-14' };
const CAR = { domain: 'car', from: 'Milan', date: '2026-03-15' };

async function begin(rules = RULES) {
  const store = new MemoryStore();
  await beginConversation(store, 's1');
  const relay = putRulesToWork({ store, rules });
  relay.policy.present(TOOLS, undefined);
  return { store, relay };
}

const search = (relay: RulesAtWork, args: Record<string, unknown> = COACH, sessionId: string | undefined = 's1') =>
  callTool(relay, { ...(sessionId && { sessionId }), tool: 'coach_search', definition: COACH_SEARCH, arguments: args });

const hire = (relay: RulesAtWork, args: Record<string, unknown> = CAR) =>
  callTool(relay, { sessionId: 's1', tool: 'car_search', definition: CAR_SEARCH, arguments: args });

const change = (relay: RulesAtWork, from: unknown, to: unknown, reason: unknown = 'The visitor asks for a car') =>
  callTool(relay, {
    sessionId: 's1',
    tool: 'switch_domain',
    definition: undefined,
    arguments: { from, to, reason } as Record<string, unknown>,
  });

const codeOf = (result: Awaited<ReturnType<typeof search>>) =>
  result.type === 'refused' ? result.error.code : result.type;

describe('the intent lock', () => {
  test('the first call makes its domain the active one, and another domain’s tool is refused with the way over [S3.2, S3.3]', async () => {
    const { relay, store } = await begin();
    assert.equal(codeOf(await search(relay)), 'called');
    const refused = await hire(relay);
    assert.ok(refused.type === 'refused');
    assert.equal(refused.error.code, 'domain_locked');
    assert.equal(refused.error.domain, 'coach');
    assert.match(refused.error.hint, /active domain is "coach".*belongs to "car".*switch_domain/s);
    assert.deepEqual(JSON.parse(refused.error.example ?? ''), {
      from: 'coach',
      to: 'car',
      reason: 'The visitor asks for car',
    });
    const domains = (await eventsOf(store, 's1')).filter(({ type }) => type === 'domain');
    assert.deepEqual(
      domains.map(({ data }) => ({ ...data, timestamp: '' })),
      [{ active: 'coach', timestamp: '' }],
    );
  });

  test('the switch leads over when its "from" is true, and each switch is in the audit log [S3.4]', async () => {
    const { relay, store } = await begin();
    await search(relay);
    assert.equal(codeOf(await change(relay, 'car', 'coach')), 'domain_mismatch');
    assert.equal(codeOf(await change(relay, 'none', 'car')), 'domain_mismatch');
    assert.equal(codeOf(await change(relay, 'coach', 'coach')), 'invalid_arguments');
    assert.equal(codeOf(await change(relay, 'coach', 'Car')), 'invalid_arguments');
    assert.equal(codeOf(await change(relay, 'coach', 'car', ' ')), 'invalid_arguments');
    assert.equal(codeOf(await hire(relay)), 'domain_locked');
    assert.deepEqual(await change(relay, 'coach', 'car'), {
      type: 'answered',
      content: { active: 'car', previous: 'coach' },
    });
    assert.equal(codeOf(await hire(relay)), 'called');
    assert.equal(codeOf(await search(relay)), 'domain_locked');
    const last = (await eventsOf(store, 's1')).findLast(({ type }) => type === 'domain');
    assert.equal(last?.type === 'domain' && last.data.previous, 'coach');
    const switches = relay.audited.filter(({ decision }) => decision === 'switched');
    assert.deepEqual(
      switches.map(({ from, to }) => [from, to]),
      [['coach', 'car']],
    );
    assert.equal(relay.audited.length, 10);
  });

  test('explicit: nothing can be called before a switch from none', async () => {
    const { relay } = await begin({ ...RULES, lockStart: 'explicit' });
    assert.equal(codeOf(await search(relay)), 'domain_locked');
    assert.equal(codeOf(await change(relay, 'none', 'coach')), 'answered');
    assert.equal(codeOf(await search(relay)), 'called');
  });

  test('of twenty first calls in two domains at once, those of one domain pass', async () => {
    const { relay } = await begin();
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? search(relay) : hire(relay))),
    );
    const passed = new Set(results.flatMap((result, index) => (result.type === 'called' ? [index % 2] : [])));
    assert.equal(passed.size, 1);
    assert.equal(results.filter(({ type }) => type === 'called').length, 10);
  });

  test('without a session the endpoint of all domains refuses and says how to send one; that of one domain reads', async () => {
    const { relay } = await begin();
    const refused = await callTool(relay, { tool: 'coach_search', definition: COACH_SEARCH, arguments: COACH });
    assert.ok(refused.type === 'refused');
    assert.equal(refused.error.code, 'session_required');
    assert.match(refused.error.example ?? '', /"_meta":\{"sessionId"/);
    const single = { tool: 'coach_search', definition: COACH_SEARCH, arguments: COACH, endpointDomain: 'coach' };
    assert.equal(codeOf(await callTool(relay, single)), 'called');
  });

  test('the declared domain has to be the tool’s own, letter by letter [S3.6]', async () => {
    const { relay } = await begin();
    for (const domain of ['Coach', 'coach ', 'ｃoach', 'сoach', 'co-ach', 'car', '', null, undefined, ['coach']]) {
      const result = await search(relay, { ...COACH, domain });
      assert.equal(codeOf(result), 'domain_mismatch', JSON.stringify(domain));
    }
    const { domain: _, ...without } = COACH;
    assert.equal(codeOf(await search(relay, without)), 'domain_mismatch');
  });

  test('a name that only looks like a tool’s is refused, with the tool that was meant and the lock', async () => {
    const { relay } = await begin();
    await search(relay);
    for (const tool of ['coach-search', 'Coach_Search', 'сoach_search', 'coach\u200b_search', 'coachsearch']) {
      const result = await callTool(relay, { sessionId: 's1', tool, definition: undefined, arguments: COACH });
      assert.ok(result.type === 'refused');
      assert.equal(result.error.code, 'unknown_tool');
      assert.equal(result.error.example, 'coach_search', tool);
      assert.match(result.error.hint, /The active domain is "coach"/);
    }
  });

  test('what the tool’s source gets has no domain in it; an argument of its own of that name comes through', async () => {
    const { relay } = await begin();
    const result = await search(relay);
    assert.deepEqual(result.type === 'called' && result.arguments, { from: 'Bern', to: 'Milan', date: '2026-03-14' });
    const lookUp = {
      name: 'coach_whois',
      domain: 'coach',
      annotations: { readOnlyHint: true },
      inputSchema: { type: 'object', properties: { domain: { type: 'string' } }, required: ['domain'] },
    };
    const args = { domain: 'coach', tool_domain: 'example.com' };
    const call = { sessionId: 's1', tool: 'coach_whois', definition: lookUp, arguments: args };
    const whois = await callTool(relay, call);
    assert.deepEqual(whois.type === 'called' && whois.arguments, { domain: 'example.com' });
  });

  test('a domain that needs the visitor’s consent is entered once he has said yes, and stays closed after a no', async () => {
    const domains = RULES.domains.map((domain) => (domain.name === 'car' ? { ...domain, needsConsent: true } : domain));
    const { relay, store } = await begin({ ...RULES, domains });
    await search(relay);
    const answer = async (type: 'approve' | 'decline') => {
      for (;;) {
        const events = await eventsOf(store, 's1');
        const asked = events.findLast((event) => event.type === 'verification');
        const isOpen =
          asked?.type === 'verification' &&
          !events.some((e) => e.type === 'verification-settled' && e.data.transactionId === asked.data.transactionId);
        if (isOpen) {
          assert.equal(asked.data.needs, 'consent');
          return relay.verifications.answer('s1', asked.data.transactionId, { type });
        }
        await new Promise(setImmediate);
      }
    };
    const [switched] = await Promise.all([change(relay, 'coach', 'car'), answer('approve')]);
    assert.equal(codeOf(switched), 'answered');
    assert.equal(codeOf(await hire(relay)), 'called');
    await change(relay, 'car', 'coach');
    assert.equal(codeOf(await change(relay, 'coach', 'car')), 'answered');
    await beginConversation(store, 's1');
    await store.commit(
      [],
      [
        { type: 'delete', key: 'domain:s1' },
        { type: 'delete', key: 'transactions:s1' },
      ],
    );
    await search(relay);
    const [refused] = await Promise.all([change(relay, 'coach', 'car'), answer('decline')]);
    assert.equal(codeOf(refused), 'consent_required');
    assert.equal(codeOf(await hire(relay)), 'domain_locked');
  });
});

describe('the tools as a model sees them', () => {
  const shown = presentTools(TOOLS, RULES);
  const tool = (name: string) => shown.find((candidate) => candidate.name === name);

  test('each demands its domain, says its limits and the release from the configuration, and ends with what it is not for [S3.5, S3.8, S3.16]', () => {
    const book = tool('coach_book');
    const { domain } = Object(book?.inputSchema.properties) as Record<string, { const: string }>;
    assert.equal(domain?.const, 'coach');
    assert.deepEqual(book?.inputSchema.required, ['domain', 'trip', 'passengers']);
    assert.match(book?.description ?? '', /Limit: 30 calls a minute/);
    assert.match(book?.description ?? '', /the visitor has to release/);
    assert.deepEqual(book?._meta?.['parley/limits'], {
      calls: 30,
      windowMs: 60_000,
      per: 'conversation and tool',
      error: 'rate_limited',
    });
    assert.match(tool('coach_search')?.description ?? '', /Not for: hired cars \(use car_search after switch_domain\)/);
    assert.match(tool('car_search')?.description?.split('\n').at(-1) ?? '', /^Not for: travelling by coach/);
    assert.doesNotMatch(tool('shop_create_order')?.description ?? '', /has to release/);
  });

  test('the switch tool is there for several domains, and the list stays the same whatever is active', async () => {
    assert.equal(shown.at(-1)?.name, 'switch_domain');
    const { relay } = await begin();
    const before = relay.policy.present(TOOLS, undefined);
    await search(relay);
    assert.equal(relay.policy.present(TOOLS, undefined), before);
    assert.equal(presentTools([SHOP_ORDER], { ...RULES, domains: RULES.domains.slice(2) }).length, 1);
  });
});

test('names of domains that could be mixed up are refused', () => {
  assert.deepEqual(faultsOfDomainNames(['coach', 'car_rental', 'shop']), []);
  for (const names of [['Coach'], ['co-ach'], ['coach', 'c0ach'], ['car', 'car_rental'], ['none'], ['a_b', 'ab']]) {
    assert.notDeepEqual(faultsOfDomainNames(names), [], names.join());
  }
});
