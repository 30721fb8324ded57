/**
 * The subscriptions of this process: who wants to be woken for which topic. Wake-ups of one topic that come in the same
 * moment are one call, so that a reader looks once at what a batch of commits has written; and a listener runs outside
 * of whoever woke it, so that its fault is not the writer's.
 */
export class WakeUps {
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #woken = new Set<string>();

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
    if (!this.#listeners.has(topic)) return;
    if (this.#woken.size === 0) queueMicrotask(() => this.#deliver());
    this.#woken.add(topic);
  }

  wakeAll(): void {
    for (const topic of this.#listeners.keys()) this.wake(topic);
  }

  has(topic: string): boolean {
    return this.#listeners.has(topic);
  }

  /** The topics that somebody waits for. */
  topics(): readonly string[] {
    return [...this.#listeners.keys()];
  }

  /** Ends every subscription. */
  clear(): void {
    this.#listeners.clear();
    this.#woken.clear();
  }

  #deliver(): void {
    const topics = [...this.#woken];
    this.#woken.clear();
    for (const topic of topics) {
      const listeners = this.#listeners.get(topic);
      // A copy, because a listener may end its subscription and begin another while it runs.
      for (const listener of [...(listeners ?? [])]) if (listeners?.has(listener)) listener();
    }
  }
}
