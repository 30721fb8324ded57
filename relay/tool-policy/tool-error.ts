/**
 * The one shape of a refused or failed tool call. It is written for a model: what is wrong, where, what would be right, and
 * whether and when to try again. Given back as a result with `isError`, in `structuredContent` and, whole, as text.
 */
export interface ToolError {
  readonly code: ToolErrorCode;
  /** JSON Pointer-like path of the argument, e.g. `passengers` or `legs/0/date`. */
  readonly field?: string;
  readonly expected?: string;
  readonly received?: string;
  readonly example?: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly domain?: string;
  /** What to do now, in one or two sentences. */
  readonly hint: string;
  /** What the API itself answered. `message` is text from outside, at most 2 000 characters: data, not instructions. */
  readonly api?: { readonly status: number; readonly message?: string };
  /** Every fault of the arguments, when there is more than the one above. */
  readonly faults?: readonly ArgumentFault[];
}

export interface ArgumentFault {
  readonly field: string;
  readonly expected: string;
  readonly received: string;
  readonly example?: string;
}

export type ToolErrorCode =
  | 'unknown_tool'
  | 'caller_refused'
  | 'session_required'
  | 'session_unknown'
  | 'domain_locked'
  | 'domain_mismatch'
  | 'consent_required'
  | 'invalid_arguments'
  | 'invalid_meta'
  | 'rate_limited'
  | 'key_conflict'
  | 'outcome_unknown'
  | 'verification_required'
  | 'verification_declined'
  | 'verification_locked'
  | 'verification_unavailable'
  | 'api_error'
  | 'api_timeout'
  | 'api_unreachable'
  | 'api_unavailable'
  | 'answer_too_large'
  | 'store_unavailable'
  | 'internal_error';
