import { fileURLToPath } from 'node:url';
import express, { type Express } from 'express';
import { type ShownProduct, shopPage } from './shop-page.ts';
import { tryPage } from './try-page.ts';

export interface DemoPageOptions {
  /** Origin of the relay, another one than the page's, as in real life. */
  readonly relayUrl: string;
  /** A hosted agent's address, or the demo's own shop. */
  readonly subject:
    | { readonly type: 'hosted-agent'; readonly hostUrl: string }
    | { readonly type: 'shop'; readonly apiUrl: string; readonly credential: string };
}

/** Serves the demo's page under a policy that lets nothing in but the relay's script and calls to the relay. */
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
      subject.type === 'shop'
        ? shopPage(await fetchProducts(subject.apiUrl, subject.credential), relayUrl)
        : tryPage(subject.hostUrl, relayUrl);
    response.type('html').send(page);
  });
  for (const file of ['page.css', 'icon.svg']) {
    site.get(`/${file}`, (_request, response) => {
      response.sendFile(fileURLToPath(new URL(file, import.meta.url)), { cacheControl: false });
    });
  }
  return site;
}

function contentSecurityPolicy(relayUrl: string): string {
  return [
    "default-src 'none'",
    `script-src ${relayUrl}`,
    `connect-src ${relayUrl}`,
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
  ].join('; ');
}

async function fetchProducts(apiUrl: string, credential: string): Promise<readonly ShownProduct[]> {
  const response = await fetch(`${apiUrl}/products`, { headers: { Authorization: `Bearer ${credential}` } });
  if (!response.ok) throw new Error(`The shop answered ${response.status}.`);
  return ((await response.json()) as { products: ShownProduct[] }).products;
}
