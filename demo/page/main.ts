/**
 * The demo page as a process. Settings: `PAGE_RELAY_URL`, and either `PAGE_HOST_URL` or `SHOP_API_URL` with `SHOP_CREDENTIAL`;
 * `PORT` (absent: a free one).
 */
import { runAsProcess } from '../listen-on-loopback.ts';
import { createDemoPage, type DemoPageOptions } from './demo-page.ts';

const { PAGE_RELAY_URL: relayUrl = '', PAGE_HOST_URL, SHOP_API_URL, SHOP_CREDENTIAL, PORT } = process.env;
const subject: DemoPageOptions['subject'] =
  PAGE_HOST_URL === undefined
    ? { type: 'shop', apiUrl: SHOP_API_URL ?? '', credential: SHOP_CREDENTIAL ?? '' }
    : { type: 'hosted-agent', hostUrl: PAGE_HOST_URL };

await runAsProcess('The demo page', createDemoPage({ relayUrl, subject }), { port: Number(PORT ?? 0) });
