import type { NextFunction, Request, Response } from 'express';

const PROBLEMS = {
  invalid_request: { status: 400, title: 'The request is not valid.' },
  credential_missing: { status: 401, title: 'A credential is needed.' },
  credential_rejected: { status: 403, title: 'The credential is not known.' },
  not_found: { status: 404, title: 'There is nothing at this address.' },
  unknown_order: { status: 404, title: 'The order is not known.' },
  unknown_product: { status: 422, title: 'The product is not known.' },
  unknown_connection: { status: 422, title: 'The connection is not known.' },
  unknown_car: { status: 422, title: 'The car is not known.' },
  date_out_of_range: { status: 422, title: 'Nothing is sold for this date.' },
  out_of_stock: { status: 409, title: 'Not enough in stock.' },
  sold_out: { status: 409, title: 'Not enough seats are left.' },
  not_available: { status: 409, title: 'The car is not free on these days.' },
  key_conflict: { status: 409, title: 'The idempotency key was used for something else.' },
  internal_error: { status: 500, title: 'Something went wrong at the API.' },
} as const;

export type ApiProblemCode = keyof typeof PROBLEMS;

export interface ApiProblemFields {
  /** A sentence about this one case. */
  readonly detail: string;
  /** Path of the member or name of the header that is wrong. */
  readonly field?: string | undefined;
  readonly expected?: string | undefined;
  readonly received?: string | undefined;
  readonly example?: string | undefined;
}

/** A refusal by one of the demo's APIs; on the wire `application/problem+json` (RFC 9457). */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly code: ApiProblemCode;
  readonly fields: ApiProblemFields;

  constructor(code: ApiProblemCode, fields: ApiProblemFields) {
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

function toProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  // What the JSON body parser throws carries a client status.
  if (error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status < 500) {
    return new ApiProblem('invalid_request', {
      detail: 'The body cannot be read.',
      field: 'body',
      expected: 'a JSON object of at most 10 kB',
    });
  }
  console.error(error);
  return new ApiProblem('internal_error', { detail: 'Please try again.' });
}
