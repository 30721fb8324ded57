/** How often something may happen in a minute, counted in the store so that all relays count together. */
import type { Request, RequestHandler } from 'express';
import { RelayError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';
import { limitedAddress } from './client-address.ts';

const WINDOW_MS = 60_000;

/** `sessions`, `requests` and `failures` are counted by address, `messages` by session. */
export type LimitName = 'sessions' | 'messages' | 'requests' | 'failures';

export class RateLimits {
  readonly #store: Store;
  readonly #perMinute: Readonly<Record<LimitName, number>>;
  readonly #log: Log;
  readonly #now: () => number;

  constructor(parts: {
    store: Store;
    perMinute: Readonly<Record<LimitName, number>>;
    log: Log;
    now: () => number;
  }) {
    this.#store = parts.store;
    this.#perMinute = parts.perMinute;
    this.#log = parts.log;
    this.#now = parts.now;
  }

  /** Counts one. Throws `rate_limited` with the time until the window ends when there were too many. */
  async count(limit: LimitName, by: string): Promise<void> {
    const most = this.#perMinute[limit];
    if (most === 0) return;
    const nowMs = this.#now();
    const key = `limit:${limit}:${by}`;
    const add = { type: 'add', key, amount: 1, expiresAtMs: nowMs + WINDOW_MS } as const;
    const committed = await this.#store.commit([], [add]);
    const [counted] = committed.isCommitted ? committed.results : [];
    if (counted?.type !== 'add') throw new Error('the store answered a count with something else');
    if (counted.count <= most) return;
    // Once per window, so that the log cannot be flooded.
    if (counted.count === most + 1) this.#log.warn({ limit, by, perMinute: most }, 'a limit was reached');
    const retryAfterMs = Math.min(WINDOW_MS, Math.max(1_000, counted.expiresAtMs - nowMs));
    throw new RelayError('rate_limited', { retryAfterMs });
  }

  /** Counts one by the caller's address. */
  async countAddress(limit: LimitName, request: Request): Promise<void> {
    if (this.#perMinute[limit] > 0) await this.count(limit, limitedAddress(request));
  }

  /** Counts each request by its address. */
  everyRequest(): RequestHandler {
    return async (request, _response, next) => {
      await this.countAddress('requests', request);
      next();
    };
  }
}
