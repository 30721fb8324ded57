import type { ErrorCode } from '../relay/protocol/error-codes.ts';
import type { SessionEndReason } from '../relay/protocol/events.ts';
import type { ShownProblem } from './conversation.ts';

/** A problem that the widget finds itself. It has no words of the relay's: the labels have a sentence for its code. */
export function problemOf(code: ErrorCode, retryable = true): ShownProblem {
  return { code, detail: '', retryable, requestId: '' };
}

/**
 * A problem as the relay tells it, whose code may be newer than this widget; `otherwise` stands for one that is missing. The
 * table of codes is not asked: it would cost every visitor a kilobyte.
 */
export function readProblem(said: Readonly<Record<string, unknown>>, otherwise: ErrorCode): ShownProblem {
  const { code, detail, retryable, retryAfterMs, requestId, attemptsLeft } = said;
  return {
    code: typeof code === 'string' ? (code as ErrorCode) : otherwise,
    detail: typeof detail === 'string' ? detail : '',
    retryable: retryable !== false,
    requestId: typeof requestId === 'string' ? requestId : '',
    ...(typeof retryAfterMs === 'number' && { retryAfterMs }),
    ...(typeof attemptsLeft === 'number' && { attemptsLeft }),
  };
}

/** How the session has ended, where a problem says that it has. */
export function endReasonOf({ code }: ShownProblem): SessionEndReason | undefined {
  return code === 'session_expired' ? 'expired' : code === 'unknown_session' ? 'deleted' : undefined;
}
