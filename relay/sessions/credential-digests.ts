/** Which credentials a session has been used with, kept as HMACs, so that a tool call can be told to be that session's. */
import { createHmac } from 'node:crypto';
import type { Store } from '../store/store.ts';

export class CredentialDigests {
  readonly #key: Buffer;

  /** `key`: the same for all relays of one store. */
  constructor(key: Buffer) {
    this.#key = key;
  }

  /** HMAC-SHA-256 of the credential itself: with and without the word `Bearer` in front it is the same one. */
  digest(credential: string): string {
    return createHmac('sha256', this.#key)
      .update(credential.replace(/^bearer +/i, ''))
      .digest('base64url');
  }

  /** Notes that the session was used with this credential. Throws `StoreUnavailableError`. */
  async note(store: Store, sessionId: string, credential: string, expiresAtMs: number): Promise<void> {
    const digest = this.digest(credential);
    if (await this.isOfSession(store, sessionId, digest)) return;
    await store.commit(
      [],
      [
        { type: 'put', key: sessionCredentialKey(sessionId, digest), value: true, expiresAtMs },
        { type: 'put', key: knownCredentialKey(digest), value: true, expiresAtMs },
      ],
    );
  }

  /** Whether any session was used with it that may still be there. */
  async isKnown(store: Store, digest: string): Promise<boolean> {
    return (await store.get(knownCredentialKey(digest))) !== undefined;
  }

  async isOfSession(store: Store, sessionId: string, digest: string): Promise<boolean> {
    return (await store.get(sessionCredentialKey(sessionId, digest))) !== undefined;
  }
}

const sessionCredentialKey = (sessionId: string, digest: string) => `session-credential:${sessionId}:${digest}`;
const knownCredentialKey = (digest: string) => `credential:${digest}`;
