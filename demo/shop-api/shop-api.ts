import { createHash, timingSafeEqual } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import express, { type Express, type Request, type Response } from 'express';
import type { ShopDatabase } from './shop-database.ts';
import { answerProblem, ShopProblem } from './shop-problem.ts';

const MAX_QUANTITY = 100;

export interface ShopApiOptions {
  readonly database: ShopDatabase;
  /** Bearer values that the shop accepts, each with the name of its owner. */
  readonly credentials: ReadonlyMap<string, string>;
}

/** The demo's order API, as `openapi.yaml` beside this file describes it. */
export function createShopApi({ database, credentials }: ShopApiOptions): Express {
  const api = express();
  api.disable('x-powered-by');
  api.get('/openapi.yaml', (_request, response) => {
    response.type('application/yaml').sendFile(fileURLToPath(new URL('openapi.yaml', import.meta.url)));
  });

  api.use((request, response, next) => {
    response.locals.owner = readOwner(request, credentials);
    next();
  });
  api.use(express.json({ limit: '10kb' }));

  api.get('/products', (_request, response) => {
    response.json({ products: database.listProducts() });
  });
  api.get('/orders/:orderId', (request, response) => {
    response.json(database.findOrder(request.params.orderId, ownerOf(response)));
  });
  api.post('/orders', (request, response) => {
    const { order, isReplay } = database.placeOrder({
      ...readOrderBody(request.body),
      owner: ownerOf(response),
      sessionId: readHeader(request, 'X-Session-Id'),
      idempotencyKey: readHeader(request, 'X-Idempotency-Key'),
    });
    if (isReplay) response.set('Idempotent-Replayed', 'true');
    response
      .status(isReplay ? 200 : 201)
      .location(`/orders/${order.orderId}`)
      .json(order);
  });

  api.use((request) => {
    throw new ShopProblem('not_found', { detail: `There is no ${request.method} ${request.path}.` });
  });
  api.use(answerProblem);
  return api;
}

function ownerOf(response: Response): string {
  return response.locals.owner as string;
}

function readOwner(request: Request, credentials: ReadonlyMap<string, string>): string {
  const header = request.get('Authorization');
  if (header === undefined) {
    throw new ShopProblem('credential_missing', {
      detail: 'Send a credential.',
      field: 'Authorization',
      expected: 'Bearer <credential>',
    });
  }
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1];
  const digest = sha256(token ?? '');
  for (const [known, owner] of credentials) {
    if (timingSafeEqual(sha256(known), digest)) return owner;
  }
  throw new ShopProblem('credential_rejected', {
    detail: 'The credential is not known here.',
    field: 'Authorization',
    expected: 'Bearer <credential>',
  });
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function readHeader(request: Request, name: string): string | undefined {
  const value = request.get(name);
  if (value === undefined || /^[\x21-\x7e]{1,255}$/.test(value)) return value;
  throw new ShopProblem('invalid_request', {
    detail: `The header ${name} is not valid.`,
    field: name,
    expected: '1 to 255 visible ASCII characters',
    received: `${value.length} characters`,
  });
}

function readOrderBody(body: unknown): { productId: string; quantity: number } {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ShopProblem('invalid_request', {
      detail: 'The body must be a JSON object.',
      field: 'body',
      expected: 'object (application/json)',
      received: describe(body),
      example: '{"productId":"prod_2f81","quantity":2}',
    });
  }
  for (const name of Object.keys(body)) {
    if (name === 'productId' || name === 'quantity') continue;
    throw new ShopProblem('invalid_request', {
      detail: 'The order has a member that is not known.',
      field: name.slice(0, 60),
      expected: 'only productId and quantity',
      example: '{"productId":"prod_2f81","quantity":2}',
    });
  }
  const { productId, quantity } = body as { productId?: unknown; quantity?: unknown };
  if (typeof productId !== 'string' || !/^prod_[0-9a-z]{1,20}$/.test(productId)) {
    throw new ShopProblem('invalid_request', {
      detail: 'The product id is not valid.',
      field: 'productId',
      expected: 'string like prod_ and letters or digits',
      received: describe(productId),
      example: 'prod_2f81',
    });
  }
  if (typeof quantity !== 'number' || !Number.isInteger(quantity) || quantity < 1 || quantity > MAX_QUANTITY) {
    throw new ShopProblem('invalid_request', {
      detail: 'The quantity is not valid.',
      field: 'quantity',
      expected: `integer from 1 to ${MAX_QUANTITY}, in units`,
      received: describe(quantity),
      example: '2',
    });
  }
  return { productId, quantity };
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  return `${JSON.stringify(value)}`.slice(0, 60);
}
