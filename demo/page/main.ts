/**
 * The demo page as a process. Settings: `PAGE_RELAY_URL`, and either `PAGE_HOST_URL` or `SHOP_API_URL`, `COACH_API_URL`
 * and `CAR_API_URL` with `API_CREDENTIAL`; `PORT` (absent: a free one).
 */
import { runAsProcess } from '../listen-on-loopback.ts';
import { createDemoPage, type DemoPageOptions } from './demo-page.ts';

const { PAGE_RELAY_URL: relayUrl = '', PAGE_HOST_URL, API_CREDENTIAL = '', PORT } = process.env;
const subject: DemoPageOptions['subject'] =
  PAGE_HOST_URL === undefined
    ? {
        type: 'shop',
        apis: {
          shop: process.env.SHOP_API_URL ?? '',
          coach: process.env.COACH_API_URL ?? '',
          car: process.env.CAR_API_URL ?? '',
        },
        credential: API_CREDENTIAL,
      }
    : { type: 'hosted-agent', hostUrl: PAGE_HOST_URL };

await runAsProcess('The demo page', createDemoPage({ relayUrl, subject }), { port: Number(PORT ?? 0) });
