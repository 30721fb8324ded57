/** Waits for news in a session's log: a wake-up from the store, or the time to look again without one. */
import type { Pulse } from '../pulse.ts';
import type { Store } from '../store/store.ts';

/** Wake-ups can get lost. They hardly do, and thousands wait at once: not often, and not all in the same moment. */
const LOOK_AGAIN_MS = 5_000;
const JITTER = 0.25;

export class LogWatch {
  readonly #store: Store;
  readonly #log: string;
  readonly #pulse: Pulse;
  #hasNews = false;
  #wake: (() => void) | undefined;
  #stop: (() => void) | undefined;

  constructor(store: Store, log: string, pulse: Pulse) {
    this.#store = store;
    this.#log = log;
    this.#pulse = pulse;
  }

  /**
   * Resolves when there may be something new since the last call; rejects with the signal's reason. The first call resolves at
   * once: only from then on is the log watched, since most readers never have to.
   */
  async change(signal: AbortSignal): Promise<void> {
    if (!this.#stop) {
      this.#stop = this.#watch();
      return;
    }
    if (!this.#hasNews) {
      await waitFor(signal, (resolve) => {
        this.#wake = resolve;
      });
    }
    this.#hasNews = false;
  }

  /** Resolves at the next beat of the relay's clock. */
  async beat(signal: AbortSignal): Promise<void> {
    let stop: (() => void) | undefined;
    try {
      await waitFor(signal, (resolve) => {
        stop = this.#pulse.onBeat(() => resolve());
      });
    } finally {
      stop?.();
    }
  }

  close(): void {
    this.#stop?.();
  }

  #watch(): () => void {
    const everyMs = LOOK_AGAIN_MS * (1 - JITTER + 2 * JITTER * Math.random());
    let lookedAtMs = performance.now();
    const unsubscribe = this.#store.subscribe(this.#log, () => this.news());
    const stopPulse = this.#pulse.onBeat((nowMs) => {
      if (nowMs - lookedAtMs < everyMs) return;
      lookedAtMs = nowMs;
      this.news();
    });
    return () => {
      unsubscribe();
      stopPulse();
    };
  }

  /** Says that there may be something new, of which the store gives no word. */
  news(): void {
    this.#hasNews = true;
    this.#wake?.();
  }
}

async function waitFor(signal: AbortSignal, begin: (resolve: () => void) => void): Promise<void> {
  signal.throwIfAborted();
  let onAbort: (() => void) | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      begin(resolve);
    });
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort);
  }
}
