/** Numbered chunks through a real relay while line, page and network go at random moments: none lost, repeated or swapped. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { BreakableLine } from '../support/breakable-line.ts';
import { type FaultyHost, startFaultyHost } from '../support/faulty-host.ts';
import { type RelayForWidget, startRelayForWidget } from '../support/relay-for-widget.ts';
import { MemoryStorage, TestBrowser, type TestElement, type TestPage } from '../support/widget-page.ts';

/** Three of each here; the long run asks for more. */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 3);
const CHUNKS = 120;
const CHUNK_INTERVAL_MS = 5;
const WHOLE = Array.from({ length: CHUNKS }, (_, number) => number).join(' ');

let faulty: FaultyHost;
let relay: RelayForWidget;
let line: BreakableLine;
let browser: TestBrowser;

before(async () => {
  faulty = await startFaultyHost();
  relay = await startRelayForWidget(faulty.url);
  line = await BreakableLine.to(relay.address);
  browser = new TestBrowser();
});

after(async () => {
  browser.close();
  await line.close();
  await relay.close();
  await faulty.close();
});

interface Visit {
  page: TestPage;
  element: TestElement;
  readonly tabStorage: MemoryStorage;
}

type Kill = (visit: Visit) => Promise<void>;

const KILLS: Readonly<Record<string, Kill>> = {
  'the connection is reset': async () => line.cut(),
  'the network is away for a moment': async ({ page }) => {
    line.isDown = true;
    page.fire('offline');
    line.cut();
    await delay(Math.random() * 100);
    line.isDown = false;
    page.fire('online');
  },
  'the relay cannot be reached for a moment': async () => {
    line.isDown = true;
    line.cut();
    await delay(Math.random() * 100);
    line.isDown = false;
  },
  'the page is reloaded': async (visit) => {
    visit.page.leave();
    Object.assign(visit, await openPage(visit.tabStorage));
  },
  'the tab is hidden and its connection dies': async ({ page }) => {
    page.show('hidden');
    line.cut();
    await delay(Math.random() * 50);
    page.show('visible');
  },
  'the page rests in the browser’s cache': async ({ page }) => {
    page.fire('pagehide');
    await delay(Math.random() * 50);
    page.fire('pageshow');
  },
};

async function openPage(tabStorage: MemoryStorage): Promise<Visit> {
  const page = browser.openPage({ tabStorage });
  const element = await page.addElement({ relay: line.address, persist: 'tab' }).opened();
  return { page, element, tabStorage };
}

suite('numbered chunks over a line that goes', { timeout: 30_000 + ROUNDS * 30_000 }, () => {
  for (const [name, kill] of Object.entries(KILLS)) {
    test(`when ${name}, again and again, the answer is whole and was asked for once`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const visit = await openPage(new MemoryStorage());
        const message = `fault:count n=${CHUNKS} ms=${CHUNK_INTERVAL_MS} round=${crypto.randomUUID()}`;
        visit.element.controller.send(message);
        await visit.element.until(() => visit.element.answers[0]?.status === 'writing');
        for (let kills = 0; kills < 4; kills++) {
          await delay(Math.random() * CHUNKS * CHUNK_INTERVAL_MS * 0.25);
          await kill(visit);
        }
        await visit.element.answered(WHOLE);
        assert.equal(visit.element.answers.length, 1);
        assert.equal(faulty.requests.filter(({ body }) => body.includes(message)).length, 1);
        visit.page.leave();
      }
    });
  }

  test('when the connection is reset while the message goes out, it is asked for once or not at all, and that is told', async () => {
    for (let round = 0; round < ROUNDS * 4; round++) {
      const visit = await openPage(new MemoryStorage());
      const message = `fault:count n=5 ms=1 round=${crypto.randomUUID()}`;
      visit.element.controller.send(message);
      await delay(Math.random() * 10);
      line.cut();
      const { entries } = await visit.element.until(() => visit.element.answers[0]?.endedAtMs !== undefined);
      const posts = faulty.requests.filter(({ body }) => body.includes(message)).length;
      const answer = entries.findLast((entry) => entry.type === 'answer');
      assert.deepEqual([answer?.status, posts], answer?.status === 'failed' ? ['failed', 0] : ['complete', 1]);
      visit.page.leave();
    }
  });
});
