import { fileURLToPath } from 'node:url';
import express, { type Express } from 'express';
import type { ReceivedRequest } from '../api-frame/received-headers.ts';
import { type ShownProduct, shopPage } from './shop-page.ts';
import { tryPage } from './try-page.ts';

const MAX_SHOWN_REQUESTS = 6;

/** Origins of the demo's three APIs, without a slash at the end. */
export interface DemoApis {
  readonly shop: string;
  readonly coach: string;
  readonly car: string;
}

export interface DemoPageOptions {
  /** Origin of the relay, another one than the page's, as in real life. */
  readonly relayUrl: string;
  /** A hosted agent's address, or the demo's own shop. */
  readonly subject:
    | { readonly type: 'hosted-agent'; readonly hostUrl: string }
    | { readonly type: 'shop'; readonly apis: DemoApis; readonly credential: string };
}

/** Serves the demo's page under a policy that lets nothing in but the relay's script, calls to the relay, and the page's own panel. */
export function createDemoPage({ relayUrl, subject }: DemoPageOptions): Express {
  const site = express();
  site.disable('x-powered-by');
  site.use((_request, response, next) => {
    response.set({
      'Content-Security-Policy': contentSecurityPolicy(relayUrl),
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
    });
    next();
  });

  site.get('/', async (_request, response) => {
    const page =
      subject.type === 'shop' ? shopPage(await fetchProducts(subject), relayUrl) : tryPage(subject.hostUrl, relayUrl);
    response.type('html').send(page);
  });
  if (subject.type === 'shop') {
    site.get('/received-headers', async (_request, response) => {
      response.json({ requests: await fetchReceived(subject) });
    });
  }
  for (const file of ['page.css', 'icon.svg', 'received-headers.js']) {
    site.get(`/${file}`, (_request, response) => {
      response.sendFile(fileURLToPath(new URL(file, import.meta.url)), { cacheControl: false });
    });
  }
  return site;
}

function contentSecurityPolicy(relayUrl: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${relayUrl}`,
    `connect-src 'self' ${relayUrl}`,
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
  ].join('; ');
}

type ShopSubject = Extract<DemoPageOptions['subject'], { type: 'shop' }>;

async function fetchProducts({ apis, credential }: ShopSubject): Promise<readonly ShownProduct[]> {
  return ((await fetchJson(`${apis.shop}/products`, credential)) as { products: ShownProduct[] }).products;
}

/** What all three APIs have received from others than the page, the newest first. */
async function fetchReceived({ apis, credential }: ShopSubject) {
  const lists = await Promise.all(
    Object.entries(apis).map(async ([api, url]) => {
      const { requests } = (await fetchJson(`${url}/received-headers`, credential)) as { requests: ReceivedRequest[] };
      return requests.map((request) => ({ api, ...request }));
    }),
  );
  return lists
    .flat()
    .sort((first, second) => second.at.localeCompare(first.at))
    .slice(0, MAX_SHOWN_REQUESTS);
}

async function fetchJson(url: string, credential: string): Promise<unknown> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${credential}` } });
  if (!response.ok) throw new Error(`${new URL(url).pathname} was answered with ${response.status}.`);
  return response.json();
}
