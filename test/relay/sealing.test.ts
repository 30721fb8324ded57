import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { loadOrCreateKeyFile } from '../../relay/sealing/key-file.ts';
import { SealedTextError, Sealer } from '../../relay/sealing/sealer.ts';
import { openSecrets, parseSecrets } from '../../relay/sealing/secrets.ts';
import { StoreSettingError } from '../../relay/store/store-setting-error.ts';

const OLD = 'old secret of more than thirty-two bytes';
const NEW = 'new secret of more than thirty-two bytes';
const OWNER = 'session-secret:abc';

async function temporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-sealing-'));
  t.after(() => rm(directory, { recursive: true }));
  return directory;
}

describe('a sealed text', () => {
  const sealer = new Sealer([NEW]);

  test('opens to what was sealed, for its owner', () => {
    for (const text of ['', 'secret', 'ä€😀', 'x'.repeat(10_000)]) {
      assert.equal(sealer.open(sealer.seal(text, OWNER), OWNER), text);
    }
  });

  test('shows nothing of the text, and never looks the same twice', () => {
    const sealed = [sealer.seal('host-secret', OWNER), sealer.seal('host-secret', OWNER)];
    assert.notEqual(sealed[0], sealed[1]);
    for (const text of sealed) assert.ok(!Buffer.from(text, 'base64url').includes('host-secret'));
  });

  test('does not open for another session or another purpose', () => {
    const sealed = sealer.seal('secret', OWNER);
    for (const owner of ['session-secret:abd', 'credential:abc', '']) {
      assert.throws(() => sealer.open(sealed, owner), SealedTextError);
    }
  });

  test('does not open when any byte of it was changed, or when it was cut', () => {
    const bytes = Buffer.from(sealer.seal('secret', OWNER), 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      assert.throws(() => sealer.open(changed.toString('base64url'), OWNER), SealedTextError, `byte ${at}`);
      assert.throws(
        () => sealer.open(bytes.subarray(0, at).toString('base64url'), OWNER),
        SealedTextError,
        `cut ${at}`,
      );
    }
    assert.throws(() => sealer.open('no base64url at all!', OWNER), SealedTextError);
  });

  test('opens after the secret was changed, as long as the old one is still listed', () => {
    const sealed = new Sealer([OLD]).seal('secret', OWNER);
    assert.equal(new Sealer([NEW, OLD]).open(sealed, OWNER), 'secret');
    assert.throws(() => new Sealer([NEW]).open(sealed, OWNER), SealedTextError);
  });

  test('is sealed under the first of several secrets', () => {
    const sealed = new Sealer([NEW, OLD]).seal('secret', OWNER);
    assert.equal(new Sealer([NEW]).open(sealed, OWNER), 'secret');
    assert.throws(() => new Sealer([OLD]).open(sealed, OWNER), SealedTextError);
  });
});

describe('PARLEY_SECRET', () => {
  test('is one secret, or several with commas between', () => {
    assert.deepEqual(parseSecrets(NEW), [NEW]);
    assert.deepEqual(parseSecrets(`${NEW}, ${OLD}`), [NEW, OLD]);
  });

  test('that is too short is refused by a sentence that names it, its length and what is expected, and does not repeat it', () => {
    for (const [setting, bytes] of [
      ['', '0 bytes'],
      ['short-secret', '12 bytes'],
      [`${NEW},short-secret`, 'secret 2 of 2 has 12 bytes'],
      [`${NEW},`, 'secret 2 of 2 has 0 bytes'],
    ] as const) {
      assert.throws(
        () => parseSecrets(setting),
        (error) =>
          error instanceof StoreSettingError &&
          error.setting === 'PARLEY_SECRET' &&
          error.message.startsWith('PARLEY_SECRET: ') &&
          error.message.includes(bytes) &&
          error.message.includes('at least 32') &&
          !error.message.includes('short-secret') &&
          !error.message.includes(NEW),
      );
    }
  });

  test('of 32 bytes is enough, counted in bytes and not in characters', () => {
    assert.deepEqual(parseSecrets('ä'.repeat(16)), ['ä'.repeat(16)]);
    assert.throws(() => parseSecrets('a'.repeat(31)), StoreSettingError);
  });

  test('that is missing is refused for Redis, whose other relays could not read what this one sealed', async () => {
    const opening = openSecrets({ type: 'redis', url: 'redis://user:hidden@127.0.0.1' }, undefined);
    await assert.rejects(opening, (error) => error instanceof StoreSettingError && !error.message.includes('hidden'));
    assert.deepEqual(await openSecrets({ type: 'redis', url: 'redis://127.0.0.1' }, NEW), [NEW]);
  });

  test('that is missing is made anew for a store in memory, each time', async () => {
    const [first] = await openSecrets({ type: 'memory' }, undefined);
    const [second] = await openSecrets({ type: 'memory' }, undefined);
    assert.notEqual(first, second);
  });

  test('that is missing is kept in a file beside a SQLite store, the same at each start', async (t) => {
    const file = join(await temporaryDirectory(t), 'store.sqlite');
    const secrets = await openSecrets({ type: 'sqlite', file }, undefined);
    assert.deepEqual(await openSecrets({ type: 'sqlite', file }, undefined), secrets);
    assert.equal((await stat(`${file}.key`)).mode & 0o777, 0o600);
    assert.deepEqual(await openSecrets({ type: 'sqlite', file }, NEW), [NEW]);
  });
});

describe('the key file', () => {
  test('is one for all that make it at the same moment, and leaves nothing else behind', async (t) => {
    const directory = join(await temporaryDirectory(t), 'new');
    const secrets = await Promise.all(Array.from({ length: 10 }, () => loadOrCreateKeyFile(join(directory, 'key'))));
    assert.equal(new Set(secrets).size, 1);
    assert.ok(Buffer.byteLength(secrets[0] ?? '') >= 32);
    assert.deepEqual(await readdir(directory), ['key']);
  });

  test('that others can read is refused by a sentence that says what to do', async (t) => {
    const path = join(await temporaryDirectory(t), 'key');
    await loadOrCreateKeyFile(path);
    for (const mode of [0o640, 0o604, 0o660]) {
      await chmod(path, mode);
      await assert.rejects(
        loadOrCreateKeyFile(path),
        (error) => error instanceof StoreSettingError && error.message.includes(`chmod 600 ${path}`),
      );
    }
  });

  test('that is empty or cut is refused and stays as it is', async (t) => {
    const path = join(await temporaryDirectory(t), 'key');
    await writeFile(path, 'short\n', { mode: 0o600 });
    await assert.rejects(loadOrCreateKeyFile(path), StoreSettingError);
    assert.equal((await stat(path)).size, 6);
  });

  test('that cannot be made says why', async (t) => {
    const directory = await temporaryDirectory(t);
    await writeFile(join(directory, 'file'), '');
    await assert.rejects(loadOrCreateKeyFile(join(directory, 'file', 'key')), StoreSettingError);
  });
});
