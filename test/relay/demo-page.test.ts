import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { listenOnLoopback } from '../../demo/listen-on-loopback.ts';
import { createDemoPage, type DemoPageOptions } from '../../demo/page/demo-page.ts';
import { shopPage } from '../../demo/page/shop-page.ts';
import { API_KEY, startShop } from './demo-fixtures.ts';

const RELAY_URL = 'http://127.0.0.1:8787';

async function fetchPage(t: TestContext, subject: DemoPageOptions['subject']) {
  const page = await listenOnLoopback(createDemoPage({ relayUrl: RELAY_URL, subject }));
  t.after(() => page.close());
  const response = await fetch(page.url);
  return { url: page.url, response, text: await response.text() };
}

test('the shop page shows what the shop has now, says that a stand-in answers, and holds no credential', async (t) => {
  const shop = await startShop(t);
  await fetch(`${shop.url}/orders`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' },
    body: '{"productId":"prod_2f81","quantity":20}',
  });
  const { response, text } = await fetchPage(t, { type: 'shop', apiUrl: shop.url, credential: API_KEY });
  assert.equal(response.status, 200);
  assert.match(text, /Enamel travel mug/);
  assert.match(text, /CHF 29\.99<\/b> <span>100 in stock/);
  assert.match(text, /follows fixed rules and is no AI model/);
  assert.ok(!text.includes(API_KEY));
  assert.ok(!text.includes(shop.url));
});

test('the page embeds the widget as a site owner would and lets in nothing but the relay', async (t) => {
  const shop = await startShop(t);
  const { url, response, text } = await fetchPage(t, { type: 'shop', apiUrl: shop.url, credential: API_KEY });
  assert.ok(text.includes(`<script src="${RELAY_URL}/widget.js" async></script>`));
  assert.equal(text.match(/<script/g)?.length, 1);
  assert.doesNotMatch(text, / style=| on[a-z]+=/);
  assert.ok(text.includes('data-parley-open data-parley-draft="order 2 units of prod_2f81"'));
  const policy = response.headers.get('Content-Security-Policy')?.split('; ');
  assert.ok(policy?.includes("default-src 'none'"));
  assert.ok(policy?.includes(`script-src ${RELAY_URL}`));
  assert.ok(policy?.includes(`connect-src ${RELAY_URL}`));
  for (const file of ['page.css', 'icon.svg']) assert.equal((await fetch(`${url}/${file}`)).status, 200);
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

test('the page for a hosted agent names its host', async (t) => {
  const { text } = await fetchPage(t, { type: 'hosted-agent', hostUrl: 'https://agents.example' });
  assert.match(text, /<code>https:\/\/agents\.example<\/code>/);
  assert.ok(text.includes(`<script src="${RELAY_URL}/widget.js" async></script>`));
  assert.doesNotMatch(text, /stand-in/);
});
