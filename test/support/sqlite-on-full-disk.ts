/**
 * A process of its own that fills the disk under a SQLite store and makes room again: `node sqlite-on-full-disk.ts
 * <directory>`, where the directory is a small file system of its own. Prints what happened as one JSON object.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SqliteStore } from '../../relay/store/sqlite-store.ts';
import { StoreUnavailableError } from '../../relay/store/store.ts';

const directory = process.argv[2] ?? '';
const ballast = join(directory, 'ballast');
const expiresAtMs = Date.now() + 3_600_000;
const store = new SqliteStore(join(directory, 'store.sqlite'));
const promised: string[] = [];

/** `undefined`: it went well. Otherwise the message of the `StoreUnavailableError`. */
async function problemOf(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    return error.message;
  }
}

async function append(entry: string): Promise<string | undefined> {
  const problem = await problemOf(store.commit([], [{ type: 'append', log: 'log', entries: [entry], expiresAtMs }]));
  if (problem === undefined) promised.push(entry);
  return problem;
}

function fillDisk(): void {
  for (let size = 65_536; size >= 1; ) {
    try {
      writeFileSync(ballast, Buffer.alloc(size, 1), { flag: 'a' });
    } catch {
      size = Math.floor(size / 2);
    }
  }
}

const before = await append('before');
fillDisk();
const whileFull: (string | undefined)[] = [];
for (let count = 0; count < 40; count++) whileFull.push(await append(`${count} ${'x'.repeat(20_000)}`));
const checkWhileFull = await problemOf(store.check());
const readWhileFull = await problemOf(store.readLog('log', 0, 1));
rmSync(ballast);
const after = await append('after');
const checkAfter = await problemOf(store.check());
const { entries } = await store.readLog('log', 0, 1_000);
await store.close();

console.log(
  JSON.stringify({
    before: before ?? 'written',
    refused: whileFull.filter((problem) => problem !== undefined),
    checkWhileFull: checkWhileFull ?? 'ready',
    readWhileFull: readWhileFull ?? 'read',
    after: after ?? 'written',
    checkAfter: checkAfter ?? 'ready',
    isExact: JSON.stringify(entries.map(({ entry }) => entry)) === JSON.stringify(promised),
    isGapless: entries.every(({ sequence }, index) => sequence === index + 1),
  }),
);
