import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { API_KEY, startHost, startShop, startStandIn, VISITOR_CREDENTIAL } from './demo-fixtures.ts';

interface Frame {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: the frames are what these tests are about, and each assertion reads a shape.
  readonly data: any;
}

const withKey: Record<string, string> = { 'X-Api-Key': API_KEY, 'Content-Type': 'application/json' };

async function startSession(applicationUrl: string, headers = withKey) {
  const response = await fetch(`${applicationUrl}/session`, {
    method: 'POST',
    headers,
    body: '{"userId":"visitor-1"}',
  });
  assert.equal(response.status, 200);
  return (await response.json()) as {
    sessionId: string;
    sessionSecret: string;
    initialMessage: string;
    createdAt: string;
  };
}

function chat(applicationUrl: string, sessionId: string, secret: string, message: string, init: RequestInit = {}) {
  return fetch(`${applicationUrl}/chat`, {
    method: 'POST',
    headers: { ...withKey, 'x-session-secret': secret, ...(init.headers as Record<string, string>) },
    body: JSON.stringify({ sessionId, message }),
    signal: init.signal ?? null,
  });
}

/** Line by line, as the sample in the host's documents reads: lines end with LF, empty ones are skipped. */
async function readFrames(response: Response): Promise<Frame[]> {
  assert.equal(response.status, 200);
  const frames: Frame[] = [];
  const decoder = new TextDecoder();
  let buffer = '';
  let type = '';
  for await (const value of response.body!) {
    buffer += decoder.decode(value, { stream: true });
    const lines = buffer.split('\n');
    buffer = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') continue;
      if (line.startsWith('type: ')) type = line.slice('type: '.length);
      else if (line.startsWith('data: ')) frames.push({ type, data: JSON.parse(line.slice('data: '.length)) });
      else assert.fail(`a line that is neither type nor data: ${line}`);
    }
  }
  assert.equal(buffer, '');
  return frames;
}

async function startDemo(t: TestContext) {
  const shop = await startShop(t);
  const host = await startStandIn(t, shop.url);
  const { sessionId, sessionSecret } = await startSession(host.applicationUrl);
  return {
    shop,
    host,
    sessionId,
    async say(message: string): Promise<Frame[]> {
      return readFrames(await chat(host.applicationUrl, sessionId, sessionSecret, message));
    },
  };
}

const typesOf = (frames: Frame[]) =>
  frames.map(({ type }) => type).filter((type, index, types) => type !== 'chunk' || types[index - 1] !== 'chunk');
const answerOf = (frames: Frame[]): string =>
  frames
    .filter(({ type }) => type === 'chunk')
    .map(({ data }) => data.chunk)
    .join('');
const callsOf = (frames: Frame[]) =>
  frames
    .filter(({ type }) => type === 'tool-call')
    .map(({ data }) => JSON.parse(data.toolCall.assistantMessage.content)[0]);

test('a session has an unguessable secret and says at once that no AI model answers', async (t) => {
  const { host } = await startDemo(t);
  const first = await startSession(host.applicationUrl);
  const second = await startSession(host.applicationUrl);
  assert.match(first.sessionId, /^session-\d{12}-[0-9a-f]{8}$/);
  assert.match(first.sessionSecret, /^[\w-]{43}$/);
  assert.notEqual(first.sessionSecret, second.sessionSecret);
  assert.ok(!Number.isNaN(Date.parse(first.createdAt)));
  assert.match(first.initialMessage, /fixed rules.*no AI model/);
  assert.ok(host.logged.some((line) => line.includes('no AI model')));
  assert.ok(host.logged.every((line) => !line.includes(first.sessionSecret)));
});

test('an order runs the whole turn of the documents, and the order stands in the database', async (t) => {
  const { shop, sessionId, say } = await startDemo(t);
  const frames = await say('order 2 units of prod_2f81');
  assert.deepEqual(typesOf(frames), ['thinking', 'tool-call', 'tool-result', 'thinking', 'chunk', 'complete', 'done']);

  const [call] = callsOf(frames);
  assert.deepEqual(
    { ...call, toolCallId: '' },
    {
      input: { domain: 'orders', productId: 'prod_2f81', quantity: 2 },
      toolCallId: '',
      toolName: 'orders_create_order',
      type: 'tool-call',
    },
  );
  const { toolResult } = frames[2]!.data;
  assert.deepEqual(
    [toolResult.name, toolResult.role, toolResult.tool_call_id],
    ['orders_create_order', 'tool', call.toolCallId],
  );
  const order = JSON.parse(JSON.parse(toolResult.content).content[0].text);
  const [stored] = shop.orders();
  assert.equal(stored?.id, order.orderId);
  assert.equal(stored?.session_id, sessionId);
  assert.match(stored?.idempotency_key ?? '', /^[0-9a-f]{64}$/);

  assert.equal(frames.find(({ type }) => type === 'chunk')?.data.chunk, '###');
  assert.equal(
    answerOf(frames),
    `### Order confirmed\n\n| Field | Value |\n| --- | --- |\n| Order ID | ${order.orderId} |\n| Product | prod_2f81 |\n| Quantity | 2 |\n| Total | 59.98 CHF |`,
  );
  const complete = frames.at(-2)!.data;
  assert.equal(complete.message, 'order 2 units of prod_2f81');
  assert.equal(complete.response.content, answerOf(frames));
  assert.equal(complete.response.maxTokens, 100_000);
  assert.equal(complete.response.contextPercentage, Math.round(complete.response.tokensUsed / 10) / 100);
});

test('a call repeated within a turn carries the same key and places one order, a new message places another [S1.14]', async (t) => {
  const { shop, say } = await startDemo(t);
  const frames = await say('order 1 of prod_2f81 and repeat the call');
  assert.equal(callsOf(frames).length, 2);
  assert.equal(shop.orders().length, 1);
  assert.match(answerOf(frames), /same idempotency key/);
  await say('order 1 of prod_2f81');
  const [first, second] = shop.orders();
  assert.notEqual(first?.idempotency_key, second?.idempotency_key);
});

const orders = [
  { message: 'please buy 3x prod_7c04', productId: 'prod_7c04', quantity: 3 },
  { message: 'I would like prod_a913', productId: 'prod_a913', quantity: 1 },
  { message: 'order three lanterns', productId: 'prod_19ac', quantity: 3 },
  { message: 'Order a road atlas, please', productId: 'prod_5be2', quantity: 1 },
  { message: 'Bestelle zwei Stück von prod_2f81', productId: 'prod_2f81', quantity: 2 },
  { message: 'ich möchte bitte 4 prod_19ac kaufen', productId: 'prod_19ac', quantity: 4 },
];
for (const { message, productId, quantity } of orders) {
  test(`“${message}” orders ${quantity} of ${productId}`, async (t) => {
    const { shop, say } = await startDemo(t);
    const frames = await say(message);
    const call = callsOf(frames).at(-1);
    assert.deepEqual([call.toolName, call.input], ['orders_create_order', { domain: 'orders', productId, quantity }]);
    assert.deepEqual(
      shop.orders().map((order) => order.quantity),
      [quantity],
    );
  });
}

const refused = [
  { message: 'order 1 unit of prod_d640', answer: /sold out.*Nothing was ordered/ },
  { message: 'order 7 units of prod_5be2', answer: /Only 6[\s\S]*at most 6/ },
  { message: 'order 2 units of prod_0000', answer: /no such product[\s\S]*productId/ },
  { message: 'order -2 units of prod_2f81', answer: /quantity[\s\S]*`-2`/ },
  { message: 'order 2.5 units of prod_2f81', answer: /quantity[\s\S]*`2.5`/ },
  { message: 'bestelle 1 Stück von prod_d640', answer: /Nicht möglich[\s\S]*nichts bestellt/ },
];
for (const { message, answer } of refused) {
  test(`“${message}” passes on why the shop refuses`, async (t) => {
    const { shop, say } = await startDemo(t);
    const frames = await say(message);
    const { toolResult } = frames.find(({ type }) => type === 'tool-result')!.data;
    assert.equal(JSON.parse(toolResult.content).isError, true);
    assert.match(answerOf(frames), answer);
    assert.deepEqual(typesOf(frames).slice(-2), ['complete', 'done']);
    assert.deepEqual(shop.orders(), []);
  });
}

for (const message of [
  "don't order prod_2f81",
  'bestelle kein prod_2f81',
  'order prod_2f81 and prod_7c04',
  'order some clouds',
]) {
  test(`“${message}” orders nothing`, async (t) => {
    const { shop, say } = await startDemo(t);
    const frames = await say(message);
    assert.equal(frames.at(-1)?.type, 'done');
    assert.deepEqual(shop.orders(), []);
  });
}

test('an order is found again by its number, and without one the conversation’s newest is meant', async (t) => {
  const { shop, say } = await startDemo(t);
  assert.match(answerOf(await say('where is my order?')), /no order yet/);
  await say('order 2 units of prod_2f81');
  const orderId = shop.orders()[0]?.id ?? '';
  const found = [
    await say(`where is my order ${orderId}`),
    await say('where is my order?'),
    await say('Wo ist meine Bestellung?'),
  ];
  for (const frames of found) {
    assert.deepEqual(callsOf(frames)[0].input, { domain: 'orders', orderId });
    assert.ok(answerOf(frames).includes(orderId));
  }
  assert.match(answerOf(found[2]!), /bestätigt/);
  assert.match(answerOf(await say('where is my order ord_000000')), /no order of this number/);
});

test('the products are listed in either language from what the shop has', async (t) => {
  const { say } = await startDemo(t);
  assert.match(answerOf(await say('show the products')), /prod_2f81` \| Enamel travel mug \| 29\.99 CHF \| 120/);
  assert.match(answerOf(await say('zeig die Produkte')), /Im Shop[\s\S]*ausverkauft/);
});

test('a long answer holds lists, a table, code and a quotation, and its pieces join to the whole', async (t) => {
  const { say } = await startDemo(t);
  for (const message of ['write a long answer', 'schreib eine lange Antwort']) {
    const frames = await say(message);
    const answer = answerOf(frames);
    assert.ok(answer.length > 2_500);
    for (const mark of ['\n1. ', '\n   - ', '| :-- |', '\n```js\n', '\n> ']) assert.ok(answer.includes(mark), mark);
    assert.ok(frames.filter(({ type }) => type === 'chunk').length > 300);
    assert.equal(frames.at(-2)?.data.response.content, answer);
  }
});

test('a turn asked to fail ends with error and done, without complete [S2.24, S2.25]', async (t) => {
  const { say } = await startDemo(t);
  assert.deepEqual(typesOf(await say('fail in the middle')), ['thinking', 'chunk', 'error', 'done']);
});

test('a turn asked to break off ends without done', async (t) => {
  const { say } = await startDemo(t);
  assert.deepEqual(typesOf(await say('break off')), ['thinking', 'chunk']);
  assert.deepEqual(typesOf(await say('brich ab')), ['thinking', 'chunk']);
});

test('slow thinking is told in several steps', async (t) => {
  const { say } = await startDemo(t);
  assert.equal((await say('think slowly')).filter(({ type }) => type === 'thinking').length, 5);
});

test('what no rule covers gets an honest answer and the examples, in the visitor’s language', async (t) => {
  const { say } = await startDemo(t);
  assert.match(answerOf(await say('what is the meaning of life?')), /no AI model[\s\S]*order 2 units of prod_2f81/);
  assert.match(answerOf(await say('Was ist der Sinn des Lebens?')), /kein KI-Modell[\s\S]*bestelle 2 Stück/);
  assert.match(answerOf(await say('help')), /What I can do/);
});

test('the context figures add up over the conversation', async (t) => {
  const { say } = await startDemo(t);
  const used: number[] = [];
  for (const message of ['help', 'show the products', 'order 2 units of prod_2f81']) {
    used.push((await say(message)).at(-2)?.data.response.tokensUsed);
  }
  assert.ok(used[0]! > 1_000 && used[1]! > used[0]! + 50 && used[2]! > used[1]! + 50, used.join());
});

test('no credential is 401, a wrong one 403, an unknown application 404, for each of the three calls', async (t) => {
  const { host, sessionId } = await startDemo(t);
  const calls = (applicationUrl: string) => [
    { url: `${applicationUrl}/session`, method: 'POST', body: '{"userId":"u"}' },
    { url: `${applicationUrl}/chat`, method: 'POST', body: JSON.stringify({ sessionId, message: 'help' }) },
    { url: `${applicationUrl}/session/${sessionId}`, method: 'DELETE' },
  ];
  const statuses = (applicationUrl: string, headers: Record<string, string>) =>
    Promise.all(
      calls(applicationUrl).map(async ({ url, ...init }) => {
        const response = await fetch(url, { ...init, headers: { 'Content-Type': 'application/json', ...headers } });
        await response.body?.cancel();
        return response.status;
      }),
    );
  assert.deepEqual(await statuses(host.applicationUrl, {}), [401, 401, 401]);
  assert.deepEqual(await statuses(host.applicationUrl, { 'X-Api-Key': 'wrong' }), [403, 403, 403]);
  assert.deepEqual(
    await statuses(host.applicationUrl, { Authorization: 'Bearer wrong', 'X-Api-Key': API_KEY }),
    [403, 403, 403],
  );
  assert.deepEqual(await statuses(`${host.url}/stream/another`, { 'X-Api-Key': API_KEY }), [404, 404, 404]);
});

test('a chat message without the session secret is 401, with a wrong one 403, to an unknown session 404', async (t) => {
  const { host, sessionId } = await startDemo(t);
  const body = JSON.stringify({ sessionId, message: 'help' });
  const withoutSecret = await fetch(`${host.applicationUrl}/chat`, { method: 'POST', headers: withKey, body });
  assert.equal(withoutSecret.status, 401);
  assert.equal((await chat(host.applicationUrl, sessionId, 'wrong', 'help')).status, 403);
  assert.equal((await chat(host.applicationUrl, 'session-0-0', 'wrong', 'help')).status, 404);
});

test('a deleted session is gone', async (t) => {
  const { host, sessionId } = await startDemo(t);
  const { sessionSecret, ...session } = await startSession(host.applicationUrl);
  const remove = () =>
    fetch(`${host.applicationUrl}/session/${session.sessionId}`, { method: 'DELETE', headers: withKey });
  assert.equal((await remove()).status, 204);
  assert.equal((await remove()).status, 404);
  assert.equal((await chat(host.applicationUrl, session.sessionId, sessionSecret, 'help')).status, 404);
  assert.notEqual(session.sessionId, sessionId);
});

test('a session takes messages until its hour is over and answers 410 after that', async (t) => {
  let nowMs = Date.now();
  const shop = await startShop(t);
  const host = await startStandIn(t, shop.url, { now: () => nowMs });
  const { sessionId, sessionSecret } = await startSession(host.applicationUrl);
  nowMs += 60 * 60 * 1000 - 1;
  assert.equal(
    (await readFrames(await chat(host.applicationUrl, sessionId, sessionSecret, 'help'))).at(-1)?.type,
    'done',
  );
  nowMs += 1;
  assert.equal((await chat(host.applicationUrl, sessionId, sessionSecret, 'help')).status, 410);
});

test('a visitor’s credential reaches the shop as Bearer, so that the order is his [S2.6]', async (t) => {
  const shop = await startShop(t);
  const host = await startStandIn(t, shop.url);
  const headers = { Authorization: `Bearer ${VISITOR_CREDENTIAL}`, 'Content-Type': 'application/json' };
  const { sessionId, sessionSecret } = await startSession(host.applicationUrl, headers);
  await readFrames(
    await chat(host.applicationUrl, sessionId, sessionSecret, 'order 2 units of prod_2f81', { headers }),
  );
  assert.deepEqual(
    shop.orders().map(({ owner }) => owner),
    ['visitor'],
  );
});

test('tools that cannot be reached are told as such, and not as an order that was refused', async (t) => {
  const host = await startHost(t, 'http://127.0.0.1:9/mcp');
  const { sessionId, sessionSecret } = await startSession(host.applicationUrl);
  const frames = await readFrames(
    await chat(host.applicationUrl, sessionId, sessionSecret, 'order 2 units of prod_2f81'),
  );
  assert.match(answerOf(frames), /cannot be reached[\s\S]*cannot tell whether it had an effect/);
  assert.doesNotMatch(answerOf(frames), /Nothing was ordered/);
  assert.deepEqual(typesOf(frames).slice(-2), ['complete', 'done']);
});

for (const [message, rule] of [
  ['book a coach from Bern to Milan tomorrow', 'find-coach'],
  ['I need a car in Milan tomorrow', 'find-car'],
  ['reserve the third car', 'book'],
  ['order the book', 'order'],
  ["don't book the coach", 'unknown'],
  ['please continue', 'unknown'],
  ['Please continue.', 'continue'],
] as const) {
  test(`“${message}” goes by the rule “${rule}”`, async (t) => {
    const { host, say } = await startDemo(t);
    await say(message);
    assert.ok(
      host.logged.some((line) => line.endsWith(`turn 1: rule “${rule}”`)),
      host.logged.join(),
    );
  });
}

test('a turn stops when its caller leaves', async (t) => {
  const shop = await startShop(t);
  const host = await startStandIn(t, shop.url, { chunkMs: 5 });
  const { sessionId, sessionSecret } = await startSession(host.applicationUrl);
  const leaving = new AbortController();
  const { signal } = leaving;
  const response = await chat(host.applicationUrl, sessionId, sessionSecret, 'write a long answer', { signal });
  const reader = response.body!.getReader();
  await reader.read();
  leaving.abort();
  await assert.rejects(reader.read());
  await host.waitForLog('the caller has left');
  assert.ok(!host.logged.some((line) => line.endsWith('ended')));
});
