import type { NextFunction, Request, Response } from 'express';

const PROBLEMS = {
  invalid_request: { status: 400, title: 'The request is not valid.' },
  credential_missing: { status: 401, title: 'A credential is needed.' },
  credential_rejected: { status: 403, title: 'The credential is not known.' },
  not_found: { status: 404, title: 'There is nothing at this address.' },
  unknown_order: { status: 404, title: 'The order is not known.' },
  unknown_product: { status: 422, title: 'The product is not known.' },
  out_of_stock: { status: 409, title: 'Not enough in stock.' },
  key_conflict: { status: 409, title: 'The idempotency key was used for another order.' },
  internal_error: { status: 500, title: 'Something went wrong in the shop.' },
} as const;

export type ShopProblemCode = keyof typeof PROBLEMS;

export interface ShopProblemFields {
  /** A sentence about this one case. */
  readonly detail: string;
  /** Path of the member or name of the header that is wrong. */
  readonly field?: string | undefined;
  readonly expected?: string | undefined;
  readonly received?: string | undefined;
  readonly example?: string | undefined;
}

/** A refusal by the shop; on the wire `application/problem+json` (RFC 9457). */
export class ShopProblem extends Error {
  override readonly name = 'ShopProblem';
  readonly code: ShopProblemCode;
  readonly fields: ShopProblemFields;

  constructor(code: ShopProblemCode, fields: ShopProblemFields) {
    super(fields.detail);
    this.code = code;
    this.fields = fields;
  }
}

/** Express's last handler: every refusal leaves in one shape, and our own bugs leave without their text. */
export function answerProblem(error: unknown, _request: Request, response: Response, _next: NextFunction): void {
  const problem = toProblem(error);
  const { status, title } = PROBLEMS[problem.code];
  if (status === 401) response.set('WWW-Authenticate', 'Bearer');
  response
    .status(status)
    .type('application/problem+json')
    .send(JSON.stringify({ type: 'about:blank', title, status, code: problem.code, ...problem.fields }));
}

function toProblem(error: unknown): ShopProblem {
  if (error instanceof ShopProblem) return error;
  // What the JSON body parser throws carries a client status.
  if (error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status < 500) {
    return new ShopProblem('invalid_request', {
      detail: 'The body cannot be read.',
      field: 'body',
      expected: 'a JSON object of at most 10 kB',
      example: '{"productId":"prod_2f81","quantity":2}',
    });
  }
  console.error(error);
  return new ShopProblem('internal_error', { detail: 'Please try again.' });
}
