/**
 * The demo's order API as a process. Settings: `SHOP_DATABASE` (file), `SHOP_CREDENTIALS` (JSON object of accepted Bearer
 * values, each with its owner's name), `PORT` (absent: a free one).
 */
import { runAsProcess } from '../listen-on-loopback.ts';
import { createShopApi } from './shop-api.ts';
import { ShopDatabase } from './shop-database.ts';

const database = new ShopDatabase(process.env.SHOP_DATABASE ?? ':memory:');
const credentials = new Map(Object.entries(JSON.parse(process.env.SHOP_CREDENTIALS ?? '{}') as Record<string, string>));

await runAsProcess('The shop API', createShopApi({ database, credentials }), {
  port: Number(process.env.PORT ?? 0),
  onClosed: () => database.close(),
});
