/**
 * Where a page keeps the key to its session, so that the conversation is there again after a reload (`tab`) or on the next
 * visit (`device`). A page that may not store keeps it in memory, silently: the conversation then ends with the page.
 */
import type { SessionAccess } from './relay-client.ts';

export interface StoredSession extends SessionAccess {
  /** Unix milliseconds by this device's clock. */
  readonly expiresAtMs: number;
  /** For whom it was begun; somebody else's conversation is not shown. */
  readonly owner: string;
}

export class SessionStorage {
  readonly #storage: Storage | undefined;
  readonly #key: string;

  constructor(storage: Storage | undefined, key: string) {
    this.#storage = storage;
    this.#key = key;
  }

  load(): StoredSession | undefined {
    try {
      const { sessionId, token, expiresAtMs, owner } = JSON.parse(this.#storage?.getItem(this.#key) ?? '{}');
      const isWhole = typeof sessionId === 'string' && typeof token === 'string' && typeof expiresAtMs === 'number';
      return isWhole ? { sessionId, token, expiresAtMs, owner: String(owner) } : undefined;
    } catch {
      return undefined;
    }
  }

  save(session: StoredSession): void {
    try {
      this.#storage?.setItem(this.#key, JSON.stringify(session));
    } catch {
      // Full or forbidden: memory has it.
    }
  }

  /** Forgets this session, but not one that was begun since in another tab. */
  clear(sessionId: string): void {
    try {
      if (this.load()?.sessionId === sessionId) this.#storage?.removeItem(this.#key);
    } catch {
      // Nothing was stored where nothing can be removed.
    }
  }
}
