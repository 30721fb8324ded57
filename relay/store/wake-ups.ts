/** The subscriptions of this process: who wants to be woken for which topic. */
export class WakeUps {
  readonly #listeners = new Map<string, Set<() => void>>();

  /** Returns the function that ends the subscription; calling it twice does no harm. */
  subscribe(topic: string, listener: () => void): () => void {
    let listeners = this.#listeners.get(topic);
    if (!listeners) {
      listeners = new Set();
      this.#listeners.set(topic, listeners);
    }
    // A listener of one's own per subscription, so that the same function subscribed twice is two subscriptions.
    const own = () => listener();
    listeners.add(own);
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#listeners.get(topic) === listeners) this.#listeners.delete(topic);
    };
  }

  wake(topic: string): void {
    for (const listener of this.#listeners.get(topic) ?? []) listener();
  }

  /** The topics that somebody waits for. */
  topics(): readonly string[] {
    return [...this.#listeners.keys()];
  }
}
