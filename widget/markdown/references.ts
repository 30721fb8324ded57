import type { LinkResolver } from './inline-scanner.ts';
import { type LinkTarget, resolveTarget } from './link-target.ts';

/** A drawn stretch of inline content with a label that is not defined yet. */
export interface WaitingStretch {
  /** The first and the last of its nodes. */
  first: Node;
  last: Node;
  readonly text: string;
}

/** The link definitions of one text, and what waits for those that are not there yet. The first definition of a label counts. */
export class References implements LinkResolver {
  readonly #baseUrl: string;
  readonly #targets = new Map<string, LinkTarget | null>();
  readonly #waiting = new Map<string, Set<WaitingStretch>>();
  readonly #changed = new Set<WaitingStretch>();

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  resolve(destination: string, title: string): LinkTarget | null {
    return resolveTarget(destination, title, this.#baseUrl);
  }

  lookUp(key: string): LinkTarget | null | undefined {
    return this.#targets.get(key);
  }

  define(key: string, destination: string, title: string): void {
    if (this.#targets.has(key)) return;
    this.#targets.set(key, this.resolve(destination, title));
    for (const stretch of this.#waiting.get(key) ?? []) this.#changed.add(stretch);
    this.#waiting.delete(key);
  }

  /** `stretch` is among those of `takeChanged` once one of `keys` is defined. */
  wait(stretch: WaitingStretch, keys: Iterable<string>): void {
    for (const key of keys) {
      const waiting = this.#waiting.get(key);
      if (waiting) waiting.add(stretch);
      else this.#waiting.set(key, new Set([stretch]));
    }
  }

  /** The stretches that have to be drawn again, once. */
  takeChanged(): readonly WaitingStretch[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }
}
