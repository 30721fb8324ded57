/**
 * Every fault that an agent host can have, seen from the visitor's side: the built widget in Chromium, a relay as its own process,
 * the faulty host. Needs `npm run build`.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Browser, Page } from 'puppeteer-core';
import { ChatOnPage } from '../support/chat-on-page.ts';
import { startChromium } from '../support/chromium.ts';
import { expectedCode, expectedText, FAULTS, type FaultCase } from '../support/fault-cases.ts';
import { type FaultyHost, FULL_TEXT, startFaultyHost } from '../support/faulty-host.ts';
import { servePage } from '../support/page-server.ts';
import { type ParleyProcess, startParley } from '../support/parley-process.ts';
import { ROOT } from '../support/source-files.ts';

/** What the page is told by the widget's events. */
interface Heard {
  readonly answers: { readonly status: string; readonly text: string; readonly afterMs: number }[];
  readonly problems: string[];
  longestTaskMs: number;
}

const API_KEY = 'key-0123456789-canary';
const IDLE_MS = 1_500;
/** What a loaded machine may need on top of a time limit. */
const SLACK_MS = 1_500;
/** A page that stands still for longer is felt by everyone. */
const LONGEST_STALL_MS = 500;

let host: FaultyHost;
let parley: ParleyProcess;
let browser: Browser;
let pageUrl: string;

before(async (t) => {
  const context = t as TestContext;
  host = await startFaultyHost();
  parley = startParley(join(ROOT, 'relay/main.ts'), {
    MCP_HOST_BASE_URL: host.url,
    APPLICATION_ID: 'faulty',
    TUIX_AI_AGENTS_API_KEY: API_KEY,
    UPSTREAM_IDLE_MS: String(IDLE_MS),
    RATE_LIMIT_SESSIONS: '0',
    RATE_LIMIT_REQUESTS: '0',
  });
  const relayUrl = await parley.url;
  pageUrl = await servePage(context, html(relayUrl));
  browser = await startChromium(context);
});

after(async () => {
  await parley.stop();
  await host.close();
});

describe('a turn', () => {
  for (const fault of FAULTS.filter(({ via }) => via === 'message')) {
    test(`with the fault "${fault.name}" ends ${told(fault)}, after one request`, async () => {
      await using visit = await openChat();
      const socketsBefore = host.stats.openSockets;
      const message = fault.name === 'count' ? 'fault:count n=40 ms=5' : `fault:${fault.name}`;
      const postsBefore = host.stats.chatPosts;
      await visit.chat.ask(message);
      if (fault.name === 'http-429-then-ok') {
        assert.deepEqual((await visit.heard()).problems, ['rate_limited']);
        await visit.sendAgainWhenAllowed();
      }

      const heard = await visit.heard();
      assertOutcome(fault, heard);
      assert.equal(host.stats.chatPosts - postsBefore, heard.answers.length, 'one click is one request');
      assert.deepEqual(visit.scriptErrors, []);
      if (/giant|deep/.test(fault.name)) assert.ok(heard.longestTaskMs < LONGEST_STALL_MS, `${heard.longestTaskMs} ms`);
      await visit.assertCanGoOn(fault);
      if (fault.expect.inert) assert.equal(await visit.countOf(':is(img, script, iframe, a)'), 0);
      await host.openSockets((count) => count <= socketsBefore);
    });
  }

  test('that follows one which killed the session is told as expired, and a new conversation is offered', async () => {
    await using visit = await openChat();
    await visit.chat.ask('fault:kill-session st=410');
    await visit.chat.ask('still there?');
    assert.deepEqual((await visit.heard()).problems, ['session_expired']);
    await visit.chat.waitFor('status-button');
    await visit.chat.press('status-button');
    await visit.chat.ask('and now?');
    assert.equal((await visit.heard()).answers.at(-1)?.text, FULL_TEXT);
  });

  test('that follows a connection which died right after its answer arrives, once', async () => {
    await using visit = await openChat();
    await visit.chat.ask('fault:keepalive-race');
    await visit.chat.ask('and once more');
    assert.equal((await visit.heard()).answers.at(-1)?.text, FULL_TEXT);
    assert.equal(host.requests.filter(({ body }) => body.includes('and once more')).length, 1);
  });
});

describe('a session', () => {
  for (const fault of FAULTS.filter(({ via, name }) => via === 'userId' && name.startsWith('s-'))) {
    test(`with the fault "${fault.name}" at its start ends ${told(fault)}`, async () => {
      await using visit = await openChat(`fault:${fault.name}`);
      const { problems } = await visit.heard();
      if (fault.expect.outcome === 'error') assert.deepEqual(problems, [expectedCode(fault)]);
      if (fault.expect.outcome === 'complete') assert.deepEqual(problems, []);
      if (problems.length === 0) {
        await visit.chat.ask('hello');
        assert.equal((await visit.heard()).answers.at(-1)?.text, FULL_TEXT);
      } else {
        await visit.chat.waitFor('status');
      }
      assert.deepEqual(visit.scriptErrors, []);
    });
  }

  for (const fault of FAULTS.filter(({ via, name }) => via === 'userId' && name.startsWith('d-'))) {
    test(`with the fault "${fault.name}" at its end is over for the visitor all the same`, async () => {
      await using visit = await openChat(`fault:${fault.name}`);
      await visit.chat.ask('hello');
      const endsBefore = host.stats.deletes;
      await visit.startNew();
      await host.nextRequest(({ method }) => method === 'DELETE' && host.stats.deletes > endsBefore);
      assert.equal(await visit.chat.answerCount(), 0);
      await visit.chat.hasBegunAnew();
      await visit.chat.ask('hello again');
      assert.equal((await visit.heard()).answers.at(-1)?.text, FULL_TEXT);
      assert.deepEqual(visit.scriptErrors, []);
    });
  }
});

test('the log of the relay has met every fault and holds neither the key nor a session secret', () => {
  const log = parley.logText();
  assert.ok(log.includes('upstream_protocol'), 'the log has something to tell');
  const secrets = [API_KEY, ...host.sessions.map(({ sessionSecret }) => sessionSecret)];
  assert.deepEqual(
    secrets.filter((secret) => log.includes(secret)),
    [],
  );
});

function told({ expect }: FaultCase): string {
  if (expect.outcome === 'complete') return 'whole';
  return expect.outcome === 'error' ? `as ${expectedCode({ expect } as FaultCase)}` : 'well or plainly told';
}

function assertOutcome(fault: FaultCase, heard: Heard): void {
  const answer = heard.answers.at(-1)!;
  if (fault.expect.outcome === 'complete') assert.equal(answer.status, 'complete');
  if (fault.expect.outcome === 'error') {
    assert.match(answer.status, /^(failed|incomplete)$/);
    assert.deepEqual(heard.problems, [expectedCode(fault)]);
  }
  const text = expectedText(fault);
  if (text !== undefined && fault.expect.outcome !== 'either') assert.equal(answer.text, text);
  if (fault.expect.noSecret) {
    const { sessionId, sessionSecret } = host.sessions.at(-1)!;
    for (const secret of [API_KEY, sessionId, sessionSecret]) assert.ok(!answer.text.includes(secret));
  }
  const { maxMs } = fault.expect;
  const limitMs = typeof maxMs === 'string' ? IDLE_MS + 1_000 : maxMs;
  if (limitMs !== undefined) assert.ok(answer.afterMs < limitMs + SLACK_MS, `took ${answer.afterMs} ms`);
}

/** A fresh page with a chat that has been opened. */
async function openChat(userId = 'visitor') {
  const page = await browser.newPage();
  const scriptErrors: unknown[] = [];
  page.on('pageerror', (error) => scriptErrors.push(error));
  await page.goto(`${pageUrl}/?${new URLSearchParams({ userId })}`);
  const chat = new ChatOnPage(page);
  await chat.open();
  return {
    chat,
    scriptErrors,
    heard: () => page.evaluate(() => (window as unknown as { heard: Heard }).heard),
    countOf: (selector: string) => page.$$eval(`parley-chat >>> [part~="answer"] ${selector}`, (found) => found.length),
    sendAgainWhenAllowed: () => sendAgainWhenAllowed(page, chat),
    assertCanGoOn: (fault: FaultCase) => assertCanGoOn(chat, fault),
    startNew: async () => {
      await chat.press('menu-button');
      await chat.press('menu-item');
      await chat.press('confirm-button');
    },
    [Symbol.asyncDispose]: () => page.close(),
  };
}

/** Waits out the time that the relay asked for. */
async function sendAgainWhenAllowed(page: Page, chat: ChatOnPage): Promise<void> {
  await page.waitForSelector('parley-chat >>> [part~="send-again-button"]:not([disabled])');
  await page.waitForFunction(
    () => document.querySelector('parley-chat')!.shadowRoot!.querySelector('[part~="status"]') === null,
  );
  const before = await chat.answerCount();
  await chat.press('send-again-button');
  await page.waitForFunction(
    (count) => (window as unknown as { heard: Heard }).heard.answers.length > count,
    {},
    before,
  );
}

/** The visitor can write, or is offered a new conversation; after a failure he can send the same again. */
async function assertCanGoOn(chat: ChatOnPage, fault: FaultCase): Promise<void> {
  if (expectedCode(fault) === 'session_expired') {
    await chat.waitFor('status-button');
    return;
  }
  assert.ok(await chat.isComposerUsable(), 'the composer can be used');
  if (fault.expect.outcome === 'error') assert.equal((await chat.textsOf('send-again-button')).length, 1);
}

function html(relayUrl: string): string {
  return `<!doctype html>
    <html lang="en"><meta charset="utf-8"><title>A page</title>
    <script>
      const heard = window.heard = { answers: [], problems: [], longestTaskMs: 0 };
      let sentAtMs = 0;
      addEventListener('parley-send', () => {
        sentAtMs = performance.now();
        heard.longestTaskMs = 0;
      });
      addEventListener('parley-answer', ({ status, text }) => {
        heard.answers.push({ status, text, afterMs: Math.round(performance.now() - sentAtMs) });
      });
      addEventListener('parley-error', ({ code }) => { heard.problems.push(code); });
      new PerformanceObserver((list) => {
        for (const task of list.getEntries()) heard.longestTaskMs = Math.max(heard.longestTaskMs, task.duration);
      }).observe({ type: 'longtask' });
      addEventListener('DOMContentLoaded', () => {
        document.querySelector('parley-chat').setAttribute('user-id', new URLSearchParams(location.search).get('userId'));
      });
    </script>
    <parley-chat persist="none"></parley-chat>
    <script src="${relayUrl}/widget.js" async></script>`;
}
