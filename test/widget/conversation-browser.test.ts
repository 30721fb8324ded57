/** Conversations in tabs of a real Chromium, whose channels, locks, storage and connections are the real ones. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from 'puppeteer-core';
import { build } from 'vite';
import type { ConversationController } from '../../widget/conversation-controller.ts';
import { startChromium } from '../support/chromium.ts';
import { type FaultyHost, startFaultyHost } from '../support/faulty-host.ts';
import { type RelayForWidget, startRelayForWidget } from '../support/relay-for-widget.ts';

declare const conversation: ConversationController;

let faulty: FaultyHost;
let relay: RelayForWidget;
let site: Server;
let browser: Browser;

before(async (context) => {
  const script = await buildScript();
  site = createServer(({ url }, response) => {
    const isScript = url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(
      isScript ? script : '<!doctype html><title>A page</title><script type="module" src="/page.js"></script>',
    );
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  faulty = await startFaultyHost();
  relay = await startRelayForWidget(faulty.url);
  browser = await startChromium(context as Parameters<typeof startChromium>[0]);
});

after(async () => {
  await relay?.close();
  await faulty?.close();
  site?.closeAllConnections();
  site?.close();
});

async function buildScript(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, lib: { entry: 'test/support/conversation-page.ts', formats: ['es'] } },
  });
  const [output] = Array.isArray(built) ? built : [built];
  assert.ok(output && 'output' in output);
  return output.output[0].code;
}

async function openTab(persist: 'tab' | 'device'): Promise<Page> {
  const tab = await browser.newPage();
  const { port } = site.address() as AddressInfo;
  await tab.goto(`http://127.0.0.1:${port}/?persist=${persist}&relay=${encodeURIComponent(relay.address)}`);
  await opened(tab);
  return tab;
}

/** Looks now and then, since a hidden tab draws no frames. */
async function until(tab: Page, isTrue: () => boolean): Promise<void> {
  await tab.waitForFunction(isTrue, { polling: 50, timeout: 30_000 });
}

const opened = (tab: Page) => until(tab, () => conversation.conversation.session.type === 'open');

async function count(tab: Page, chunks: number, name: string): Promise<string> {
  const message = `fault:count n=${chunks} ms=10 name=${name}`;
  await tab.evaluate((text) => conversation.send(text), message);
  return message;
}

/** The last answer, once it has ended. */
async function ended(tab: Page): Promise<{ status: string; text: string; line: string }> {
  await until(tab, () => {
    const answer = conversation.conversation.entries.findLast((entry) => entry.type === 'answer');
    return answer?.endedAtMs !== undefined;
  });
  return tab.evaluate(() => {
    const { entries, line } = conversation.conversation;
    const answer = entries.findLast((entry) => entry.type === 'answer');
    return { status: answer?.status ?? '', text: answer?.text ?? '', line };
  });
}

const whole = (chunks: number) => Array.from({ length: chunks }, (_, number) => number).join(' ');
const posts = (message: string) => faulty.requests.filter(({ body }) => body.includes(`"${message}"`)).length;

suite('a conversation in a real browser', { timeout: 120_000 }, () => {
  test('a page that is reloaded three times in an answer shows it whole', async () => {
    const tab = await openTab('tab');
    const message = await count(tab, 150, 'reload');
    for (let times = 0; times < 3; times++) {
      await delay(300);
      await tab.reload();
      await opened(tab);
    }
    assert.deepEqual(await ended(tab), { status: 'complete', text: whole(150), line: 'online' });
    assert.equal(posts(message), 1);
    await tab.close();
  });

  test('a device that is offline for a while says so, and has the whole answer afterwards', async () => {
    const tab = await openTab('tab');
    const message = await count(tab, 150, 'offline');
    await delay(300);
    await tab.setOfflineMode(true);
    await until(tab, () => conversation.conversation.line === 'offline');
    await delay(500);
    await tab.setOfflineMode(false);
    assert.deepEqual(await ended(tab), { status: 'complete', text: whole(150), line: 'online' });
    assert.equal(posts(message), 1);
    await tab.close();
  });

  test('a visitor who goes away and comes back finds the whole answer', async () => {
    const tab = await openTab('tab');
    const message = await count(tab, 100, 'back');
    await delay(300);
    await tab.goto('about:blank');
    await tab.goBack();
    await opened(tab);
    assert.deepEqual(await ended(tab), { status: 'complete', text: whole(100), line: 'online' });
    assert.equal(posts(message), 1);
    await tab.close();
  });

  test('an answer can be stopped after a reload', async () => {
    const tab = await openTab('tab');
    await count(tab, 1_000, 'stop');
    await delay(200);
    await tab.reload();
    await opened(tab);
    await tab.evaluate(() => conversation.stop());
    assert.equal((await ended(tab)).status, 'stopped');
    await tab.close();
  });

  test('tabs share one conversation, outlive the one that reads, and end together', async () => {
    const tabs = [await openTab('device'), await openTab('device'), await openTab('device')] as const;
    const message = await count(tabs[0], 100, 'share');
    for (const tab of tabs) {
      await until(tab, () =>
        conversation.conversation.entries.some((entry) => entry.type === 'answer' && entry.text !== ''),
      );
    }
    await tabs[0].close();
    assert.equal((await ended(tabs[1])).text, whole(100));
    assert.equal((await ended(tabs[2])).text, whole(100));
    assert.equal(posts(message), 1);
    await tabs[1].evaluate(() => conversation.reset());
    await tabs[2].waitForFunction(() => conversation.conversation.session.type === 'ended', {
      polling: 50,
      timeout: 2_000,
    });
    assert.equal(await tabs[2].evaluate(() => localStorage.length), 0);
    await tabs[1].close();
    await tabs[2].close();
  });

  test('ten tabs with an answer each stay usable, though a browser opens six connections to a host', async () => {
    const tabs: Page[] = [];
    for (let number = 0; number < 10; number++) tabs.push(await openTab('tab'));
    const messages = [];
    for (const [number, tab] of tabs.entries()) messages.push(await count(tab, 150, `tab-${number}`));
    for (const tab of tabs) {
      const answer = await ended(tab);
      assert.deepEqual([answer.status, answer.text], ['complete', whole(150)]);
    }
    assert.deepEqual(new Set(messages.map(posts)), new Set([1]));
    for (const tab of tabs) await tab.close();
  });
});
