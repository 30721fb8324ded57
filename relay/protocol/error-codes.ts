/**
 * Every failure that a browser can be told about, in one table: the HTTP status of a problem answer, whether sending the
 * same again can help, and the sentence for people. `in the stream` codes never stand in a status line; their status is
 * the one that a problem answer would have if it were sent before the stream began.
 *
 * The agent host's documents name no status codes for failures; the mapping from the host's statuses to these codes is
 * ours (`hostStatusToCode`).
 */
export const ERROR_CODES = {
  invalid_request: { status: 400, isRetryable: false, title: 'The request is not valid.' },
  unsupported_media_type: { status: 415, isRetryable: false, title: 'The body must be JSON (application/json).' },
  message_too_long: { status: 413, isRetryable: false, title: 'The message is too long.' },
  origin_refused: { status: 403, isRetryable: false, title: 'This page is not allowed to use the chat.' },
  credential_rejected: { status: 401, isRetryable: true, title: 'Your sign-in was not accepted.' },
  misconfigured: { status: 502, isRetryable: false, title: 'The chat is not set up correctly.' },
  unknown_session: { status: 404, isRetryable: false, title: 'This conversation is not known.' },
  session_expired: { status: 410, isRetryable: false, title: 'This conversation has ended.' },
  not_found: { status: 404, isRetryable: false, title: 'There is nothing at this address.' },
  turn_running: { status: 409, isRetryable: true, title: 'An answer is still being written.' },
  message_conflict: { status: 409, isRetryable: false, title: 'This message id was used for another text.' },
  wrong_code: { status: 422, isRetryable: true, title: 'This is not the code that was sent.' },
  verification_locked: { status: 423, isRetryable: false, title: 'Too many wrong codes were typed.' },
  verification_over: { status: 410, isRetryable: false, title: 'There is nothing to confirm any more.' },
  code_in_message: {
    status: 422,
    isRetryable: false,
    title: 'The code belongs into the dialog, not into the conversation.',
  },
  rate_limited: { status: 429, isRetryable: true, title: 'Too many requests.' },
  upstream_busy: { status: 503, isRetryable: true, title: 'The assistant is busy.' },
  upstream_timeout: { status: 504, isRetryable: true, title: 'The assistant took too long.' },
  upstream_unreachable: { status: 502, isRetryable: true, title: 'The assistant cannot be reached.' },
  upstream_error: { status: 502, isRetryable: true, title: 'The assistant reported a failure.' },
  upstream_rejected: { status: 502, isRetryable: false, title: 'The assistant did not accept the message.' },
  upstream_protocol: { status: 502, isRetryable: true, title: 'The assistant answered in a way that cannot be read.' },
  stream_incomplete: { status: 502, isRetryable: true, title: 'The answer ended before it was complete.' },
  stream_interrupted: {
    status: 502,
    isRetryable: true,
    title: 'The connection was lost while the answer was written.',
  },
  limit_exceeded: { status: 502, isRetryable: false, title: 'The answer was too large or took too long.' },
  store_unavailable: { status: 503, isRetryable: true, title: 'The chat is not available at the moment.' },
  shutting_down: { status: 503, isRetryable: true, title: 'The chat is restarting.' },
  internal_error: { status: 500, isRetryable: true, title: 'Something went wrong in the relay.' },
} as const satisfies Record<string, { status: number; isRetryable: boolean; title: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The body of every refused request: `application/problem+json` (RFC 9457) with the relay's own members. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly retryable: boolean;
  /** Milliseconds until the same request can succeed, 1 000 … 3 600 000. */
  readonly retryAfterMs?: number;
  /** Path of the member that is wrong, e.g. `message`. */
  readonly field?: string;
  readonly expected?: string;
  readonly received?: string;
  readonly example?: string;
  /** With `wrong_code`: how many codes may still be tried. */
  readonly attemptsLeft?: number;
  readonly requestId: string;
}
