/** The demo's scenes from the visitor's message to the databases: stand-in host, relay with the demo's `parley.yaml`, three APIs. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { plusDays, todayInSwitzerland } from '../../demo/api-frame/travel-date.ts';
import { FrameReader } from '../../relay/protocol/frame-reader.ts';
import type { StartedSession } from '../../relay/protocol/requests.ts';
import { idempotencyKey } from '../../relay/tool-gateway/idempotency-key.ts';
import { startWholeDemo } from './demo-fixtures.ts';

interface Seen {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: the events are what these tests are about, and each assertion reads a shape.
  readonly data: any;
}

/** A visitor in a conversation of his own; `onVerification` is what he does when he is asked. */
async function begin(t: TestContext, options: { waitMs?: number } = {}) {
  const demo = await startWholeDemo(t, options);
  const session: StartedSession = await demo.relay.startSession();
  const token = { 'x-session-token': session.token };
  const answer = (body: Record<string, unknown>) =>
    demo.relay.post(`/session/${session.sessionId}/verification`, body, token);
  const read = async (response: Response, onVerification?: (transactionId: string) => Promise<void>) => {
    assert.equal(response.status, 200);
    const seen: Seen[] = [];
    const frames = new FrameReader({ maxLineBytes: 1_000_000, maxEventBytes: 1_000_000 });
    for await (const bytes of response.body ?? []) {
      for (const { type, data } of frames.push(bytes)) {
        const event = { type, data: JSON.parse(data) };
        seen.push(event);
        if (type === 'verification') await onVerification?.(event.data.transactionId);
      }
    }
    return seen;
  };
  return {
    ...demo,
    session,
    answer,
    say: async (message: string, onVerification?: (transactionId: string) => Promise<void>) =>
      read(await demo.relay.chat(session, message), onVerification),
    goOn: async (continues: string) =>
      read(await demo.relay.post('/chat', { sessionId: session.sessionId, continues }, token)),
  };
}

/** What the terminal shows: the relay of these tests writes its codes to this process's output. */
function readCodes(t: TestContext): () => Promise<string> {
  const written: string[] = [];
  const write = process.stdout.write.bind(process.stdout);
  t.mock.method(process.stdout, 'write', (text: string) => {
    written.push(String(text));
    return write(text);
  });
  return async () => {
    for (;;) {
      const codes = [...written.join('').matchAll(/Verification code for \S+: (\d{6})/g)];
      if (codes.length > 0) return codes.at(-1)?.[1] ?? '';
      await new Promise(setImmediate);
    }
  };
}

const toolsOf = (seen: readonly Seen[]) =>
  seen
    .filter(({ type }) => type === 'tool-call')
    .map(({ data }) => JSON.parse(data.toolCall.assistantMessage.content)[0].toolName);
const answerOf = (seen: readonly Seen[]): string =>
  seen.find(({ type }) => type === 'complete')?.data.response.content ?? '';
const domainsOf = (seen: readonly Seen[]) =>
  seen.filter(({ type }) => type === 'domain').map(({ data }) => data.active);

test('every tool call of the agent carries the host’s own id of the conversation and a key, with nothing configured [S1.4, S1.5]', async (t) => {
  const { say, calls, host, session, shop } = await begin(t);
  const turns = [
    'order 2 units of prod_2f81',
    'show the products',
    'find me a coach from Bern to Milan tomorrow',
    'and a car there',
  ];
  for (const message of turns) await say(message);
  assert.deepEqual(
    calls.map(({ name }) => name),
    [
      'orders_create_order',
      'orders_list_products',
      'switch_domain',
      'coach_search_connections',
      'switch_domain',
      'car_search_cars',
    ],
  );
  const [hostSessionId] = new Set(calls.map(({ _meta }) => _meta?.sessionId));
  const turnOf = [1, 2, 3, 3, 4, 4];
  for (const [index, { name, arguments: args, _meta }] of calls.entries()) {
    assert.deepEqual(_meta, {
      sessionId: hostSessionId,
      idempotencyKey: idempotencyKey({
        sessionId: String(hostSessionId),
        turn: String(turnOf[index]),
        tool: name,
        arguments: args,
      }),
    });
  }
  // The host's id, by which the host itself knows the conversation; the relay's own never leaves for it.
  assert.ok(host.logged.some((line) => line.startsWith(`${hostSessionId} started`)));
  assert.notEqual(hostSessionId, session.sessionId);
  assert.deepEqual(
    shop.orders().map(({ session_id, idempotency_key }) => [session_id, idempotency_key]),
    [[hostSessionId, calls[0]?._meta?.idempotencyKey]],
  );
});

test('the same order twice in one turn is two calls with one key and one effect', async (t) => {
  const { say, calls, shop } = await begin(t);
  const seen = await say('order 2 units of prod_2f81 twice');
  assert.deepEqual(toolsOf(seen), ['orders_create_order', 'orders_create_order']);
  assert.equal(calls[0]?._meta?.idempotencyKey, calls[1]?._meta?.idempotencyKey);
  assert.equal(shop.orders().length, 1);
  assert.equal(shop.stockOf('prod_2f81'), 118);
  assert.match(answerOf(seen), /first order was given back and no second one was placed/);
});

test('a coach is found for tomorrow, and “a car there” leaves the coaches first and searches where the coach arrives', async (t) => {
  const { say, calls } = await begin(t);
  const tomorrow = plusDays(todayInSwitzerland(Date.now()), 1);
  const coaches = await say('find me a coach from Bern to Milan tomorrow');
  assert.deepEqual(toolsOf(coaches), ['coach_search_connections']);
  assert.deepEqual(domainsOf(coaches), ['coach']);
  assert.ok(answerOf(coaches).includes(`Coaches on ${tomorrow}`));
  assert.match(answerOf(coaches), /\| Bern \| Milan \| 07:30 \| 12:05 \| 39\.00\sCHF \| 48 \|/);

  const cars = await say('and a car there');
  assert.deepEqual(toolsOf(cars), ['switch_domain', 'car_search_cars']);
  assert.deepEqual(domainsOf(cars), ['car']);
  assert.deepEqual(calls.at(-1)?.arguments, {
    domain: 'car',
    city: 'Milan',
    pickUpDate: tomorrow,
    returnDate: plusDays(tomorrow, 1),
  });
  assert.match(answerOf(cars), /Cars in Milan[\s\S]*Fiat 500 \| small \| 4 \| 98\.00\sCHF/);
});

test('German works for the whole journey', async (t) => {
  const { say, answer, car } = await begin(t);
  const code = readCodes(t);
  assert.match(answerOf(await say('finde einen Bus von Bern nach Mailand morgen')), /Busse am[\s\S]*07:30/);
  assert.match(answerOf(await say('und ein Mietwagen dort')), /Wagen in Milan/);
  const booked = await say('buche den zweiten', async (transactionId) => {
    await answer({ transactionId, code: await code() });
  });
  assert.match(answerOf(booked), /Wagen gebucht[\s\S]*Lancia Ypsilon[\s\S]*104\.00\sCHF/);
  assert.equal(car.bookings().length, 1);
});

test('a booking waits for the code, is made once it is given, and neither agent nor answer gets to see it', async (t) => {
  const { say, answer, car, calls, session } = await begin(t);
  const code = readCodes(t);
  await say('find me a coach from Bern to Milan tomorrow');
  await say('and a car there');
  let typed = '';
  const seen = await say('book it', async (transactionId) => {
    assert.deepEqual(car.bookings(), []);
    typed = await code();
    assert.equal((await answer({ transactionId, code: typed })).status, 200);
  });
  assert.match(answerOf(seen), /Car booked[\s\S]*car_[0-9a-f]{6}[\s\S]*Fiat 500[\s\S]*98\.00\sCHF/);
  const [stored, ...others] = car.bookings();
  assert.deepEqual(others, []);
  assert.equal(stored?.session_id, calls.at(-1)?._meta?.sessionId);
  assert.notEqual(stored?.session_id, session.sessionId);
  assert.match(typed, /^\d{6}$/);
  assert.ok(!JSON.stringify([calls, seen]).includes(typed));
});

test('a booking that was given back unreleased is made after the visitor’s code and “continue”, once', async (t) => {
  const { say, goOn, answer, coach } = await begin(t, { waitMs: 50 });
  const code = readCodes(t);
  await say('find me a coach from Bern to Milan tomorrow');
  let asked = '';
  const seen = await say('book the second', async (transactionId) => {
    asked = transactionId;
  });
  assert.match(answerOf(seen), /Nothing is booked yet/);
  assert.deepEqual(coach.bookings(), []);
  assert.equal((await answer({ transactionId: asked, code: await code() })).status, 200);
  const continued = await goOn(asked);
  assert.deepEqual(toolsOf(continued), ['coach_book_seats']);
  assert.match(answerOf(continued), /Coach booked[\s\S]*11:15[\s\S]*45\.00\sCHF/);
  assert.equal(coach.bookings().length, 1);
});

test('what the visitor declines is not booked, and he is told so', async (t) => {
  const { say, answer, coach } = await begin(t);
  readCodes(t);
  await say('find me a coach from Bern to Milan tomorrow');
  const seen = await say('book it', async (transactionId) => {
    await answer({ transactionId, decline: true });
  });
  assert.match(answerOf(seen), /You have declined, so \*\*nothing was booked\*\*/);
  assert.deepEqual(coach.bookings(), []);
});

const nextYear = new Date().getFullYear() + 1;
for (const { written, corrected, told } of [
  { written: `31.02.${nextYear}`, corrected: new RegExp(`${nextYear}-02-2[89]`), told: /There is no such day/ },
  { written: `14.03.${nextYear}`, corrected: new RegExp(`${nextYear}-03-14`), told: /I wrote the same day/ },
  { written: `${nextYear}-02-31`, corrected: new RegExp(`${nextYear}-02-2[89]`), told: /There is no such day/ },
]) {
  test(`a coach on ${written} is refused by the gateway, told, and searched again with a right date`, async (t) => {
    const { say, calls } = await begin(t);
    const seen = await say(`find me a coach from Bern to Milan on ${written}`);
    assert.deepEqual(toolsOf(seen), ['coach_search_connections', 'coach_search_connections']);
    assert.equal(calls[0]?.arguments.departureDate, written);
    assert.match(String(calls[1]?.arguments.departureDate), corrected);
    const [first, second] = seen
      .filter(({ type }) => type === 'tool-result')
      .map(({ data }) => JSON.parse(data.toolResult.content));
    assert.deepEqual([first.isError, second.isError], [true, undefined]);
    assert.ok(answerOf(seen).includes(`\`departureDate\` was \`"${written}"\``));
    assert.match(answerOf(seen), told);
    assert.match(answerOf(seen), /07:30/);
  });
}

for (const { message, answer } of [
  { message: 'find me a coach', answer: /From where to where/ },
  { message: 'find me a coach from Bern to Milan', answer: /On which day/ },
  { message: 'find me a coach from Bern to Atlantis tomorrow', answer: /refused[\s\S]*Atlantis[\s\S]*Milan/ },
  { message: 'find me a coach from Turin to Lucerne tomorrow', answer: /No direct coach/ },
  { message: 'a car, please', answer: /in which city/ },
  { message: 'book it', answer: /found nothing yet/ },
]) {
  test(`“${message}” is answered honestly, and nothing is booked`, async (t) => {
    const { say, coach, car } = await begin(t);
    assert.match(answerOf(await say(message)), answer);
    assert.deepEqual([...coach.bookings(), ...car.bookings()], []);
  });
}

test('orders and journeys in one conversation change the domain each time', async (t) => {
  const { say, shop } = await begin(t);
  await say('find me a coach from Bern to Milan tomorrow');
  const ordered = await say('order 1 unit of prod_2f81');
  assert.deepEqual(toolsOf(ordered), ['switch_domain', 'orders_create_order']);
  assert.equal(shop.orders().length, 1);
});
