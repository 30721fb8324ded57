/** The demo's scenes in a browser: coach, car, release by code, a wrong date, a repeated call. Needs `npm run build`. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Browser, Page } from 'puppeteer-core';
import { ChatOnPage } from '../support/chat-on-page.ts';
import { startChromium } from '../support/chromium.ts';
import { type DemoProcess, startDemo } from '../support/demo-process.ts';

const SEARCH = 'find me a coach from Bern to Milan tomorrow';
const WAIT_MS = 15_000;

let demo: DemoProcess;
let browser: Browser;

before(async (t) => {
  const hook = t as Parameters<typeof startDemo>[0];
  [demo, browser] = await Promise.all([startDemo(hook), startChromium(hook)]);
});

test('a coach is found, then a car where it arrives, and the change of the domain is shown', async () => {
  await using visit = await openChat();
  await visit.chat.ask(SEARCH);
  assert.deepEqual(await visit.chat.textsOf('tool-call'), ['Used coach_search_connections']);
  assert.deepEqual(await visit.chat.textsOf('domain'), ['Topic: coach']);
  assert.deepEqual((await visit.rows())[1]?.slice(0, 4), ['Bern', 'Milan', '07:30', '12:05']);

  await visit.chat.ask('and a car there');
  assert.deepEqual((await visit.chat.textsOf('tool-call')).slice(1), ['Used switch_domain', 'Used car_search_cars']);
  assert.match(await visit.chat.lastAnswerText(), /Cars in Milan/);
  assert.deepEqual(await visit.chat.textsOf('domain'), ['Topic: car']);
  assert.deepEqual(visit.scriptErrors, []);
});

test('a booking opens the dialog with its exact arguments, and the code from the terminal lets it through', async () => {
  await using visit = await openChat();
  await visit.chat.ask(SEARCH);
  const before = codesIn(demo.printed()).length;
  await visit.chat.send('book it');
  await visit.chat.waitFor('verification');
  const details = (await visit.chat.textsOf('verification-details')).join('\n');
  assert.match(details, /BERN-MILAN-0730/);
  assert.match(details, /CHF\s?39/);
  await visit.type('code-input', await newCode(before));
  await visit.chat.press('confirm-button');
  await visit.chat.settled();
  assert.match(await visit.chat.lastAnswerText(), /Coach booked[\s\S]*coach_[0-9a-f]{6}/);
  const code = codesIn(demo.printed()).at(-1) ?? '';
  assert.ok(!(await visit.textOfChat()).includes(code));
  assert.deepEqual(visit.scriptErrors, []);
});

test('a booking that the visitor declines is not made', async () => {
  await using visit = await openChat();
  await visit.chat.ask(SEARCH);
  await visit.chat.send('book the second');
  await visit.chat.waitFor('verification');
  await visit.chat.press('decline-button');
  await visit.chat.settled();
  assert.match(await visit.chat.lastAnswerText(), /nothing was booked/);
});

test('a date that there is not is refused by the gateway, told, and the call corrected', async () => {
  await using visit = await openChat();
  const year = new Date().getFullYear() + 1;
  await visit.chat.ask(`find me a coach from Bern to Milan on 31.02.${year}`);
  assert.equal((await visit.chat.textsOf('tool-call')).length, 2);
  const answer = await visit.chat.lastAnswerText();
  assert.match(answer, new RegExp(`departureDate was "31\\.02\\.${year}"`));
  assert.match(answer, new RegExp(`Coaches on ${year}-02-2[89]`));
});

test('the same order twice in one turn takes the goods off the stock once', async () => {
  await using visit = await openChat();
  const stock = await visit.stockOf('Enamel travel mug');
  await visit.chat.ask('order 2 units of prod_2f81 twice');
  assert.deepEqual(await visit.chat.textsOf('tool-call'), ['Used orders_create_order', 'Used orders_create_order']);
  assert.match(await visit.chat.lastAnswerText(), /no second one was placed/);
  assert.equal(await visit.stockOf('Enamel travel mug'), stock - 2);
});

test('the page’s panel names the headers of the latest calls after each answer, with their lengths and without a value', async () => {
  await using visit = await openChat();
  await visit.chat.ask('order 1 unit of prod_a913');
  await visit.page.waitForFunction(
    () => document.querySelector('#received-headers h3')?.textContent === 'shop: POST /orders',
    { timeout: WAIT_MS },
  );
  const headers = await visit.page.$eval('#received-headers li', (item) =>
    Object.fromEntries(
      Array.from(item.querySelectorAll('dt'), (name) => [
        (name.textContent ?? '').toLowerCase(),
        name.nextElementSibling?.textContent,
      ]),
    ),
  );
  assert.equal(headers['x-idempotency-key'], '64 characters');
  assert.equal(headers['x-session-id'], '29 characters');
  assert.match(headers.authorization ?? '', /^\d+ characters$/);

  await visit.chat.ask(SEARCH);
  await visit.page.waitForFunction(
    () => document.querySelector('#received-headers h3')?.textContent === 'coach: GET /connections',
    { timeout: WAIT_MS },
  );
  const panel = await visit.page.$eval('#received-headers', (element) => element.textContent ?? '');
  assert.doesNotMatch(panel, /Bearer|session-\d/);
  assert.deepEqual(visit.scriptErrors, []);
});

/** Codes so far, in the order in which they were written. */
function codesIn(printed: string): string[] {
  return [...printed.matchAll(/Verification code for \S+: (\d{6})/g)].map(([, code]) => code ?? '');
}

/** The code after the first `known` ones. */
async function newCode(known: number): Promise<string> {
  await demo.line(new RegExp(`(?:Verification code for \\S+: \\d{6}[\\s\\S]*){${known + 1}}`));
  return codesIn(demo.printed())[known] ?? '';
}

/** The shop's page with an open chat, in a browser profile of its own. */
async function openChat() {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const scriptErrors: unknown[] = [];
  page.on('pageerror', (error) => scriptErrors.push(error));
  await page.goto(demo.url, { waitUntil: 'networkidle0' });
  const chat = new ChatOnPage(page);
  await chat.open();
  return {
    page,
    chat,
    scriptErrors,
    rows: () => rowsOf(page),
    type: async (part: string, text: string) => {
      const input = await page.waitForSelector(`parley-chat >>> [part~="${part}"]`, {
        visible: true,
        timeout: WAIT_MS,
      });
      await input?.type(text);
    },
    textOfChat: () => page.$eval('parley-chat', (element) => element.shadowRoot?.textContent ?? ''),
    /** As the page tells it now. */
    stockOf: async (name: string): Promise<number> => {
      const html = await (await fetch(demo.url)).text();
      return Number(new RegExp(`${name}[\\s\\S]*?(\\d+) in stock`).exec(html)?.[1]);
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

function rowsOf(page: Page): Promise<(string | null)[][]> {
  return page.$$eval('parley-chat >>> [part~="answer"] tr', (found) =>
    found.map((row) => Array.from(row.children, (cell) => cell.textContent)),
  );
}
