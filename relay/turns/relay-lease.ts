/**
 * A relay's sign of life in the store: one key for all turns that it runs, renewed while it runs any. A turn whose relay gives
 * no sign is dead; whoever reads the turn next says so.
 */
import { randomUUID } from 'node:crypto';
import type { Pulse } from '../pulse.ts';
import type { Store, Write } from '../store/store.ts';

/** Two renewals may fail or be late; together with the looks of others, a dead relay is told within some four seconds. */
const LEASE_MS = 2_500;
const RENEWAL_MS = 750;
/** How long an answer of the store about another relay is relied on: many readers ask about the same one. */
const TRUST_MS = 500;
/** How often a relay is looked at whose turns are followed here: once for all that follow. */
const LOOK_MS = 750;

const leaseKey = (relay: string) => `relay:${relay}`;

interface Watch {
  readonly listeners: Set<() => void>;
  readonly stop: () => void;
}

export class RelayLease {
  /** This process's name. A restarted relay is another one. */
  readonly relay = randomUUID();
  readonly #store: Store;
  readonly #pulse: Pulse;
  readonly #now: () => number;
  readonly #seen = new Map<string, { isAlive: boolean; atMs: number }>();
  readonly #watches = new Map<string, Watch>();
  #holders = 0;
  #stopRenewing: (() => void) | undefined;

  constructor(store: Store, pulse: Pulse, now: () => number) {
    this.#store = store;
    this.#pulse = pulse;
    this.#now = now;
  }

  /** The write that makes the lease valid at the moment when a turn comes into being. */
  renewal(): Write {
    return { type: 'put', key: leaseKey(this.relay), value: true, expiresAtMs: this.#now() + LEASE_MS };
  }

  /** Keeps the lease valid until the returned function is called. */
  hold(): () => void {
    this.#holders += 1;
    this.#stopRenewing ??= this.#renewNowAndThen();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holders -= 1;
      if (this.#holders > 0) return;
      this.#stopRenewing?.();
      this.#stopRenewing = undefined;
    };
  }

  /** Whether the relay of that name gives signs of life. Rejects with `StoreUnavailableError`. */
  async isAlive(relay: string): Promise<boolean> {
    if (relay === this.relay) return true;
    const nowMs = performance.now();
    const seen = this.#seen.get(relay);
    if (seen && nowMs - seen.atMs < TRUST_MS) return seen.isAlive;
    const isAlive = (await this.#store.get(leaseKey(relay))) !== undefined;
    this.#seen.set(relay, { isAlive, atMs: nowMs });
    return isAlive;
  }

  /** Calls `listener` whenever the relay of that name is found to give no sign of life. Returns the function that ends it. */
  onDeath(relay: string, listener: () => void): () => void {
    let watch = this.#watches.get(relay);
    if (!watch) {
      const listeners = new Set<() => void>();
      watch = { listeners, stop: this.#lookNowAndThen(relay, listeners) };
      this.#watches.set(relay, watch);
    }
    const { listeners, stop } = watch;
    // A listener of one's own per call, so that the same function given twice is called until both have ended.
    const own = () => listener();
    listeners.add(own);
    return () => {
      listeners.delete(own);
      if (listeners.size > 0 || this.#watches.get(relay)?.listeners !== listeners) return;
      this.#watches.delete(relay);
      stop();
    };
  }

  #lookNowAndThen(relay: string, listeners: ReadonlySet<() => void>): () => void {
    let lookedAtMs = performance.now();
    return this.#pulse.onBeat((nowMs) => {
      if (nowMs - lookedAtMs < LOOK_MS) return;
      lookedAtMs = nowMs;
      this.isAlive(relay).then(
        (isAlive) => {
          if (!isAlive) for (const listener of listeners) listener();
        },
        // A store that is away says nothing about the relay.
        () => undefined,
      );
    });
  }

  #renewNowAndThen(): () => void {
    let renewedAtMs = performance.now();
    return this.#pulse.onBeat((nowMs) => {
      if (nowMs - renewedAtMs < RENEWAL_MS) return;
      renewedAtMs = nowMs;
      // A renewal that fails is made up for by the next; a store that stays away is noticed by the turns themselves.
      this.#store.commit([], [this.renewal()]).catch(() => undefined);
    });
  }
}
