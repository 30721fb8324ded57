/** One timer for everything in the relay that has to look at the clock now and then, however many streams are open. */
export const PULSE_MS = 250;

export class Pulse {
  readonly #listeners = new Set<(nowMs: number) => void>();
  #timer: NodeJS.Timeout | undefined;

  /** Calls `listener` about four times a second, with a clock that never goes back. Returns the function that ends it. */
  onBeat(listener: (nowMs: number) => void): () => void {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => this.#beat(), PULSE_MS).unref();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #beat(): void {
    const nowMs = performance.now();
    for (const listener of this.#listeners) listener(nowMs);
  }
}
