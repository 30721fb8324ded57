/** Failures that a caller is told about, and the one place that turns any failure into the problem that he may see. */
import { AgentHostError } from './agent-host/agent-host.ts';
import { ERROR_CODES, type ErrorCode, type Problem } from './protocol/error-codes.ts';
import { StoreUnavailableError } from './store/store.ts';

/** What is told besides the code. Everything here may be seen by the caller; `cause` is for the log alone. */
export interface RelayErrorDetails {
  /** A sentence for people. Absent: the code's own. */
  readonly detail?: string;
  readonly retryAfterMs?: number;
  /** Path of the member, parameter or header that is wrong, e.g. `message`. */
  readonly field?: string;
  readonly expected?: string;
  readonly received?: string;
  readonly example?: string;
  readonly attemptsLeft?: number;
  readonly cause?: unknown;
}

export class RelayError extends Error {
  override readonly name = 'RelayError';
  readonly code: ErrorCode;
  readonly details: RelayErrorDetails;

  constructor(code: ErrorCode, details: RelayErrorDetails = {}) {
    super(
      details.detail ?? ERROR_CODES[code].title,
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.code = code;
    this.details = details;
  }
}

const STORE_RETRY_MS = 2_000;

/** The public face of any failure: what is not one of ours becomes `internal_error` and keeps its text to itself. */
export function toRelayError(failure: unknown): RelayError {
  if (failure instanceof RelayError) return failure;
  if (failure instanceof AgentHostError) {
    const wait = failure.retryAfterMs === undefined ? {} : { retryAfterMs: failure.retryAfterMs };
    return new RelayError(failure.code, { ...wait, cause: failure });
  }
  if (failure instanceof StoreUnavailableError) {
    return new RelayError('store_unavailable', { retryAfterMs: STORE_RETRY_MS, cause: failure });
  }
  return new RelayError('internal_error', { cause: failure });
}

/** The body of a refused request (RFC 9457, section 3). */
export function problemOf(error: RelayError, requestId: string): Problem {
  const { status, isRetryable, title } = ERROR_CODES[error.code];
  const { cause: _, detail, ...told } = error.details;
  return {
    type: `urn:parley:problem:${error.code}`,
    title,
    status,
    detail: detail ?? title,
    code: error.code,
    retryable: isRetryable,
    ...told,
    requestId,
  };
}
