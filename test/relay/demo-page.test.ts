import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { listenOnLoopback } from '../../demo/listen-on-loopback.ts';
import { createDemoPage, type DemoPageOptions } from '../../demo/page/demo-page.ts';
import { shopPage } from '../../demo/page/shop-page.ts';
import { API_KEY, startCarRental, startCoachLine, startShop, VISITOR_CREDENTIAL } from './demo-fixtures.ts';

const RELAY_URL = 'http://127.0.0.1:8787';
const PAGE_CREDENTIAL = VISITOR_CREDENTIAL;

async function startApis(t: TestContext) {
  const [shop, coach, car] = await Promise.all([startShop(t), startCoachLine(t), startCarRental(t)]);
  return {
    type: 'shop',
    apis: { shop: shop.url, coach: coach.url, car: car.url },
    credential: PAGE_CREDENTIAL,
  } as const;
}

async function fetchPage(t: TestContext, subject: DemoPageOptions['subject']) {
  const page = await listenOnLoopback(createDemoPage({ relayUrl: RELAY_URL, subject }));
  t.after(() => page.close());
  const response = await fetch(page.url);
  return { url: page.url, response, text: await response.text() };
}

test('the shop page shows what the shop has now, says that a stand-in answers, and holds no credential', async (t) => {
  const subject = await startApis(t);
  await fetch(`${subject.apis.shop}/orders`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' },
    body: '{"productId":"prod_2f81","quantity":20}',
  });
  const { response, text } = await fetchPage(t, subject);
  assert.equal(response.status, 200);
  assert.match(text, /Enamel travel mug/);
  assert.match(text, /CHF 29\.99<\/b> <span>100 in stock/);
  assert.match(text, /follows fixed rules and is no AI model/);
  assert.ok(!text.includes(PAGE_CREDENTIAL));
  for (const url of Object.values(subject.apis)) assert.ok(!text.includes(url));
});

test('the page embeds the widget as a site owner would and lets in nothing but the relay and the page’s own panel', async (t) => {
  const subject = await startApis(t);
  const { url, response, text } = await fetchPage(t, subject);
  assert.ok(text.includes(`<script src="${RELAY_URL}/widget.js" async></script>`));
  assert.ok(text.includes('<script src="/received-headers.js" defer></script>'));
  assert.equal(text.match(/<script/g)?.length, 2);
  assert.doesNotMatch(text, / style=| on[a-z]+=/);
  assert.ok(text.includes('data-parley-open data-parley-draft="order 2 units of prod_2f81"'));
  const policy = response.headers.get('Content-Security-Policy')?.split('; ');
  assert.ok(policy?.includes("default-src 'none'"));
  assert.ok(policy?.includes(`script-src 'self' ${RELAY_URL}`));
  assert.ok(policy?.includes(`connect-src 'self' ${RELAY_URL}`));
  for (const file of ['page.css', 'icon.svg', 'received-headers.js'])
    assert.equal((await fetch(`${url}/${file}`)).status, 200);
  assert.equal((await fetch(`${url}/main.ts`)).status, 404);
});

test('texts of the shop cannot become markup of the page', () => {
  const hostile = `"><img src=x onerror='alert(1)'>&`;
  const page = shopPage(
    [{ id: hostile, name: hostile, description: hostile, price: 1, currency: hostile, stock: 1 }],
    RELAY_URL,
  );
  assert.ok(!page.includes('<img src=x'));
  assert.ok(page.includes('&#34;&#62;&#60;img src=x onerror=&#39;alert(1)&#39;&#62;&#38;'));
});

test('the page tells which headers the APIs received from others, by name and length, and no value', async (t) => {
  const subject = await startApis(t);
  const { url } = await fetchPage(t, subject);
  const ask = async () => (await fetch(`${url}/received-headers`)).text();
  assert.deepEqual(JSON.parse(await ask()), { requests: [] });
  await fetch(`${subject.apis.coach}/connections?from=Bern&to=Milan&departureDate=secret-date`, {
    headers: { Authorization: `Bearer ${API_KEY}`, 'X-Session-Id': 'session-of-a-visitor' },
  });
  const told = await ask();
  const [request, ...others] = JSON.parse(told).requests;
  assert.deepEqual(others, []);
  assert.deepEqual([request.api, request.method, request.path], ['coach', 'GET', '/connections']);
  const named = new Map(
    request.headers.map(({ name, length }: { name: string; length: number }) => [name.toLowerCase(), length]),
  );
  assert.equal(named.get('authorization'), `Bearer ${API_KEY}`.length);
  assert.equal(named.get('x-session-id'), 'session-of-a-visitor'.length);
  for (const value of [API_KEY, 'session-of-a-visitor', 'secret-date']) assert.ok(!told.includes(value));
});

test('the page for a hosted agent names its host', async (t) => {
  const { text } = await fetchPage(t, { type: 'hosted-agent', hostUrl: 'https://agents.example' });
  assert.match(text, /<code>https:\/\/agents\.example<\/code>/);
  assert.ok(text.includes(`<script src="${RELAY_URL}/widget.js" async></script>`));
  assert.doesNotMatch(text, /stand-in/);
});
