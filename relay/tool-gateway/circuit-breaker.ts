/**
 * Spares an API that does not answer: after a row of failures nothing is sent for a while, then one call tries. Kept by each
 * relay for itself, since each has its own way to the API.
 */
export class CircuitBreaker {
  readonly #now: () => number;
  #failures = 0;
  #opensAtMs = 0;
  #isTrying = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds until a call may try, or 0: it may go now, and must then be told to `settle`. */
  admit(): number {
    if (this.#failures < FAILURES) return 0;
    const waitMs = this.#opensAtMs - this.#now();
    if (waitMs > 0) return waitMs;
    if (this.#isTrying) return RETRY_WHILE_TRYING_MS;
    this.#isTrying = true;
    return 0;
  }

  /** `undefined`: the call says nothing about the API, such as one that its caller has given up. */
  settle(isAnswered: boolean | undefined): void {
    this.#isTrying = false;
    if (isAnswered === undefined) return;
    if (isAnswered) {
      this.#failures = 0;
      return;
    }
    this.#failures += 1;
    this.#opensAtMs = this.#now() + PAUSE_MS;
  }
}

const FAILURES = 5;
const PAUSE_MS = 10_000;
const RETRY_WHILE_TRYING_MS = 1_000;
