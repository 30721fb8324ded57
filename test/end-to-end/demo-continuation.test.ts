/** A booking whose call could not wait for the visitor, in a browser; and the demo page judged for accessibility. Needs `npm run build`. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import { listenOnLoopback } from '../../demo/listen-on-loopback.ts';
import { createDemoPage } from '../../demo/page/demo-page.ts';
import { startWholeDemo, VISITOR_CREDENTIAL } from '../relay/demo-fixtures.ts';
import { ChatOnPage } from '../support/chat-on-page.ts';
import { startChromium } from '../support/chromium.ts';

declare const axe: { run(): Promise<AxeResults> };

/** The widget asks for its parts by its own version. */
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const ASSETS = { directory: fileURLToPath(new URL('../../dist/assets', import.meta.url)), version };

/** The demo in this process, with a relay whose calls wait for the visitor no longer than `waitMs`. */
async function openDemo(t: TestContext, { waitMs }: { readonly waitMs?: number } = {}) {
  const demo = await startWholeDemo(t, { assets: ASSETS, ...(waitMs !== undefined && { waitMs }) });
  const apis = { shop: demo.shop.url, coach: demo.coach.url, car: demo.car.url };
  const subject = { type: 'shop', apis, credential: VISITOR_CREDENTIAL } as const;
  const site = await listenOnLoopback(createDemoPage({ relayUrl: demo.relay.url, subject }));
  t.after(() => site.close());
  const browser = await startChromium(t);
  const page = await browser.newPage();
  return { ...demo, page, chat: new ChatOnPage(page), address: site.url };
}

test('a booking whose call was given back is made when the visitor has given the code and pressed “Continue”', async (t) => {
  const printed: string[] = [];
  const write = process.stdout.write.bind(process.stdout);
  t.mock.method(process.stdout, 'write', (text: string) => {
    printed.push(String(text));
    return write(text);
  });
  const { page, chat, address, coach } = await openDemo(t, { waitMs: 100 });
  await page.goto(address, { waitUntil: 'networkidle0' });
  await chat.open();
  await chat.ask('find me a coach from Bern to Milan tomorrow');
  await chat.send('book it');
  await chat.waitFor('verification');
  await chat.settled();
  assert.match(await chat.lastAnswerText(), /Nothing is booked yet/);
  assert.deepEqual(coach.bookings(), []);

  const code = /Verification code for coach_book_seats: (\d{6})/.exec(printed.join(''))?.[1] ?? '';
  const input = await page.waitForSelector('parley-chat >>> [part~="code-input"]', { visible: true });
  await input?.type(code);
  await chat.press('confirm-button');
  await chat.waitFor('continue-button');
  assert.deepEqual(coach.bookings(), []);
  await chat.press('continue-button');
  await page.waitForFunction(
    () => document.querySelector('parley-chat')?.shadowRoot?.textContent?.includes('Coach booked'),
    { timeout: 15_000 },
  );
  assert.equal(coach.bookings().length, 1);
});

for (const scheme of ['light', 'dark']) {
  test(`the page with its panel filled passes the accessibility audit, in its ${scheme} colours`, async (t) => {
    const { page, relay, address } = await openDemo(t);
    const session = await relay.startSession();
    await (await relay.chat(session, 'order 2 units of prod_2f81')).text();
    // For the audit's script; the policy itself is held by the page's own tests.
    await page.setBypassCSP(true);
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.goto(address, { waitUntil: 'networkidle0' });
    await page.waitForSelector('#received-headers li');
    await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
    const { violations } = await page.evaluate(() => axe.run());
    assert.deepEqual(
      violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
      [],
    );
  });
}
