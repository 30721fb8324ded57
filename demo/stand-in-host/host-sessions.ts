import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { Connection, FreeCar } from './tool-answers.ts';
import type { Language } from './understand.ts';

const SESSION_LIFETIME_MS = 60 * 60 * 1000;
/** Size of the context that the host reports. */
export const MAX_TOKENS = 100_000;
// What instructions and tool descriptions would take before the first message.
const TOKENS_BEFORE_FIRST_MESSAGE = 1_180;

/** What was found last, and can be booked. */
export type Offer =
  | { readonly type: 'coach'; readonly departureDate: string; readonly connections: readonly Connection[] }
  | {
      readonly type: 'car';
      readonly pickUpDate: string;
      readonly returnDate: string;
      readonly cars: readonly FreeCar[];
    };

/** A booking that waits for the visitor's release: the same call again, once he has given it. */
export interface PendingBooking {
  readonly domain: 'coach' | 'car';
  readonly input: Readonly<Record<string, unknown>>;
  readonly language: Language;
}

export interface HostSession {
  readonly sessionId: string;
  readonly userId: string;
  readonly sessionSecret: string;
  readonly createdAtMs: number;
  /** Aborted when the session is deleted: its running turns end. */
  readonly ended: AbortController;
  /** Number of the newest turn, from 1. */
  turn: number;
  tokensUsed: number;
  /** The newest order of this conversation. */
  lastOrderId: string | undefined;
  /** As far as the tools' answers tell. */
  activeDomain: string | undefined;
  coachOffer: Extract<Offer, { type: 'coach' }> | undefined;
  carOffer: Extract<Offer, { type: 'car' }> | undefined;
  /** Which of the two is newer: what “it” means. */
  newestOffer: Offer['type'] | undefined;
  pending: PendingBooking | undefined;
}

export type FoundSession =
  | { readonly type: 'found'; readonly session: HostSession }
  | { readonly type: 'wrong-secret' }
  | { readonly type: 'expired' }
  | { readonly type: 'unknown' };

/** The conversations of one application, in memory, for one hour each. */
export class HostSessions {
  readonly #sessions = new Map<string, HostSession>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  start(userId: string): HostSession {
    this.#forgetLongExpired();
    const session: HostSession = {
      sessionId: `session-${String(randomInt(10 ** 12)).padStart(12, '0')}-${randomBytes(4).toString('hex')}`,
      userId,
      sessionSecret: randomBytes(32).toString('base64url'),
      createdAtMs: this.#now(),
      ended: new AbortController(),
      turn: 0,
      tokensUsed: TOKENS_BEFORE_FIRST_MESSAGE,
      lastOrderId: undefined,
      activeDomain: undefined,
      coachOffer: undefined,
      carOffer: undefined,
      newestOffer: undefined,
      pending: undefined,
    };
    this.#sessions.set(session.sessionId, session);
    return session;
  }

  /** The session for a chat message; its secret is compared in constant time. */
  find(sessionId: string, sessionSecret: string): FoundSession {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) return { type: 'unknown' };
    if (!timingSafeEqual(sha256(session.sessionSecret), sha256(sessionSecret))) return { type: 'wrong-secret' };
    return this.#isExpired(session) ? { type: 'expired' } : { type: 'found', session };
  }

  /** True when there was such a session. */
  end(sessionId: string): boolean {
    this.#sessions.get(sessionId)?.ended.abort();
    return this.#sessions.delete(sessionId);
  }

  #isExpired(session: HostSession): boolean {
    return this.#now() - session.createdAtMs >= SESSION_LIFETIME_MS;
  }

  // For another hour an expired session is told apart from one that never was.
  #forgetLongExpired(): void {
    for (const [sessionId, session] of this.#sessions) {
      if (this.#now() - session.createdAtMs >= 2 * SESSION_LIFETIME_MS) this.#sessions.delete(sessionId);
    }
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
