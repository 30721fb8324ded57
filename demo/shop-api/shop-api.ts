import type { Express } from 'express';
import { readCallHeaders } from '../api-frame/call-headers.ts';
import { createApi, ownerOf } from '../api-frame/create-api.ts';
import { readCount, readMembers, readText } from '../api-frame/read-values.ts';
import type { ShopDatabase } from './shop-database.ts';

const MAX_QUANTITY = 100;
const EXAMPLE = '{"productId":"prod_2f81","quantity":2}';
const PRODUCT_ID = {
  form: /^prod_[0-9a-z]{1,20}$/,
  expected: 'string like prod_ and letters or digits',
  example: 'prod_2f81',
};

export interface ShopApiOptions {
  readonly database: ShopDatabase;
  /** Bearer values that the shop accepts, each with the name of its owner. */
  readonly credentials: ReadonlyMap<string, string>;
}

/** The demo's order API, as `openapi.yaml` beside this file describes it. */
export function createShopApi({ database, credentials }: ShopApiOptions): Express {
  return createApi({
    description: new URL('openapi.yaml', import.meta.url),
    credentials,
    addRoutes: (routes) => {
      routes.get('/products', (_request, response) => {
        response.json({ products: database.listProducts() });
      });
      routes.get('/orders/:orderId', (request, response) => {
        response.json(database.findOrder(request.params.orderId, ownerOf(response)));
      });
      routes.post('/orders', (request, response) => {
        const { order, isReplay } = database.placeOrder({
          ...readOrderBody(request.body),
          ...readCallHeaders(request),
          owner: ownerOf(response),
        });
        if (isReplay) response.set('Idempotent-Replayed', 'true');
        response
          .status(isReplay ? 200 : 201)
          .location(`/orders/${order.orderId}`)
          .json(order);
      });
    },
  });
}

function readOrderBody(body: unknown): { productId: string; quantity: number } {
  const { productId, quantity } = readMembers(body, ['productId', 'quantity'], EXAMPLE);
  return {
    productId: readText('productId', productId, PRODUCT_ID),
    quantity: readCount('quantity', quantity, MAX_QUANTITY, 'units'),
  };
}
