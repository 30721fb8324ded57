/**
 * The seam to the server that runs the agent: three calls. Implementations know its protocol; nothing above them does.
 */
import type { ErrorCode } from '../protocol/error-codes.ts';
import type { HostEvent } from '../protocol/events.ts';

export interface AgentHost {
  /** Starts a conversation. Throws `AgentHostError`. */
  startSession(request: StartHostSession, signal: AbortSignal): Promise<HostSession>;

  /**
   * Sends one message, exactly once, never again by itself. Resolves when the host's response headers have come. Throws
   * `AgentHostError`, or the signal's reason: aborting it closes the upstream connection at once, now and later.
   */
  streamTurn(request: HostTurn, signal: AbortSignal): Promise<HostAnswer>;

  /** Ends a conversation; one that is already gone counts as ended. Throws `AgentHostError`. */
  endSession(request: HostSessionReference, signal: AbortSignal): Promise<void>;

  /** Resolves when the host answers at all; throws `AgentHostError` otherwise. For `/readyz`. */
  check(signal: AbortSignal): Promise<void>;
}

/**
 * Who calls the host: the owner's key, or a visitor by his own `Authorization` value, which never falls back to the
 * key.
 */
export type Credential = { readonly type: 'key' } | { readonly type: 'visitor'; readonly authorization: string };

export interface StartHostSession {
  readonly application: string;
  readonly userId: string;
  readonly credential: Credential;
}

export interface HostSession {
  readonly hostSessionId: string;
  readonly sessionSecret: string;
  readonly initialMessage: string;
}

export interface HostSessionReference {
  readonly application: string;
  readonly hostSessionId: string;
  readonly credential: Credential;
}

export interface HostTurn extends HostSessionReference {
  readonly sessionSecret: string;
  readonly message: string;
}

/** The host's answer to one message, from its headers on. */
export interface HostAnswer {
  /**
   * Gives the events to `take` as they come off the wire, in batches, to the host's `done`, which is the last event.
   * Secrets that the host repeats are taken out of them. While a promise that `take` gave is pending, nothing more is given
   * and, soon, nothing more is read (back-pressure).
   *
   * Resolves after `done` was taken. Throws `AgentHostError`, after the events that came before: also when the stream ends
   * without `done`; only where the host has sent `error`, the end comes as it comes and is no second failure. Throws what
   * `take` throws, and the reason of the call's signal once that is aborted; both close the upstream connection at once,
   * the first not after `done`. To be called once, and at once.
   */
  passTo(take: (events: readonly HostEvent[]) => void | Promise<void>): Promise<void>;
}

/** Why a call to the host failed. `message` is for the log: it holds no body text, key or secret. */
export class AgentHostError extends Error {
  override readonly name = 'AgentHostError';
  readonly code: ErrorCode;
  /** From the host's `Retry-After`, clamped to 1 000 … 3 600 000 ms. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, options?: { retryAfterMs?: number | undefined; cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options?.retryAfterMs;
  }
}
