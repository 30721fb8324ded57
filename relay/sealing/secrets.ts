import { hkdfSync, randomBytes } from 'node:crypto';
import type { StoreLocation } from '../store/open-store.ts';
import { StoreSettingError } from '../store/store-setting-error.ts';
import { loadOrCreateKeyFile } from './key-file.ts';

/** What all keys are derived from. The first is used for what is new; the others still open what is older. */
export type Secrets = readonly [string, ...string[]];

const MIN_SECRET_BYTES = 32;
const MAKE_ONE = 'for example one made by: openssl rand -base64 48';

/**
 * The secrets for what lies in that store. `setting`: `PARLEY_SECRET`. Without it a store of this process alone gets a random
 * one, a SQLite file gets a key file beside it (`<file>.key`), and Redis, which other relays may share, is refused. Throws
 * `StoreSettingError`.
 */
export async function openSecrets(location: StoreLocation, setting: string | undefined): Promise<Secrets> {
  if (setting !== undefined) return parseSecrets(setting);
  switch (location.type) {
    case 'memory':
      return [randomBytes(MIN_SECRET_BYTES).toString('base64url')];
    case 'sqlite':
      return [await loadOrCreateKeyFile(`${location.file}.key`)];
    case 'redis':
      throw new StoreSettingError(
        'PARLEY_SECRET',
        `is missing: with a Redis store every relay needs the same secret of at least ${MIN_SECRET_BYTES} bytes, ${MAKE_ONE}`,
      );
  }
}

/**
 * Reads `PARLEY_SECRET`: one secret, or several with commas between, the newest first. To change it, put a new one in front
 * on every relay, and take the old one away when what it sealed is over (two hours). Throws `StoreSettingError`.
 */
export function parseSecrets(setting: string): Secrets {
  const [first = '', ...others] = setting.split(',').map((secret) => secret.trim());
  const secrets: Secrets = [first, ...others];
  const short = secrets.findIndex((secret) => Buffer.byteLength(secret) < MIN_SECRET_BYTES);
  if (short !== -1) {
    const which = secrets.length > 1 ? `secret ${short + 1} of ${secrets.length}` : 'the secret';
    const received = Buffer.byteLength(secrets[short] ?? '');
    throw new StoreSettingError(
      'PARLEY_SECRET',
      `${which} has ${received} bytes, expected at least ${MIN_SECRET_BYTES} random ones, ${MAKE_ONE}`,
    );
  }
  return secrets;
}

/** A key of so many bytes for one purpose, by HKDF-SHA-256 (RFC 5869): no key tells anything about one for another purpose. */
export function deriveKey(secret: string, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'parley', purpose, bytes));
}
