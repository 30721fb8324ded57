import { ERROR_CODES, type ErrorCode, isErrorCode } from '../relay/protocol/error-codes.ts';
import type { ShownProblem } from './conversation.ts';

/** A problem that the widget finds itself, in the words of the table. */
export function problemOf(code: ErrorCode): ShownProblem {
  const { title, isRetryable } = ERROR_CODES[code];
  return { code, detail: title, retryable: isRetryable, requestId: '' };
}

/** A problem that the relay tells, read tolerantly: of what it does not say, the table speaks; `otherwise` for a new code. */
export function readProblem(said: Readonly<Record<string, unknown>>, otherwise: ErrorCode): ShownProblem {
  const { code, detail, retryable, retryAfterMs, requestId } = said;
  return {
    ...problemOf(isErrorCode(code) ? code : otherwise),
    ...(typeof detail === 'string' && { detail }),
    ...(typeof retryable === 'boolean' && { retryable }),
    ...(typeof retryAfterMs === 'number' && { retryAfterMs }),
    ...(typeof requestId === 'string' && { requestId }),
  };
}
