import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FrameReader } from '../../relay/protocol/frame-reader.ts';
import type { StartedSession } from '../../relay/protocol/requests.ts';
import { MemoryStore } from '../../relay/store/memory-store.ts';
import { type RelayUnderTest, startRelay } from '../support/relay-under-test.ts';
import {
  COACH_BOOK,
  callTool,
  Postbox,
  putRulesToWork,
  RULES,
  type RulesAtWork,
} from '../support/ruled-conversation.ts';
import { say, startScriptedHost, TIMESTAMP } from '../support/scripted-host.ts';

const BOOKING = { domain: 'coach', trip: 'BE-MI-0930', passengers: 2 };

/** Two relays over one store, with one agent host that books a coach in its answer, by whatever relay it reaches. */
async function begin(options: { waitMs?: number } = {}) {
  const store = new MemoryStore();
  const host = await startScriptedHost();
  const postbox = new Postbox();
  const rules = { ...RULES, verification: { waitMs: options.waitMs ?? 5_000 } };
  const atWork = () => putRulesToWork({ store, rules, delivery: postbox });
  const works = [atWork(), atWork()] as const;
  const relays = await Promise.all(
    works.map(({ verifications }) => startRelay({ store, sharedHost: host, verifications })),
  );
  const booked: unknown[] = [];
  const results: string[] = [];
  let session: StartedSession | undefined;
  const book = async (work: RulesAtWork, turn: number) => {
    const call = {
      sessionId: session?.sessionId ?? '',
      turn,
      tool: 'coach_book',
      definition: COACH_BOOK,
      arguments: BOOKING,
    };
    const result = await callTool(work, call, (args) => booked.push(args));
    results.push(result.type === 'refused' ? result.error.code : result.type);
  };
  let turn = 0;
  host.onChat(async ({ frame, response }) => {
    turn += 1;
    frame('thinking', { message: 'Booking…', timestamp: TIMESTAMP });
    await book(works[1], turn);
    say('Answered.')({ frame, response } as never);
  });
  const [first, second] = relays as [RelayUnderTest, RelayUnderTest];
  session = await first.startSession();
  const answer = (relay: RelayUnderTest, body: unknown, token = session?.token ?? '') =>
    relay.post(`/session/${session?.sessionId}/verification`, body, { 'x-session-token': token });
  return {
    ...{ store, host, postbox, first, second, session, booked, results, answer },
    [Symbol.asyncDispose]: async () => {
      for (const relay of relays) await relay[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
      await store.close();
    },
  };
}

/** The events of a stream, one by one. */
async function* eventsIn(response: Response) {
  const frames = new FrameReader({ maxLineBytes: 1_000_000, maxEventBytes: 1_000_000 });
  for await (const bytes of response.body ?? []) {
    for (const frame of frames.push(bytes)) yield { type: frame.type, data: JSON.parse(frame.data) };
  }
}

describe('a verification over HTTP', () => {
  test('is asked in the running turn, answered at another relay, and the turn goes on to its end', async () => {
    await using at = await begin();
    const types: string[] = [];
    for await (const event of eventsIn(await at.first.chat(at.session, 'Book it'))) {
      types.push(event.type);
      if (event.type !== 'verification') continue;
      const { transactionId } = event.data;
      if (event.data.attemptsLeft === 5) {
        const wrong = at.postbox.codes[0]?.code === '000000' ? '000001' : '000000';
        const refused = await at.answer(at.second, { transactionId, code: wrong });
        assert.equal(refused.status, 422);
        const problem = (await refused.json()) as { code: string; attemptsLeft: number };
        assert.deepEqual([problem.code, problem.attemptsLeft], ['wrong_code', 4]);
        continue;
      }
      const accepted = await at.answer(at.second, { transactionId, code: at.postbox.codes[0]?.code });
      assert.equal(accepted.status, 200);
      assert.deepEqual(await accepted.json(), { transactionId, outcome: 'verified' });
    }
    assert.deepEqual(
      types.filter((type) => type !== 'thinking'),
      [
        'question',
        'domain',
        'verification',
        'verification',
        'verification-settled',
        'verification-settled',
        'chunk',
        'complete',
        'done',
      ],
    );
    assert.deepEqual(at.booked, [{ trip: 'BE-MI-0930', passengers: 2 }]);
    const code = at.postbox.codes[0]?.code ?? '';
    const sentToHost = at.host.requests.map(({ body, url, headers }) => body + url + JSON.stringify(headers)).join();
    assert.doesNotMatch(sentToHost + at.first.logText() + at.second.logText(), new RegExp(code));
  });

  test('given after the turn, it goes on by the continue button, and the host hears nothing of it', async () => {
    await using at = await begin({ waitMs: 30 });
    await (await at.first.chat(at.session, 'Book it')).text();
    assert.deepEqual(at.results, ['verification_required']);
    const [sent] = at.postbox.codes;
    const body = { transactionId: sent?.transactionId, code: sent?.code };
    const inMessage = await at.first.chat(at.session, `the code is ${sent?.code}`);
    assert.equal(inMessage.status, 422);
    assert.equal(((await inMessage.json()) as { code: string }).code, 'code_in_message');
    assert.equal((await at.answer(at.second, body)).status, 200);
    const headers = { 'x-session-token': at.session.token };
    const { sessionId } = at.session;
    const continued = await at.second.post('/chat', { sessionId, continues: sent?.transactionId }, headers);
    assert.equal(continued.status, 200);
    await continued.text();
    assert.deepEqual(at.results, ['verification_required', 'called']);
    assert.equal(at.booked.length, 1);
    const messages = at.host.chats().map(({ body }) => JSON.parse(body).message);
    assert.deepEqual(messages, ['Book it', 'Please continue.']);
    const again = await at.first.post('/chat', { sessionId, continues: sent?.transactionId }, headers);
    assert.equal(again.status, 410);
  });

  test('needs the session’s token, a transaction of this session, and one answer', async () => {
    await using at = await begin({ waitMs: 30 });
    await (await at.first.chat(at.session, 'Book it')).text();
    const [sent] = at.postbox.codes;
    const body = { transactionId: sent?.transactionId, code: sent?.code };
    assert.equal((await at.answer(at.first, body, 'another')).status, 404);
    assert.equal((await at.answer(at.first, { ...body, decline: true })).status, 400);
    assert.equal((await at.answer(at.first, { ...body, transactionId: 'AAAAAAAAAAAAAAAAAAAAAA' })).status, 410);
    assert.equal((await at.answer(at.first, { transactionId: sent?.transactionId, decline: true })).status, 200);
    assert.equal((await at.answer(at.first, body)).status, 410);
    assert.deepEqual(at.booked, []);
  });
});
