import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { MemoryStore } from '../../relay/store/memory-store.ts';
import {
  beginConversation,
  COACH_BOOK,
  callTool,
  Postbox,
  putRulesToWork,
  RULES,
  type RulesAtWork,
  sayNext,
} from '../support/ruled-conversation.ts';

type State = 'waiting' | 'verified' | 'started' | 'declined' | 'locked' | 'expired' | 'replaced';

/** A transaction as the document describes it, kept beside the real one. */
interface Expected {
  state: State;
  readonly passengers: number;
  readonly turns: Set<number>;
  attemptsLeft: number;
  expiresAtMs: number;
  readonly createdAtMs: number;
}

const MINUTE_MS = 60_000;

/** One conversation, its model, and an API that counts. */
class Walk {
  nowMs = Date.now();
  readonly #endsAtMs = this.nowMs + 60 * MINUTE_MS;
  turn = 1;
  readonly store = new MemoryStore({ now: () => this.nowMs });
  readonly postbox = new Postbox();
  readonly expected = new Map<string, Expected>();
  readonly api: number[] = [];
  readonly mayReach: number[] = [];
  readonly seen = new Set<string>();
  relays: RulesAtWork[] = [];

  async begin(): Promise<void> {
    await beginConversation(this.store, 's', { nowMs: this.nowMs });
    this.relays = [this.#open(), this.#open()];
  }

  #open(): RulesAtWork {
    const rules = { ...RULES, verification: { waitMs: 0 } };
    return putRulesToWork({ store: this.store, rules, delivery: this.postbox, now: () => this.nowMs });
  }

  restart(index: number): void {
    this.relays[index] = this.#open();
  }

  relay(index: number): RulesAtWork {
    return this.relays[index % 2] as RulesAtWork;
  }

  async call(passengers: number, count: number): Promise<void> {
    const found = this.#found(passengers);
    const state = found && this.#state(found);
    const isVerified = state === 'verified';
    const challenges = this.postbox.codes.length;
    const results = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        callTool(
          this.relay(index),
          {
            sessionId: 's',
            turn: this.turn,
            tool: 'coach_book',
            definition: COACH_BOOK,
            arguments: { domain: 'coach', trip: 'T', passengers },
          },
          () => this.api.push(passengers),
        ),
      ),
    );
    if (isVerified && found) {
      this.#move(found, 'started');
      this.mayReach.push(passengers);
    }
    assert.equal(results.filter(({ type }) => type === 'called').length, isVerified ? 1 : 0);
    const isAsking = state === undefined || state === 'expired' || state === 'replaced' || state === 'started';
    // Calls beside the one that starts find it started, and ask for the next one.
    const mayAsk = isAsking || (isVerified && count > 1);
    const recent = [...this.expected.values()].filter(({ createdAtMs }) => createdAtMs > this.nowMs - 15 * MINUTE_MS);
    const made = this.postbox.codes.length - challenges;
    if (!mayAsk || recent.length >= 3) assert.equal(made, 0);
    else if (isAsking) assert.equal(made, 1);
    for (const { transactionId } of this.postbox.codes.slice(challenges)) {
      this.seen.add('(none)→waiting');
      this.expected.set(transactionId, {
        state: 'waiting',
        passengers,
        turns: new Set([this.turn]),
        attemptsLeft: 5,
        expiresAtMs: this.nowMs + 5 * MINUTE_MS,
        createdAtMs: this.nowMs,
      });
    }
  }

  async type(which: number, isRight: boolean, count: number): Promise<void> {
    const sent = this.#pick(which);
    const found = sent && this.expected.get(sent.transactionId);
    if (!sent || !found) return;
    const code = isRight ? sent.code : sent.code.replace(/^./, (digit) => String((Number(digit) + 1) % 10));
    const before = this.#state(found);
    const answers = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        this.relay(index).verifications.answer('s', sent.transactionId, { type: 'code', code }),
      ),
    );
    const verified = answers.filter(({ type }) => type === 'verified').length;
    assert.equal(verified, before === 'waiting' && isRight ? 1 : 0);
    if (before !== 'waiting') {
      // What is older than the quarter of an hour is forgotten.
      const isOver = (answer: (typeof answers)[number]) =>
        answer.type === 'over' ? answer.status === before : answer.type === 'unknown' && this.#isOld(found);
      assert.ok(answers.every(isOver));
    } else if (isRight) {
      this.#move(found, 'verified');
      found.expiresAtMs = this.nowMs + 5 * MINUTE_MS;
    } else {
      const left = Math.max(0, found.attemptsLeft - count);
      found.attemptsLeft = left;
      if (left === 0) this.#move(found, 'locked');
    }
  }

  async decline(which: number): Promise<void> {
    const sent = this.#pick(which);
    const found = sent && this.expected.get(sent.transactionId);
    if (!sent || !found) return;
    const before = this.#state(found);
    const { type } = await this.relay(which).verifications.answer('s', sent.transactionId, { type: 'decline' });
    const isOpen = before === 'waiting' || before === 'verified';
    if (isOpen) assert.equal(type, 'declined');
    else assert.ok(type === 'over' || (type === 'unknown' && this.#isOld(found)));
    if (isOpen) this.#move(found, 'declined');
  }

  async say(): Promise<void> {
    this.turn += 1;
    assert.equal(await sayNext(this.store, this.relay(0), 's', this.turn), true);
    this.#replaceOpen();
  }

  async continue(which: number): Promise<void> {
    const sent = this.#pick(which);
    const found = sent && this.expected.get(sent.transactionId);
    if (!sent || !found) return;
    const isVerified = this.#state(found) === 'verified';
    const isBegun = await sayNext(this.store, this.relay(1), 's', this.turn + 1, sent.transactionId);
    assert.equal(isBegun, isVerified);
    if (!isBegun) return;
    this.turn += 1;
    found.turns.add(this.turn);
    this.#replaceOpen(found);
  }

  async switchAndBack(): Promise<void> {
    const call = (from: string, to: string) =>
      callTool(this.relay(0), {
        sessionId: 's',
        turn: this.turn,
        tool: 'switch_domain',
        definition: undefined,
        arguments: { from, to, reason: 'wanted' },
      });
    const switched = await call('coach', 'car');
    if (switched.type !== 'answered') return;
    await call('car', 'coach');
    this.#replaceOpen();
  }

  /** Within the hour of the conversation. */
  pass(milliseconds: number): void {
    if (this.nowMs + milliseconds < this.#endsAtMs) this.nowMs += milliseconds;
  }

  #isOld({ createdAtMs }: Expected): boolean {
    return createdAtMs <= this.nowMs - 15 * MINUTE_MS;
  }

  #replaceOpen(except?: Expected): void {
    for (const found of this.expected.values()) {
      const state = this.#state(found);
      if (found !== except && (state === 'waiting' || state === 'verified')) this.#move(found, 'replaced');
    }
  }

  #pick(which: number) {
    return this.postbox.codes.length === 0
      ? undefined
      : this.postbox.codes.at(-1 - (which % this.postbox.codes.length));
  }

  #found(passengers: number): Expected | undefined {
    return [...this.expected.values()].findLast(
      (found) => found.passengers === passengers && found.turns.has(this.turn),
    );
  }

  #state(found: Expected): State {
    const isOpen = found.state === 'waiting' || found.state === 'verified';
    if (isOpen && found.expiresAtMs <= this.nowMs) this.#move(found, 'expired');
    return found.state;
  }

  #move(found: Expected, to: State): void {
    this.seen.add(`${found.state}→${to}`);
    found.state = to;
  }
}

/** Something that happens, as fast-check draws it. */
type Step = (walk: Walk) => Promise<void> | void;

const small = fc.integer({ min: 0, max: 2 });
const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ passengers: fc.integer({ min: 1, max: 2 }), count: fc.constantFrom(1, 1, 1, 20) }).map(
        ({ passengers, count }): Step =>
          (walk) =>
            walk.call(passengers, count),
      ),
    },
    {
      weight: 6,
      arbitrary: fc.record({ which: small, isRight: fc.boolean(), count: fc.constantFrom(1, 1, 2, 20) }).map(
        ({ which, isRight, count }): Step =>
          (walk) =>
            walk.type(which, isRight, count),
      ),
    },
    {
      weight: 1,
      arbitrary: small.map(
        (which): Step =>
          (walk) =>
            walk.decline(which),
      ),
    },
    { weight: 1, arbitrary: fc.constant<Step>((walk) => walk.say()) },
    {
      weight: 2,
      arbitrary: small.map(
        (which): Step =>
          (walk) =>
            walk.continue(which),
      ),
    },
    { weight: 1, arbitrary: fc.constant<Step>((walk) => walk.switchAndBack()) },
    {
      weight: 2,
      arbitrary: fc.constantFrom<Step>(
        (walk) => walk.restart(0),
        (walk) => walk.restart(1),
      ),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom(30_000, 299_999, 300_000, 900_001).map(
        (ms): Step =>
          (walk) =>
            walk.pass(ms),
      ),
    },
  ),
  { maxLength: 30 },
);

describe('transactions in random orders of calls, codes, changed arguments, expiry, restarts and simultaneous uses', () => {
  test('the API gets exactly those whose exact arguments were released, once each, and every step is one of the document’s [S3.12, S3.14]', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(steps, async (drawn) => {
        const walk = new Walk();
        await walk.begin();
        for (const step of drawn) await step(walk);
        assert.deepEqual(walk.api, walk.mayReach);
        for (const way of walk.seen) seen.add(way);
        await walk.store.close();
      }),
      { numRuns: 200, seed: 20_260_314 },
    );
    const document = await readFile(join(import.meta.dirname, '../../docs/transactions.md'), 'utf8');
    const allowed = waysIn(document);
    assert.deepEqual(
      [...seen].filter((way) => !allowed.has(way)),
      [],
      'ways that the document does not have',
    );
    const unseen = [...allowed].filter((way) => !seen.has(way));
    assert.deepEqual(unseen, ['waiting→undelivered'], 'ways of the document that were not walked here');
  });
});

/** The ways from the document's table of states. */
function waysIn(document: string): Set<string> {
  const ways = new Set(['(none)→waiting']);
  const [table = ''] = document.split('| from | event');
  for (const [, state, targets] of table.matchAll(/^\| `(\w+)` \| [^|]*\| ([^|]*) \|$/gm)) {
    for (const [, target] of (targets ?? '').matchAll(/`(\w+)`/g)) ways.add(`${state}→${target}`);
  }
  return ways;
}
