import { randomBytes } from 'node:crypto';
import { link, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StoreSettingError } from '../store/store-setting-error.ts';

const KEY_BYTES = 32;
const OTHERS_MODE = 0o077;

/**
 * The secret in a file that only its owner can read, made when it is not there: for a relay whose store is a file of the
 * same machine. Several processes that start at once get the same one. Throws `StoreSettingError` for a file that others
 * can read (its secret may be known) or that holds no secret.
 */
export async function loadOrCreateKeyFile(path: string): Promise<string> {
  try {
    return (await readKeyFile(path)) ?? (await createKeyFile(path));
  } catch (cause) {
    if (cause instanceof StoreSettingError) throw cause;
    const reason = cause instanceof Error ? cause.message : cause;
    throw new StoreSettingError('PARLEY_SECRET', `is not set, and the key file cannot be used instead: ${reason}.`, {
      cause,
    });
  }
}

async function readKeyFile(path: string): Promise<string | undefined> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return undefined;
  try {
    // Asked of the open file, so that it cannot be exchanged in between. Windows has no such mode.
    const { mode } = await file.stat();
    if (process.platform !== 'win32' && (mode & OTHERS_MODE) !== 0) {
      const shown = (mode & 0o777).toString(8);
      throw new StoreSettingError(
        'PARLEY_SECRET',
        `the key file ${path} can be read by others (mode ${shown}, expected 600); if nobody has, run: chmod 600 ${path}`,
      );
    }
    const secret = (await file.readFile('utf8')).trim();
    if (Buffer.byteLength(secret) < KEY_BYTES) {
      throw new StoreSettingError(
        'PARLEY_SECRET',
        `the key file ${path} holds no secret of at least ${KEY_BYTES} bytes.`,
      );
    }
    return secret;
  } finally {
    await file.close();
  }
}

async function createKeyFile(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  await writeFile(draft, `${randomBytes(KEY_BYTES).toString('base64url')}\n`, { flag: 'wx', mode: 0o600, flush: true });
  try {
    // A link appears whole or not at all, and fails where another process was quicker: then its secret counts.
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft);
  }
  const secret = await readKeyFile(path);
  if (secret === undefined) throw new Error(`${path} was removed while it was made`);
  return secret;
}
