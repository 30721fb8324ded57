/** How often something may happen in a minute, counted in the store so that all relays count together. */
import type { Request, RequestHandler } from 'express';
import { RelayError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Store, Write } from '../store/store.ts';
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
    const { add, retryAfterMs } = this.#window(limit, by);
    const committed = await this.#store.commit([], [add]);
    const [counted] = committed.isCommitted ? committed.results : [];
    if (counted?.type !== 'add') throw new Error('the store answered a count with something else');
    if (counted.count > most) throw this.#refusal(limit, by, retryAfterMs, counted.count === most + 1);
  }

  /**
   * For what may turn out not to happen: throws `rate_limited` when there were too many, and otherwise gives the write that counts
   * one more, to be committed together with the thing itself.
   */
  async admit(limit: LimitName, by: string): Promise<readonly Write[]> {
    const most = this.#perMinute[limit];
    if (most === 0) return [];
    const { add, retryAfterMs } = this.#window(limit, by);
    const counted = (await this.#store.get(add.key))?.value;
    if (typeof counted === 'number' && counted >= most) throw this.#refusal(limit, by, retryAfterMs, false);
    return [add];
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

  /** Windows begin with the minutes of the clock, so that one can tell when one ends without having seen its beginning. */
  #window(limit: LimitName, by: string) {
    const nowMs = this.#now();
    const index = Math.floor(nowMs / WINDOW_MS);
    const expiresAtMs = (index + 1) * WINDOW_MS;
    const add = { type: 'add', key: `limit:${limit}:${by}:${index}`, amount: 1, expiresAtMs } as const;
    return { add, retryAfterMs: Math.max(1_000, expiresAtMs - nowMs) };
  }

  #refusal(limit: LimitName, by: string, retryAfterMs: number, isFirst: boolean): RelayError {
    // Once per window, so that the log cannot be flooded.
    if (isFirst) this.#log.warn({ limit, by, perMinute: this.#perMinute[limit] }, 'a limit was reached');
    return new RelayError('rate_limited', { retryAfterMs });
  }
}
