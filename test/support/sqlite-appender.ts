/**
 * A process of its own that appends to a log of a SQLite store for as long as it lives: `node sqlite-appender.ts <file> <log>
 * <writer>`. Prints the last sequence of each commit as soon as the store has promised it, one number a line. Several commits
 * are under way at once; each entry is `<writer> <n>`, with n counting up from 1.
 */
import { writeSync } from 'node:fs';
import { SqliteStore } from '../../relay/store/sqlite-store.ts';

const [file = '', log = '', writer = ''] = process.argv.slice(2);
const AT_ONCE = 8;
const store = new SqliteStore(file);
const expiresAtMs = Date.now() + 3_600_000;
let count = 0;

for (;;) {
  const commits = Array.from({ length: AT_ONCE }, () => {
    const entries = [`${writer} ${++count}`, `${writer} ${++count}`];
    return store.commit([], [{ type: 'append', log, entries, expiresAtMs }]);
  });
  for (const result of await Promise.all(commits)) {
    const [appended] = result.isCommitted ? result.results : [];
    // Synchronous, so that a killed process has said everything that it was promised.
    if (appended?.type === 'append') writeSync(1, `${appended.lastSequence}\n`);
  }
}
