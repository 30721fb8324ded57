/**
 * A whole conversation through the built widget in Chromium, its errors included, with a copy of every byte that the browser received:
 * in none of it, nor in storage, document and heap, is a secret of the relay. Needs `npm run build`.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { API_KEY, APPLICATION_ID, startShop, startStandIn } from '../relay/demo-fixtures.ts';
import { type BrowserTraces, tracesOf, WHOLE_STRINGS_IN_SNAPSHOTS } from '../support/browser-traces.ts';
import { ChatOnPage } from '../support/chat-on-page.ts';
import { startChromium } from '../support/chromium.ts';
import { startFaultyHost } from '../support/faulty-host.ts';
import { servePage } from '../support/page-server.ts';
import { startParley } from '../support/parley-process.ts';
import { type RecordingProxy, recordInFrontOf } from '../support/recording-proxy.ts';
import { ROOT } from '../support/source-files.ts';

/** Everything of one conversation that a browser has seen, as searchable text. */
interface Seen extends BrowserTraces {
  readonly received: string;
}

type Place = keyof Seen;
const PLACES: readonly Place[] = ['received', 'storage', 'dom', 'heap'];

test('neither the key nor a session secret nor a host session id reaches the browser in a conversation with the stand-in [S2.7, S2.11]', async (t) => {
  const shop = await startShop(t);
  const standIn = await startStandIn(t, shop.url);
  const upstream = await recordInFrontOf(t, standIn.url);
  const visit = await openPage(t, { hostUrl: upstream.url, apiKey: API_KEY, application: APPLICATION_ID });
  await visit.chat.open();
  await visit.chat.ask('order 2 units of prod_2f81');
  await visit.chat.ask('order 500 units of prod_2f81');
  await visit.chat.ask('fail in the middle');
  await visit.chat.ask('break off');
  const first = await visit.seen();
  await visit.page.reload();
  await visit.chat.open();
  await visit.chat.waitFor('answer');
  const reloaded = await visit.seen();
  await visit.startNew();
  await visit.chat.hasBegunAnew();
  await visit.chat.ask('help');
  const last = await visit.seen();

  const secrets = secretsOf(upstream);
  assert.equal(secrets.hostSessionIds.length, 2, 'two sessions were started');
  assertNowhere([API_KEY, ...secrets.sessionSecrets, ...secrets.hostSessionIds], [first, reloaded, last]);
  assertFoundWhereItIs(first);
  assert.deepEqual(visit.foreignRequests(), []);
});

test('a host that repeats its secrets in answers and errors does not get them into the browser [S2.7]', async (t) => {
  const host = await startFaultyHost();
  t.after(() => host.close());
  const apiKey = 'key-0123456789-canary';
  const visit = await openPage(t, { hostUrl: host.url, apiKey, application: 'faulty' });
  await visit.chat.open();
  for (const fault of [
    'chunk-secret-echo',
    'error-html',
    'http-401',
    'http-500',
    'html-200-as-stream',
    'redirect-302-get',
  ]) {
    await visit.chat.ask(`fault:${fault}`);
  }
  const seen = await visit.seen();
  const secrets = host.sessions.flatMap(({ sessionId, sessionSecret }) => [sessionId, sessionSecret]);
  assert.equal(secrets.length, 2);
  assertNowhere([apiKey, ...secrets], [seen]);
});

test('the search finds what is really there, in each place and in each form', async (t) => {
  const canary = 'canary-9f1c27d04b';
  const url = await servePage(
    t,
    `<!doctype html><parley-chat></parley-chat><script>
      const root = document.querySelector('parley-chat').attachShadow({ mode: 'closed' });
      root.append(document.createElement('p'));
      root.firstChild.title = atob('${btoa(canary)}');
      sessionStorage.setItem('kept', btoa('x' + atob('${btoa(canary)}')));
      window.kept = [...Array(3000).keys()].join(' ') + atob('${btoa(canary)}');
    </script>`,
  );
  const proxy = await recordInFrontOf(t, url);
  const browser = await startChromium(t, [WHOLE_STRINGS_IN_SNAPSHOTS]);
  const page = await browser.newPage();
  await page.goto(proxy.url);
  const seen = { received: proxy.received().toString('latin1'), ...(await tracesOf(page)) };
  for (const place of PLACES) assert.ok(isIn(seen[place], canary), `found in ${place}`);
});

/** The widget's page, with all that the browser receives going through recording proxies. */
async function openPage(t: TestContext, options: { hostUrl: string; apiKey: string; application: string }) {
  const parley = startParley(join(ROOT, 'relay/main.ts'), {
    MCP_HOST_BASE_URL: options.hostUrl,
    APPLICATION_ID: options.application,
    TUIX_AI_AGENTS_API_KEY: options.apiKey,
    TOOL_CALLS: 'full',
  });
  t.after(() => parley.stop());
  const relay = await recordInFrontOf(t, await parley.url);
  const site = await recordInFrontOf(
    t,
    await servePage(
      t,
      `<!doctype html><html lang="en"><title>A page</title>
       <parley-chat persist="device" tool-calls="full"></parley-chat><script src="${relay.url}/widget.js"></script>`,
    ),
  );
  const browser = await startChromium(t, [WHOLE_STRINGS_IN_SNAPSHOTS]);
  const page = await browser.newPage();
  const requested: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(site.url);
  const chat = new ChatOnPage(page);
  return {
    page,
    chat,
    startNew: async () => {
      await chat.press('menu-button');
      await chat.press('menu-item');
      await chat.press('confirm-button');
    },
    seen: (): Promise<Seen> => seenBy(page, [relay, site]),
    /** What went past the proxies, so that it is in no record. */
    foreignRequests: () => requested.filter((url) => ![relay.url, site.url].includes(new URL(url).origin)),
  };
}

async function seenBy(page: Page, proxies: readonly RecordingProxy[]): Promise<Seen> {
  const received = Buffer.concat(proxies.map((proxy) => proxy.received()));
  return { received: received.toString('latin1'), ...(await tracesOf(page)) };
}

/** From the answers of the host that started a session. */
function secretsOf(upstream: RecordingProxy) {
  const text = upstream.received().toString('latin1');
  const all = (name: string) =>
    Array.from(text.matchAll(new RegExp(`"${name}":"([^"]+)"`, 'g')), ([, value]) => value!);
  return { hostSessionIds: all('sessionId'), sessionSecrets: all('sessionSecret') };
}

function assertNowhere(secrets: readonly string[], visits: readonly Seen[]): void {
  const found = visits.flatMap((seen, visit) =>
    PLACES.flatMap((place) =>
      secrets.filter((secret) => isIn(seen[place], secret)).map((secret) => `${secret} in ${place} of visit ${visit}`),
    ),
  );
  assert.deepEqual(found, []);
}

/** The same search on the same traces: the browser's own session token is where the widget has to keep it. */
function assertFoundWhereItIs(seen: Seen): void {
  const token = /"token":"([^"]+)"/.exec(seen.received)?.[1];
  assert.ok(token, 'the browser was given a token');
  for (const place of ['received', 'storage', 'heap'] as const) assert.ok(isIn(seen[place], token), place);
  for (const place of ['received', 'dom', 'heap'] as const)
    assert.ok(isIn(seen[place], 'I stand in for an agent'), place);
}

/** Plain, as hexadecimal digits, and as Base64 from wherever in a longer text. */
function isIn(text: string, secret: string): boolean {
  const forms = [secret, Buffer.from(secret).toString('hex'), encodeURIComponent(secret)];
  for (const lead of [0, 1, 2]) {
    // The first and the last digits also depend on the neighbours.
    const encoded = Buffer.from(`${' '.repeat(lead)}${secret}`).toString('base64');
    forms.push(encoded.slice(lead === 0 ? 0 : lead + 1, -4));
  }
  return forms.some((form) => text.includes(form));
}
