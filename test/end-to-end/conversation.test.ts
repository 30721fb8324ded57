/** A newcomer's way through the demo: `npm start`, open the page, hold a conversation. Needs `npm run build`. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Browser } from 'puppeteer-core';
import { ChatOnPage } from '../support/chat-on-page.ts';
import { startChromium } from '../support/chromium.ts';
import { type DemoProcess, startDemo } from '../support/demo-process.ts';

let demo: DemoProcess;
let browser: Browser;

before(async (t) => {
  const hook = t as Parameters<typeof startDemo>[0];
  [demo, browser] = await Promise.all([startDemo(hook), startChromium(hook)]);
});

test('nothing is asked of the relay but its script before the visitor opens the chat', async () => {
  await using visit = await openShop();
  assert.deepEqual(visit.requestedPaths(), ['/widget.js']);
  assert.deepEqual(await visit.page.evaluate(() => Object.keys({ ...sessionStorage, ...localStorage })), []);
});

test('the initial message stands there before anything is asked [S2.12]', async () => {
  await using visit = await openShop();
  await visit.chat.open();
  const [greeting] = await visit.chat.textsOf('greeting');
  assert.match(greeting ?? '', /^Hello! I stand in for an agent/);
  assert.equal(await visit.chat.answerCount(), 0);
  await visit.chat.hasBegunAnew();
});

test('the order of the sample turn is placed, its tool call, its table and its use of the context are shown [S2.23, S2.29]', async () => {
  await using visit = await openShop();
  await visit.chat.open();
  await visit.chat.ask('order 2 units of prod_2f81');

  assert.deepEqual(await visit.chat.textsOf('tool-call'), ['Used orders_create_order']);
  const rows = await visit.page.$$eval('parley-chat >>> [part~="answer"] tr', (found) =>
    found.map((row) => Array.from(row.children, (cell) => cell.textContent)),
  );
  assert.deepEqual(rows[0], ['Field', 'Value']);
  assert.deepEqual(rows[2], ['Product', 'prod_2f81']);
  assert.deepEqual(rows[3], ['Quantity', '2']);
  assert.match(rows[1]?.join(' ') ?? '', /^Order ID ord_[0-9a-f]+$/);
  assert.match((await visit.chat.textsOf('context'))[0] ?? '', /\d(\.\d+)?\s?%/);
  assert.match(await demo.line(/^.*turn 1: rule “order”$/m), /stand-in host/);
  assert.deepEqual(visit.scriptErrors, []);
});

test('an answer is drawn piece by piece while it is being written [S2.21]', async () => {
  await using visit = await openShop();
  await visit.chat.open();
  await visit.chat.send('write a long answer');
  const lengths = new Set<number>();
  while (lengths.size < 5) lengths.add((await visit.chat.lastAnswerText()).length);
  await visit.chat.press('stop-button');
  await visit.chat.settled();
  assert.ok(Math.max(...lengths) <= (await visit.chat.lastAnswerText()).length, 'what was drawn stays');
});

test('an answer that fails keeps what was written and can be sent again [S2.24]', async () => {
  await using visit = await openShop();
  await visit.chat.open();
  await visit.chat.ask('fail in the middle');
  assert.match(await visit.chat.lastAnswerText(), /^This answer starts well/);
  assert.equal((await visit.chat.textsOf('problem')).length, 1);

  await visit.chat.press('send-again-button');
  await visit.page.waitForFunction(
    () => document.querySelector('parley-chat')?.shadowRoot?.querySelectorAll('[part~="problem"]').length === 2,
  );
  assert.equal(await visit.chat.answerCount(), 2);
  assert.ok(await visit.chat.isComposerUsable());
});

test('an answer that breaks off is told to be incomplete and not taken for a whole one [S2.27]', async () => {
  await using visit = await openShop();
  await visit.chat.open();
  await visit.chat.ask('break off');
  assert.notEqual(await visit.chat.lastAnswerText(), '');
  assert.equal((await visit.chat.textsOf('problem')).length, 1);
  assert.ok(await visit.chat.isComposerUsable());
});

test('a conversation that the visitor ends is ended at the host, and the next one knows nothing of it [S2.30, S2.34]', async () => {
  await using visit = await openShop();
  await visit.chat.open();
  await visit.chat.ask('order 1 unit of prod_2f81');
  const deletedBefore = demo.printed().match(/session-\S+ deleted/g)?.length ?? 0;
  await visit.chat.press('menu-button');
  await visit.chat.press('menu-item');
  await visit.chat.press('confirm-button');

  await demo.line(new RegExp(`(?:session-\\S+ deleted[\\s\\S]*){${deletedBefore + 1}}`));
  await visit.chat.waitFor('greeting');
  assert.equal(await visit.chat.answerCount(), 0);
  await visit.chat.ask('where is my order?');
  assert.match(await visit.chat.lastAnswerText(), /This conversation has no order yet/);
});

test('a page that is reloaded shows the conversation again', async () => {
  await using visit = await openShop();
  await visit.chat.open();
  await visit.chat.ask('order 2 units of prod_2f81');
  const text = await visit.chat.lastAnswerText();
  await visit.page.reload();
  await visit.chat.open();
  await visit.chat.waitFor('answer');
  assert.equal(await visit.chat.lastAnswerText(), text);
});

/** The shop's page in a browser profile of its own: no conversation of another test is remembered. */
async function openShop() {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const scriptErrors: unknown[] = [];
  const requested: string[] = [];
  page.on('pageerror', (error) => scriptErrors.push(error));
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(demo.url, { waitUntil: 'networkidle0' });
  await page.waitForSelector('parley-chat >>> [part~="launcher"]');
  return {
    page,
    chat: new ChatOnPage(page),
    scriptErrors,
    /** Of requests to other origins than the page's own. */
    requestedPaths: () =>
      requested.filter((url) => new URL(url).origin !== new URL(demo.url).origin).map((url) => new URL(url).pathname),
    [Symbol.asyncDispose]: () => context.close(),
  };
}
