import type { CDPSession, Page } from 'puppeteer-core';

/** Chromium's switch that keeps long strings whole in a heap snapshot; by itself it cuts them after 1,024 characters. */
export const WHOLE_STRINGS_IN_SNAPSHOTS = '--js-flags=--heap-snapshot-string-limit=1000000000';

/** All that a page has kept, as text to be searched, by where it is. */
export interface BrowserTraces {
  /** Cookies, both web storages, and the names and contents of databases and caches. */
  readonly storage: string;
  /** The document with all shadow roots, open or not, its attributes, and what is typed into fields. */
  readonly dom: string;
  /** Every string on the page's heap. */
  readonly heap: string;
}

export async function tracesOf(page: Page): Promise<BrowserTraces> {
  const cdp = await page.createCDPSession();
  const traces = { storage: await storageOf(page, cdp), dom: await domOf(page, cdp), heap: await heapOf(cdp) };
  await cdp.detach();
  return traces;
}

async function storageOf(page: Page, cdp: CDPSession): Promise<string> {
  const { cookies } = await cdp.send('Network.getAllCookies');
  const kept = await page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const cacheNames = await caches.keys();
    const cached = await Promise.all(
      cacheNames.map(async (name) => {
        const cache = await caches.open(name);
        const responses = await cache.matchAll();
        return Promise.all(responses.map((response) => response.text()));
      }),
    );
    // The widget has no database; one that appears would have to be read here.
    if (databases.length > 0) throw new Error('the page has a database that this does not read');
    return { session: { ...sessionStorage }, local: { ...localStorage }, cacheNames, cached };
  });
  return JSON.stringify({ cookies, kept });
}

async function domOf(page: Page, cdp: CDPSession): Promise<string> {
  const document = await cdp.send('DOM.getDocument', { depth: -1, pierce: true });
  const typed = await page.$$eval('parley-chat >>> :is(input, textarea)', (fields) =>
    fields.map((field) => (field as HTMLInputElement).value),
  );
  return JSON.stringify({ document, typed });
}

async function heapOf(cdp: CDPSession): Promise<string> {
  const pieces: string[] = [];
  cdp.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => pieces.push(chunk));
  await cdp.send('HeapProfiler.enable');
  await cdp.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  const { strings } = JSON.parse(pieces.join('')) as { strings: string[] };
  return strings.join('\n');
}
