import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreUnavailableError } from './store.ts';

const OPEN_LOCK_WAIT_MS = 5_000;
/** SQLite's own waiting blocks the event loop, so it is only long enough for another process's usual transaction. */
const BLOCKING_LOCK_WAIT_MS = 5;
const WAL_LIMIT_BYTES = 64 * 1024 * 1024;

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;

/** Marks the file as this store's ("Prly"), so that a wrong path never writes into somebody else's database. */
const APPLICATION_ID = 0x50726c79;
const SCHEMA_VERSION = 1;
const SCHEMA = `
  CREATE TABLE rows (
    key TEXT PRIMARY KEY, json TEXT NOT NULL, version INTEGER NOT NULL, expires_at_ms INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX rows_by_expiry ON rows (expires_at_ms);
  -- AUTOINCREMENT, so that the entries of a log that is gone can never be taken for those of a new one.
  CREATE TABLE logs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, last_sequence INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL
  );
  CREATE INDEX logs_by_expiry ON logs (expires_at_ms);
  CREATE TABLE entries (
    log_id INTEGER NOT NULL, sequence INTEGER NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (log_id, sequence)
  ) WITHOUT ROWID;
  -- Logs that are gone and whose entries are still to be removed, in small steps.
  CREATE TABLE gone_logs (id INTEGER PRIMARY KEY);
  -- Where versions are drawn from.
  CREATE TABLE versions (id INTEGER PRIMARY KEY CHECK (id = 1), last INTEGER NOT NULL);
  INSERT INTO versions VALUES (1, 0);
  CREATE TABLE probe (id INTEGER PRIMARY KEY, filler BLOB NOT NULL);
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** Opens or creates the file, mode 600, in WAL mode. Throws `StoreUnavailableError`, also for a file that is another's. */
export function openSqliteFile(file: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Before SQLite sees it: SQLite would create it readable by others, and gives the companions the mode of the file.
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
    database = new DatabaseSync(file, { timeout: OPEN_LOCK_WAIT_MS });
    setUp(database);
    return database;
  } catch (error) {
    database?.close();
    throw sqliteUnavailable(error, `the file ${file} cannot be used`);
  }
}

function setUp(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE');
  if (pragma(database, 'application_id') === APPLICATION_ID) {
    const version = pragma(database, 'user_version');
    if (version !== SCHEMA_VERSION) {
      throw new Error(`it was written by another version of Parley (schema ${version}, expected ${SCHEMA_VERSION})`);
    }
  } else {
    const tables = database.prepare('SELECT count(*) AS count FROM sqlite_schema').get() as { count: number };
    if (tables.count > 0) throw new Error('it is a database of another program');
    database.exec(SCHEMA);
  }
  database.exec('COMMIT');
  if (pragma(database, 'journal_mode = WAL') !== 'wal') {
    throw new Error('its file system cannot share memory between processes, which write-ahead logging needs');
  }
  database.exec(`
    PRAGMA synchronous = NORMAL;
    -- What visitors wrote is overwritten when it is deleted, wherever that costs no extra page.
    PRAGMA secure_delete = FAST;
    PRAGMA temp_store = MEMORY;
    PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES};
    PRAGMA busy_timeout = ${BLOCKING_LOCK_WAIT_MS};
  `);
}

function pragma(database: DatabaseSync, name: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

/** The statements of the store, compiled once. */
export function prepareStatements(database: DatabaseSync) {
  return {
    begin: database.prepare('BEGIN IMMEDIATE'),
    commit: database.prepare('COMMIT'),
    rollBack: database.prepare('ROLLBACK'),
    dataVersion: database.prepare('PRAGMA data_version'),

    lastVersion: database.prepare('SELECT last FROM versions'),
    setLastVersion: database.prepare('UPDATE versions SET last = ?'),
    row: database.prepare('SELECT json, version, expires_at_ms FROM rows WHERE key = ? AND expires_at_ms > ?'),
    put: database.prepare(
      'INSERT INTO rows VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET json = excluded.json, ' +
        'version = excluded.version, expires_at_ms = excluded.expires_at_ms',
    ),
    delete: database.prepare('DELETE FROM rows WHERE key = ?'),

    log: database.prepare('SELECT id, last_sequence, expires_at_ms FROM logs WHERE name = ? AND expires_at_ms > ?'),
    addLog: database.prepare('INSERT INTO logs (name, last_sequence, expires_at_ms) VALUES (?, ?, ?) RETURNING id'),
    moveLog: database.prepare('UPDATE logs SET last_sequence = ? WHERE id = ?'),
    moveLogExpiry: database.prepare('UPDATE logs SET expires_at_ms = ? WHERE id = ?'),
    markLogGone: database.prepare('INSERT INTO gone_logs SELECT id FROM logs WHERE name = ?'),
    deleteLog: database.prepare('DELETE FROM logs WHERE name = ?'),
    addEntry: database.prepare('INSERT INTO entries VALUES (?, ?, ?)'),
    trim: database.prepare('DELETE FROM entries WHERE log_id = ? AND sequence <= ?'),
    firstSequence: database.prepare('SELECT min(sequence) AS sequence FROM entries WHERE log_id = ?'),
    entries: database.prepare(
      'SELECT sequence, entry FROM entries WHERE log_id = ? AND sequence > ? ORDER BY sequence LIMIT ?',
    ),

    sweepRows: database.prepare(
      'DELETE FROM rows WHERE key IN (SELECT key FROM rows WHERE expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ?)',
    ),
    markExpiredLogsGone: database.prepare(
      'INSERT INTO gone_logs SELECT id FROM logs WHERE expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ?',
    ),
    deleteGoneLogs: database.prepare('DELETE FROM logs WHERE id IN (SELECT id FROM gone_logs)'),
    goneLog: database.prepare('SELECT id FROM gone_logs LIMIT 1'),
    sweepEntries: database.prepare(
      'DELETE FROM entries WHERE log_id = ? AND sequence IN (SELECT sequence FROM entries WHERE log_id = ? LIMIT ?)',
    ),
    forgetGoneLog: database.prepare('DELETE FROM gone_logs WHERE id = ?'),

    fillProbe: database.prepare('INSERT INTO probe (filler) VALUES (zeroblob(?))'),
    clearProbe: database.prepare('DELETE FROM probe'),
  };
}

/** Whether another process holds the file just now, so that trying again soon can help. */
export function isSqliteLockError(error: unknown): boolean {
  // The low byte is the primary code; the rest of it says which kind of lock.
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
  return code === SQLITE_BUSY || code === SQLITE_LOCKED;
}

export function sqliteUnavailable(error: unknown, what = 'the SQLite store cannot be used'): StoreUnavailableError {
  return new StoreUnavailableError(`${what}: ${error instanceof Error ? error.message : error}`, { cause: error });
}
