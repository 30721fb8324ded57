import type { DatabaseSync } from 'node:sqlite';
import { holds } from './condition.ts';
import { isSqliteLockError, openSqliteFile, prepareStatements, sqliteUnavailable } from './sqlite-file.ts';
import type {
  CommitResult,
  Condition,
  JsonValue,
  LogEntry,
  LogSlice,
  Store,
  StoredValue,
  Write,
  WriteResult,
} from './store.ts';
import { StoreUnavailableError } from './store.ts';
import { WakeUps } from './wake-ups.ts';

/** How long a commit waits for another process that holds the file before it is rejected. */
const COMMIT_LIMIT_MS = 1_500;
const LOCK_RETRY_MS = 15;
/** One transaction takes up jobs for so long; the rest follows in the next turn of the event loop. */
const TRANSACTION_LIMIT_MS = 8;
const SWEEP_INTERVAL_MS = 30_000;
const SWEEP_STEP_ROWS = 250;
const POLL_INTERVAL_MS = 50;
/** What a check writes and removes again: enough to need pages that a full disk does not have. */
const PROBE_BYTES = 16_384;

interface Row {
  readonly json: string;
  readonly version: number;
  readonly expires_at_ms: number;
}

interface Log {
  readonly id: number;
  readonly last_sequence: number;
  readonly expires_at_ms: number;
}

/** Work that waits for a transaction. */
interface Job {
  /** Runs inside the transaction. Returns what tells the waiting caller, to be called once it is written. */
  readonly work: () => () => void;
  readonly reject: (error: StoreUnavailableError) => void;
  /** On the clock of `performance.now()`. */
  readonly deadlineMs: number;
}

export interface SqliteStoreOptions {
  /** Unix time in milliseconds. */
  readonly now?: () => number;
  readonly sweepIntervalMs?: number;
}

/**
 * A store in one file of this machine, the default. Commits that arrive in the same turn of the event loop share one
 * transaction, and no promise resolves before its transaction is written.
 *
 * What survives: WAL mode with `synchronous=NORMAL` hands every commit to the operating system before its promise resolves
 * and waits for the disk only at checkpoints. A killed process (also `kill -9`) loses nothing that was promised; a machine
 * that loses its power can lose the last seconds, never a part of a commit, and the file stays sound. `FULL` would wait for
 * the disk in every transaction, and all streams would wait with it.
 *
 * Several processes can share the file (a relay beside its successor during a restart). They see each other's commits at
 * once and are woken within 50 ms by a look at `PRAGMA data_version`, which does not say what has changed, so that every
 * topic is woken; several busy relays belong on Redis. The file and its two companions (`-wal`, `-shm`) have mode 600. A
 * file system of the network shares no memory between machines: the file must be on a local one.
 *
 * A full disk, a locked file or a failing disk reject with `StoreUnavailableError`; every call tries anew. A commit that was
 * rejected has not happened.
 * Source: sqlite.org, "Write-Ahead Logging", "PRAGMA synchronous", "PRAGMA data_version".
 */
export class SqliteStore implements Store {
  readonly #database: DatabaseSync;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #wakeUps = new WakeUps();
  readonly #now: () => number;
  readonly #sweeper: NodeJS.Timeout;
  #poller: NodeJS.Timeout | undefined;
  #seenDataVersion = 0;
  #jobs: Job[] = [];
  #isScheduled = false;
  #isSweeping = false;
  #isClosed = false;
  /** Valid within a transaction. */
  #lastVersion = 0;

  /** Opens or creates the file. Throws `StoreUnavailableError`, also for a file that is another program's. */
  constructor(file: string, options: SqliteStoreOptions = {}) {
    this.#now = options.now ?? Date.now;
    this.#database = openSqliteFile(file);
    this.#statements = prepareStatements(this.#database);
    this.#sweeper = setInterval(() => this.#sweep(), options.sweepIntervalMs ?? SWEEP_INTERVAL_MS).unref();
  }

  async get(key: string): Promise<StoredValue | undefined> {
    const row = this.#read(() => this.#row(key));
    return row && { value: JSON.parse(row.json) as JsonValue, version: row.version };
  }

  async commit(conditions: readonly Condition[], writes: readonly Write[]): Promise<CommitResult> {
    const result = await this.#transact(() => this.#commit(conditions, writes));
    if (!result.isCommitted) return result;
    for (const write of writes) {
      if (write.type === 'append') this.#wakeUps.wake(write.log);
      else if (write.type === 'wake') this.#wakeUps.wake(write.topic);
    }
    return result;
  }

  async readLog(log: string, afterSequence: number, limit: number): Promise<LogSlice> {
    return this.#read(() => {
      const kept = this.#log(log);
      if (!kept) return { entries: [], firstSequence: 0, lastSequence: 0 };
      const first = this.#statements.firstSequence.get(kept.id) as { sequence: number };
      const rows = this.#statements.entries.all(kept.id, afterSequence, limit) as unknown as LogEntry[];
      return {
        entries: rows.map(({ sequence, entry }) => ({ sequence, entry })),
        firstSequence: first.sequence,
        lastSequence: kept.last_sequence,
      };
    });
  }

  subscribe(topic: string, listener: () => void): () => void {
    if (this.#isClosed) return () => {};
    if (!this.#poller) {
      this.#seenDataVersion = this.#dataVersion() ?? this.#seenDataVersion;
      this.#poller = setInterval(() => this.#poll(), POLL_INTERVAL_MS).unref();
    }
    return this.#wakeUps.subscribe(topic, listener);
  }

  async check(): Promise<void> {
    await this.#transact(() => this.#statements.fillProbe.run(PROBE_BYTES));
    await this.#transact(() => this.#statements.clearProbe.run());
  }

  /** Writes what was handed over, if no other process holds the file, and closes it. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#sweeper);
    clearInterval(this.#poller);
    this.#wakeUps.clear();
    while (this.#jobs.length > 0 && this.#runJobs());
    for (const job of this.#jobs.splice(0)) job.reject(closedError());
    this.#database.close();
  }

  #read<T>(work: () => T): T {
    if (this.#isClosed) throw closedError();
    try {
      return work();
    } catch (error) {
      throw sqliteUnavailable(error);
    }
  }

  #transact<T>(work: () => T): Promise<T> {
    if (this.#isClosed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      const job: Job = {
        work: () => {
          const result = work();
          return () => resolve(result);
        },
        reject,
        deadlineMs: performance.now() + COMMIT_LIMIT_MS,
      };
      this.#jobs.push(job);
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      setImmediate(() => this.#drain());
    });
  }

  #drain(): void {
    if (this.#isClosed) return;
    const isFree = this.#runJobs();
    this.#isScheduled = this.#jobs.length > 0;
    if (!this.#isScheduled) return;
    if (isFree) setImmediate(() => this.#drain());
    else setTimeout(() => this.#drain(), LOCK_RETRY_MS * (0.5 + Math.random()));
  }

  /** Runs waiting jobs in one transaction. Returns false when another process holds the file: then they wait on. */
  #runJobs(): boolean {
    const begunMs = performance.now();
    try {
      this.#statements.begin.run();
    } catch (error) {
      const isLocked = isSqliteLockError(error);
      const isOver = (job: Job) => !isLocked || job.deadlineMs <= begunMs;
      for (const job of this.#jobs.filter(isOver)) job.reject(sqliteUnavailable(error));
      this.#jobs = this.#jobs.filter((job) => !isOver(job));
      return !isLocked;
    }
    const done: (() => void)[] = [];
    let taken = 0;
    try {
      const { last } = this.#statements.lastVersion.get() as { last: number };
      this.#lastVersion = last;
      for (const job of this.#jobs) {
        taken++;
        done.push(job.work());
        if (performance.now() - begunMs > TRANSACTION_LIMIT_MS) break;
      }
      if (this.#lastVersion > last) this.#statements.setLastVersion.run(this.#lastVersion);
      this.#statements.commit.run();
    } catch (error) {
      this.#rollBack();
      for (const job of this.#jobs.splice(0, taken)) job.reject(sqliteUnavailable(error));
      return true;
    }
    this.#jobs.splice(0, taken);
    for (const settle of done) settle();
    return true;
  }

  #rollBack(): void {
    // After some errors (a full disk) SQLite has rolled back by itself.
    if (this.#database.isTransaction) this.#statements.rollBack.run();
  }

  #commit(conditions: readonly Condition[], writes: readonly Write[]): CommitResult {
    const failed = conditions.find((condition) => !holds(condition, this.#now(), (key) => this.#row(key)));
    if (failed) return { isCommitted: false, failed };
    return { isCommitted: true, results: writes.map((write) => this.#apply(write)) };
  }

  #row(key: string): Row | undefined {
    return this.#statements.row.get(key, this.#now()) as unknown as Row | undefined;
  }

  #log(name: string): Log | undefined {
    return this.#statements.log.get(name, this.#now()) as unknown as Log | undefined;
  }

  #put(key: string, value: JsonValue, expiresAtMs: number): number {
    const version = ++this.#lastVersion;
    this.#statements.put.run(key, JSON.stringify(value), version, expiresAtMs);
    return version;
  }

  #apply(write: Write): WriteResult {
    switch (write.type) {
      case 'put':
        return { type: 'put', version: this.#put(write.key, write.value, write.expiresAtMs) };
      case 'delete':
        this.#statements.delete.run(write.key);
        return { type: 'delete' };
      case 'append':
        return { type: 'append', lastSequence: this.#append(write) };
      case 'delete-log':
        this.#deleteLog(write.log);
        return { type: 'delete-log' };
      case 'add': {
        const row = this.#row(write.key);
        const previous: unknown = row && JSON.parse(row.json);
        const count = (typeof previous === 'number' ? previous : 0) + write.amount;
        const expiresAtMs = row?.expires_at_ms ?? write.expiresAtMs;
        this.#put(write.key, count, expiresAtMs);
        return { type: 'add', count, expiresAtMs };
      }
      case 'wake':
        // Leaves no row behind, but other processes look for a change of the file.
        this.#lastVersion++;
        return { type: 'wake' };
    }
  }

  #append({ log: name, entries, expiresAtMs, keepLast }: Extract<Write, { type: 'append' }>): number {
    const kept = this.#log(name);
    if (!kept && entries.length === 0) return 0;
    const lastSequence = (kept?.last_sequence ?? 0) + entries.length;
    if (kept) {
      this.#statements.moveLog.run(lastSequence, kept.id);
      // Mostly the same as before: then its index need not be written.
      if (kept.expires_at_ms !== expiresAtMs) this.#statements.moveLogExpiry.run(expiresAtMs, kept.id);
    }
    const id = kept?.id ?? this.#addLog(name, lastSequence, expiresAtMs);
    let sequence = lastSequence - entries.length;
    for (const entry of entries) this.#statements.addEntry.run(id, ++sequence, entry);
    if (keepLast !== undefined && lastSequence > keepLast) this.#statements.trim.run(id, lastSequence - keepLast);
    return lastSequence;
  }

  #addLog(name: string, lastSequence: number, expiresAtMs: number): number {
    // One of that name may still lie there, expired.
    this.#deleteLog(name);
    return (this.#statements.addLog.get(name, lastSequence, expiresAtMs) as { id: number }).id;
  }

  /** At once for every reader; its entries leave the file step by step, because a long log would hold up all streams. */
  #deleteLog(name: string): void {
    if (this.#statements.markLogGone.run(name).changes === 0) return;
    this.#statements.deleteLog.run(name);
    setImmediate(() => this.#sweep());
  }

  #dataVersion(): number | undefined {
    try {
      return (this.#statements.dataVersion.get() as { data_version: number }).data_version;
    } catch {
      // Locked for a moment, or a failing disk, which whoever reads or commits is told. The next look may tell more.
      return undefined;
    }
  }

  #poll(): void {
    if (this.#wakeUps.topics().length === 0) {
      clearInterval(this.#poller);
      this.#poller = undefined;
      return;
    }
    const dataVersion = this.#dataVersion();
    if (dataVersion === undefined || dataVersion === this.#seenDataVersion) return;
    this.#seenDataVersion = dataVersion;
    this.#wakeUps.wakeAll();
  }

  /** Removes what is expired or gone, a few rows at a time, with other work in between. */
  #sweep(): void {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    const step = () => {
      if (!this.#isClosed && this.#sweepStep()) setImmediate(step);
      else this.#isSweeping = false;
    };
    step();
  }

  /** Returns whether there may be more to remove. */
  #sweepStep(): boolean {
    const statements = this.#statements;
    try {
      statements.begin.run();
      const isMore = this.#sweepRows() || this.#sweepGoneLogs() || this.#markExpiredLogsGone();
      statements.commit.run();
      return isMore;
    } catch {
      // Locked or full: whoever commits is told; the next sweep tries again.
      this.#rollBack();
      return false;
    }
  }

  #sweepRows(): boolean {
    return this.#statements.sweepRows.run(this.#now(), SWEEP_STEP_ROWS).changes > 0;
  }

  #sweepGoneLogs(): boolean {
    let budget = SWEEP_STEP_ROWS;
    let isMore = false;
    while (budget > 0) {
      const gone = this.#statements.goneLog.get() as { id: number } | undefined;
      if (!gone) break;
      isMore = true;
      const removed = Number(this.#statements.sweepEntries.run(gone.id, gone.id, budget).changes);
      if (removed < budget) this.#statements.forgetGoneLog.run(gone.id);
      budget -= removed + 1;
    }
    return isMore;
  }

  #markExpiredLogsGone(): boolean {
    if (this.#statements.markExpiredLogsGone.run(this.#now(), SWEEP_STEP_ROWS).changes === 0) return false;
    this.#statements.deleteGoneLogs.run();
    return true;
  }
}

function closedError(): StoreUnavailableError {
  return new StoreUnavailableError('the store is closed');
}
