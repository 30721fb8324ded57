import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { VerificationEvent } from '../../relay/protocol/events.ts';
import { MemoryStore } from '../../relay/store/memory-store.ts';
import {
  beginConversation,
  COACH_BOOK,
  COACH_SEARCH,
  callTool,
  eventsOf,
  Postbox,
  putRulesToWork,
  RULES,
  sayNext,
  writeTurn,
} from '../support/ruled-conversation.ts';

const BOOKING = { domain: 'coach', trip: 'BE-MI-0930', passengers: 2 };

async function begin(options: { waitMs?: number; now?: () => number } = {}) {
  const store = new MemoryStore(options.now ? { now: options.now } : {});
  const postbox = new Postbox();
  const rules = { ...RULES, verification: { waitMs: options.waitMs ?? 2_000 } };
  const open = () => putRulesToWork({ store, rules, delivery: postbox, ...(options.now && { now: options.now }) });
  await beginConversation(store, 's1', options.now ? { nowMs: options.now() } : {});
  const called: unknown[] = [];
  const book = (relay = open(), args: Record<string, unknown> = BOOKING, signal?: AbortSignal, turn = 1) =>
    callTool(
      relay,
      { sessionId: 's1', tool: 'coach_book', definition: COACH_BOOK, arguments: args, turn },
      (sent) => called.push(sent),
      signal,
    );
  const asked = async (count = 1): Promise<VerificationEvent['data']> => {
    for (;;) {
      const events = (await eventsOf(store, 's1')).filter((event) => event.type === 'verification');
      const last = events.at(-1);
      if (
        events.length >= count &&
        last &&
        postbox.codes.length >= new Set(events.map((e) => e.data.transactionId)).size
      )
        return last.data;
      await new Promise(setImmediate);
    }
  };
  const code = () => postbox.codes.at(-1)?.code ?? '';
  const outcomes = async () =>
    (await eventsOf(store, 's1')).flatMap((event) =>
      event.type === 'verification-settled' ? [event.data.outcome] : [],
    );
  return { store, postbox, open, called, book, asked, code, outcomes };
}

const wrongCode = (right: string) => (right === '000000' ? '111111' : '000000');

describe('a transaction', () => {
  test('runs once the visitor has typed the code, with the arguments that he was shown [S3.12]', async () => {
    const { open, book, asked, code, called, outcomes } = await begin();
    const relay = open();
    const booking = book(relay);
    const event = await asked();
    assert.deepEqual(event.arguments, { trip: 'BE-MI-0930', passengers: 2 });
    assert.equal(event.attemptsLeft, 5);
    assert.deepEqual(called, []);
    assert.deepEqual(await relay.verifications.answer('s1', event.transactionId, { type: 'code', code: code() }), {
      type: 'verified',
    });
    assert.equal((await booking).type, 'called');
    assert.deepEqual(called, [{ trip: 'BE-MI-0930', passengers: 2 }]);
    assert.deepEqual(await outcomes(), ['verified', 'started']);
    const [line] = relay.audited;
    assert.equal(relay.audited.length, 1);
    assert.equal(line?.decision, 'verified');
    assert.equal(line?.tool, 'coach_book');
  });

  test('is released by a code that arrives at another relay, typed with spaces and in the digits of the visitor', async () => {
    const { open, book, asked, code, called } = await begin();
    const booking = book(open());
    const { transactionId } = await asked();
    const typed = code().replace(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit)));
    const answer = await open().verifications.answer('s1', transactionId, {
      type: 'code',
      code: `${typed.slice(0, 3)} ${typed.slice(3)}`,
    });
    assert.equal(answer.type, 'verified');
    assert.equal((await booking).type, 'called');
    assert.equal(called.length, 1);
  });

  test('twenty calls at once with one code have one effect', async () => {
    const { open, book, asked, code, called } = await begin();
    const relays = [open(), open()];
    const bookings = Array.from({ length: 20 }, (_, index) => book(relays[index % 2]));
    const { transactionId } = await asked();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        relays[index % 2]?.verifications.answer('s1', transactionId, { type: 'code', code: code() }),
      ),
    );
    assert.equal(answers.filter((answer) => answer?.type === 'verified').length, 1);
    const results = await Promise.all(bookings);
    assert.equal(results.filter(({ type }) => type === 'called').length, 1);
    assert.equal(called.length, 1);
    const codes = results.flatMap((result) => (result.type === 'refused' ? [result.error.code] : []));
    assert.deepEqual(new Set(codes), new Set(['verification_required']));
  });

  test('ten thousand guessed codes do not pass, and the lock is told', async () => {
    const { open, book, asked, code, called, outcomes } = await begin({ waitMs: 60_000 });
    const relay = open();
    const booking = book(relay);
    const { transactionId } = await asked();
    const right = Number(code());
    const answered = new Map<string, number>();
    for (let guess = 1; guess <= 10_000; guess++) {
      const guessed = String((right + guess) % 1_000_000).padStart(6, '0');
      const { type } = await relay.verifications.answer('s1', transactionId, { type: 'code', code: guessed });
      answered.set(type, (answered.get(type) ?? 0) + 1);
    }
    const late = await relay.verifications.answer('s1', transactionId, { type: 'code', code: code() });
    assert.deepEqual(Object.fromEntries(answered), { wrong: 4, locked: 1, over: 9_995 });
    assert.deepEqual(late, { type: 'over', status: 'locked' });
    const result = await booking;
    assert.equal(result.type === 'refused' && result.error.code, 'verification_locked');
    assert.deepEqual(called, []);
    assert.deepEqual(await outcomes(), ['locked']);
  });

  test('each wrong code is told with the attempts that are left, also to pages that are reloaded', async () => {
    const { open, book, asked, code } = await begin({ waitMs: 60_000 });
    const relay = open();
    const abort = new AbortController();
    const booking = book(relay, BOOKING, abort.signal);
    const { transactionId } = await asked();
    const answer = await relay.verifications.answer('s1', transactionId, { type: 'code', code: wrongCode(code()) });
    assert.deepEqual(answer, { type: 'wrong', attemptsLeft: 4 });
    assert.equal((await asked(2)).attemptsLeft, 4);
    abort.abort();
    await assert.rejects(booking);
  });

  test('changed arguments, another amount in another form of the same letters, and an added field need a new release [S3.13]', async () => {
    const { open, book, asked, code, called } = await begin({ waitMs: 50 });
    const relay = open();
    const priced = { ...BOOKING, trip: 'é', price: { amount: 80, currency: 'CHF' } };
    const first = await book(relay, priced);
    assert.equal(first.type === 'refused' && first.error.code, 'verification_required');
    const { transactionId } = await asked();
    await relay.verifications.answer('s1', transactionId, { type: 'code', code: code() });
    for (const changed of [
      { ...priced, trip: 'e\u0301' },
      { ...priced, price: { amount: 80.01, currency: 'CHF' } },
      { ...priced, price: { amount: 80, currency: 'EUR' } },
      { ...priced, passengers: 3 },
    ]) {
      const result = await book(relay, changed);
      assert.equal(result.type, 'refused', JSON.stringify(changed));
    }
    const added = await book(relay, { ...priced, note: 'x' });
    assert.equal(added.type === 'refused' && added.error.code, 'invalid_arguments');
    assert.deepEqual(called, []);
    assert.equal((await book(relay, priced)).type, 'called');
    assert.deepEqual(called, [{ trip: 'é', passengers: 2, price: { amount: 80, currency: 'CHF' } }]);
  });

  test('a release that was given after the wait serves the same call once', async () => {
    const { open, book, asked, code, called, store } = await begin({ waitMs: 20 });
    const relay = open();
    const early = await book(relay);
    assert.equal(early.type === 'refused' && early.error.code, 'verification_required');
    const { transactionId } = await asked();
    await relay.verifications.answer('s1', transactionId, { type: 'code', code: code() });
    assert.equal(await sayNext(store, relay, 's1', 2, transactionId), true);
    assert.equal((await book(open(), BOOKING, undefined, 2)).type, 'called');
    assert.equal((await book(open(), BOOKING, undefined, 2)).type, 'refused');
    assert.equal(called.length, 1);
  });

  test('any other message of the visitor makes a new release necessary', async () => {
    const { open, book, asked, code, called, store, outcomes } = await begin({ waitMs: 20 });
    const relay = open();
    await book(relay);
    const { transactionId } = await asked();
    await relay.verifications.answer('s1', transactionId, { type: 'code', code: code() });
    await sayNext(store, relay, 's1', 2);
    const result = await book(relay, BOOKING, undefined, 2);
    assert.equal(result.type, 'refused');
    assert.deepEqual(called, []);
    assert.deepEqual(await outcomes(), ['verified', 'replaced']);
    assert.equal(await sayNext(store, relay, 's1', 3, transactionId), false);
  });

  test('a switch of the domain ends what was asked, while the call waits and after it', async () => {
    const { open, book, asked, code, called } = await begin({ waitMs: 60_000 });
    const relay = open();
    const waiting = book(relay);
    const { transactionId } = await asked();
    const switchTo = (from: string, to: string) =>
      callTool(relay, {
        sessionId: 's1',
        tool: 'switch_domain',
        definition: undefined,
        arguments: { from, to, reason: 'a car' },
      });
    assert.equal((await switchTo('coach', 'car')).type, 'answered');
    const result = await waiting;
    assert.equal(result.type === 'refused' && result.error.code, 'domain_locked');
    assert.deepEqual(await relay.verifications.answer('s1', transactionId, { type: 'code', code: code() }), {
      type: 'over',
      status: 'replaced',
    });
    assert.deepEqual(called, []);
  });

  test('declined: the call says so, and so does the same call again in this turn', async () => {
    const { open, book, asked, called } = await begin({ waitMs: 60_000 });
    const relay = open();
    const booking = book(relay);
    const { transactionId } = await asked();
    assert.equal((await relay.verifications.answer('s1', transactionId, { type: 'decline' })).type, 'declined');
    const result = await booking;
    assert.equal(result.type === 'refused' && result.error.code, 'verification_declined');
    const again = await book(relay);
    assert.equal(again.type === 'refused' && again.error.code, 'verification_declined');
    assert.deepEqual(called, []);
  });

  test('a caller that leaves ends the wait and not the release', async () => {
    const { open, book, asked, code, called } = await begin({ waitMs: 60_000 });
    const relay = open();
    const leaving = new AbortController();
    const left = book(relay, BOOKING, leaving.signal);
    const { transactionId } = await asked();
    leaving.abort(new Error('left'));
    await assert.rejects(left, /left/);
    await relay.verifications.answer('s1', transactionId, { type: 'code', code: code() });
    assert.equal((await book(relay)).type, 'called');
    assert.equal(called.length, 1);
  });

  test('five minutes after it was sent a code is over', async () => {
    let nowMs = Date.now();
    const { open, book, asked, code, called } = await begin({ waitMs: 20, now: () => nowMs });
    const relay = open();
    await book(relay);
    const { transactionId } = await asked();
    nowMs += 300_001;
    assert.deepEqual(await relay.verifications.answer('s1', transactionId, { type: 'code', code: code() }), {
      type: 'over',
      status: 'expired',
    });
    assert.deepEqual(called, []);
  });

  test('three codes are sent in a quarter of an hour, then the wait is told', async () => {
    let nowMs = Date.now();
    const { open, book, postbox, store } = await begin({ waitMs: 0, now: () => nowMs });
    const relay = open();
    for (let passengers = 1; passengers <= 3; passengers++) await book(relay, { ...BOOKING, passengers });
    const fourth = await book(relay, { ...BOOKING, passengers: 4 });
    assert.equal(fourth.type === 'refused' && fourth.error.code, 'verification_locked');
    assert.equal(fourth.type === 'refused' && fourth.error.retryAfterMs, 900_000);
    // Another conversation of the same visitor is no way round it.
    await beginConversation(store, 's2', { userId: 'user-s1', nowMs });
    const elsewhere = await callTool(relay, {
      sessionId: 's2',
      tool: 'coach_book',
      definition: COACH_BOOK,
      arguments: BOOKING,
    });
    assert.equal(elsewhere.type === 'refused' && elsewhere.error.code, 'verification_locked');
    assert.equal(postbox.codes.length, 3);
    nowMs += 900_001;
    await book(relay, { ...BOOKING, passengers: 5 });
    assert.equal(postbox.codes.length, 4);
  });

  test('a release of one conversation is none for another', async () => {
    const { open, book, asked, code, called, store } = await begin({ waitMs: 20 });
    const relay = open();
    await book(relay);
    const { transactionId } = await asked();
    await relay.verifications.answer('s1', transactionId, { type: 'code', code: code() });
    await beginConversation(store, 's2');
    assert.deepEqual(await relay.verifications.answer('s2', transactionId, { type: 'code', code: code() }), {
      type: 'unknown',
    });
    const result = await callTool(
      relay,
      { sessionId: 's2', tool: 'coach_book', definition: COACH_BOOK, arguments: BOOKING },
      (sent) => called.push(sent),
    );
    assert.equal(result.type, 'refused');
    assert.deepEqual(called, []);
  });

  test('a code that cannot be sent is told, and the dialog closes', async () => {
    const store = new MemoryStore();
    await beginConversation(store, 's1');
    const delivery = { deliver: () => Promise.reject(new Error('code 123456 was not taken')), close() {} };
    const relay = putRulesToWork({ store, rules: RULES, delivery });
    const result = await callTool(relay, {
      sessionId: 's1',
      tool: 'coach_book',
      definition: COACH_BOOK,
      arguments: BOOKING,
    });
    assert.equal(result.type === 'refused' && result.error.code, 'verification_unavailable');
    const last = (await eventsOf(store, 's1')).at(-1);
    assert.equal(last?.type === 'verification-settled' && last.data.outcome, 'undelivered');
    assert.doesNotMatch(relay.logText(), /123456/);
  });

  test('the code is in no event, no log line and no record of the store', async () => {
    const { open, book, asked, code, store } = await begin({ waitMs: 60_000 });
    const relay = open();
    const booking = book(relay);
    const { transactionId } = await asked();
    const kept = JSON.stringify([await eventsOf(store, 's1'), await store.get('transactions:s1')]);
    assert.doesNotMatch(kept, new RegExp(code()));
    await relay.verifications.answer('s1', transactionId, { type: 'code', code: code() });
    await booking;
    assert.doesNotMatch(relay.logText() + JSON.stringify(await eventsOf(store, 's1')), new RegExp(code()));
  });

  test('a message with the live code is recognised in any form, and asking often tells nobody the code', async () => {
    const { open, book, asked, code } = await begin({ waitMs: 0 });
    const relay = open();
    await book(relay);
    await asked();
    const live = code();
    const wrong = wrongCode(live);
    assert.equal(
      await relay.verifications.hasLiveCode('s1', `my code is ${live.slice(0, 3)}-${live.slice(3)}, thanks`),
      true,
    );
    assert.equal(await relay.verifications.hasLiveCode('s1', 'two seats at 9, please'), false);
    assert.equal(await relay.verifications.hasLiveCode('s1', `order ${wrong}`), false);
    for (let look = 0; look < 3; look++) await relay.verifications.hasLiveCode('s1', `order ${wrong}`);
    assert.equal(await relay.verifications.hasLiveCode('s1', `order ${wrong}`), true);
    assert.equal(await relay.verifications.hasLiveCode('s1', '100001 100002 100003 100004 100005'), true);
  });

  test('a read-only call of the domain needs no release', async () => {
    const { open, store } = await begin();
    const result = await callTool(open(), {
      sessionId: 's1',
      tool: 'coach_search',
      definition: COACH_SEARCH,
      arguments: { domain: 'coach', from: 'Bern', to: 'Milan', date: '2026-03-14' },
    });
    assert.equal(result.type, 'called');
    assert.equal((await eventsOf(store, 's1')).filter(({ type }) => type === 'verification').length, 0);
  });

  test('outside of a turn nothing is asked of the visitor', async () => {
    const { open, book, postbox, store } = await begin();
    await writeTurn(store, 's1', 1, 'ended');
    const result = await book(open());
    assert.equal(result.type === 'refused' && result.error.code, 'verification_required');
    assert.equal(postbox.codes.length, 0);
  });
});
