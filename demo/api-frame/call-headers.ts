import type { Request } from 'express';
import { ApiProblem } from './api-problem.ts';

/** What the agent's call says about itself, both optional. */
export interface CallHeaders {
  /** The conversation, as the agent host names it. */
  readonly sessionId: string | undefined;
  /** Same key, same effect. */
  readonly idempotencyKey: string | undefined;
}

/** Throws `ApiProblem` `invalid_request` where one of them cannot be right. */
export function readCallHeaders(request: Request): CallHeaders {
  return { sessionId: read(request, 'X-Session-Id'), idempotencyKey: read(request, 'X-Idempotency-Key') };
}

function read(request: Request, name: string): string | undefined {
  const value = request.get(name);
  if (value === undefined || /^[\x21-\x7e]{1,255}$/.test(value)) return value;
  throw new ApiProblem('invalid_request', {
    detail: `The header ${name} is not valid.`,
    field: name,
    expected: '1 to 255 visible ASCII characters',
    received: `${value.length} characters`,
  });
}
