/** Bodies of the relay's HTTP interface, as both sides of it see them. All times are RFC 3339 strings. */
import type { NumberedEvent } from './events.ts';

/** `POST /session` */
export interface StartSessionRequest {
  /** An unverified label; absent: the relay draws a random one. */
  readonly userId?: string;
  /** One of the applications that the owner listed; absent: the first. */
  readonly application?: string;
}

/** Answer of `POST /session`, 201. `sessionId` is the relay's own; `token` goes into the header `x-session-token`. */
export interface StartedSession {
  readonly sessionId: string;
  readonly token: string;
  readonly userId: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly initialMessage: string;
}

/**
 * `POST /chat`. The same `messageId` never starts a second turn; absent: the relay draws one. `continues` in place of `message`:
 * lets the transaction go on that the visitor has released; the agent host gets a message that says nothing of that.
 */
export interface ChatRequest {
  readonly sessionId: string;
  readonly message?: string;
  readonly continues?: string;
  readonly messageId?: string;
}

/** Answer of `GET /session/{sessionId}`: the conversation so far. */
export interface SessionSnapshot {
  readonly sessionId: string;
  readonly userId: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly initialMessage: string;
  /** Oldest first; from the first event that is still kept. */
  readonly events: readonly NumberedEvent[];
  /** True when events before the first one of `events` are no longer kept. */
  readonly isHistoryGone: boolean;
  /** The number of the turn that runs now. */
  readonly runningTurn?: number;
}

/** Answer of `POST /session/{sessionId}/verification`, 200. A wrong code is a problem answer with `attemptsLeft`. */
export interface VerificationAnswered {
  readonly transactionId: string;
  readonly outcome: 'verified' | 'declined';
}

/** What the agent host gets when the visitor lets a transaction go on. */
export const CONTINUE_MESSAGE = 'Please continue.';

export const SESSION_TOKEN_HEADER = 'x-session-token';
