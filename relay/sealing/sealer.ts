import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey, type Secrets } from './secrets.ts';

/** The first byte of everything sealed: how the rest is to be read. */
const VERSION = 1;
const KEY_BYTES = 32;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES;

interface SealingKey {
  /** Tells which secret a text was sealed under, and nothing about it. */
  readonly id: Buffer;
  readonly key: Buffer;
}

/** A sealed text cannot be opened: another secret, another owner, or it was changed. Which of them cannot be told. */
export class SealedTextError extends Error {
  override readonly name = 'SealedTextError';
}

/**
 * Keeps texts unreadable where they are stored (AES-256-GCM, a random nonce each). A sealed text is bound to its owner: taken
 * to another's place in the store, it does not open there. Sealed under the first secret, opened under any.
 *
 * One secret seals some four thousand million texts before a nonce may repeat (NIST SP 800-38D, 8.3), which is one for each
 * session of a million an hour for almost half a year.
 */
export class Sealer {
  readonly #keys: readonly [SealingKey, ...SealingKey[]];

  constructor(secrets: Secrets) {
    const [first, ...others] = secrets;
    this.#keys = [toSealingKey(first), ...others.map(toSealingKey)];
  }

  /** `owner`: what the text belongs to and stands for, like `session-secret:<session id>`. Returns base64url. */
  seal(text: string, owner: string): string {
    const [{ id, key }] = this.#keys;
    const header = Buffer.concat([Buffer.of(VERSION), id, randomBytes(NONCE_BYTES)]);
    const cipher = createCipheriv('aes-256-gcm', key, header.subarray(-NONCE_BYTES));
    cipher.setAAD(associatedData(header, owner));
    return Buffer.concat([header, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
      'base64url',
    );
  }

  /** Throws `SealedTextError`. */
  open(sealed: string, owner: string): string {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < HEADER_BYTES + TAG_BYTES || bytes[0] !== VERSION) throw new SealedTextError('not a sealed text');
    const header = bytes.subarray(0, HEADER_BYTES);
    const id = header.subarray(1, 1 + KEY_ID_BYTES);
    for (const candidate of this.#keys) {
      if (!candidate.id.equals(id)) continue;
      const decipher = createDecipheriv('aes-256-gcm', candidate.key, header.subarray(-NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(associatedData(header, owner));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const text = decipher.update(bytes.subarray(HEADER_BYTES, -TAG_BYTES));
      try {
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new SealedTextError('sealed for another owner, or changed', { cause });
      }
    }
    throw new SealedTextError('sealed under another secret');
  }
}

/** The header too, so that version and key cannot be exchanged. */
function associatedData(header: Buffer, owner: string): Buffer {
  return Buffer.concat([header, Buffer.from(owner, 'utf8')]);
}

function toSealingKey(secret: string): SealingKey {
  return { id: deriveKey(secret, 'sealing key id', KEY_ID_BYTES), key: deriveKey(secret, 'sealing', KEY_BYTES) };
}
