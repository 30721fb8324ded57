import { setImmediate as nextTurn } from 'node:timers/promises';
import { holds } from './condition.ts';
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

const SWEEP_INTERVAL_MS = 30_000;
const SWEEP_STEP = 5_000;
/** Dropped entries leave the array in lots of at least this many: moving it for every single one would cost its length. */
const MIN_COMPACTION = 256;

interface Row {
  /** JSON text, so that a value that is changed by its owner afterwards does not change in the store. */
  readonly json: string;
  readonly version: number;
  readonly expiresAtMs: number;
}

interface Log {
  /** The kept entries begin at `start`; what lies before is dropped already. */
  entries: string[];
  start: number;
  lastSequence: number;
  expiresAtMs: number;
}

export interface MemoryStoreOptions {
  /** Unix time in milliseconds. */
  readonly now?: () => number;
  readonly sweepIntervalMs?: number;
}

/** A store for one relay that forgets everything when the process ends. */
export class MemoryStore implements Store {
  readonly #rows = new Map<string, Row>();
  readonly #logs = new Map<string, Log>();
  readonly #wakeUps = new WakeUps();
  readonly #now: () => number;
  readonly #sweeper: NodeJS.Timeout;
  #lastVersion = 0;
  #isClosed = false;

  constructor(options: MemoryStoreOptions = {}) {
    this.#now = options.now ?? Date.now;
    this.#sweeper = setInterval(() => void this.#sweep(), options.sweepIntervalMs ?? SWEEP_INTERVAL_MS).unref();
  }

  async get(key: string): Promise<StoredValue | undefined> {
    this.#assertOpen();
    const row = this.#row(key);
    return row && { value: JSON.parse(row.json) as JsonValue, version: row.version };
  }

  async commit(conditions: readonly Condition[], writes: readonly Write[]): Promise<CommitResult> {
    return this.commitNow(conditions, writes);
  }

  commitNow(conditions: readonly Condition[], writes: readonly Write[]): CommitResult {
    this.#assertOpen();
    const nowMs = this.#now();
    for (const condition of conditions) {
      if (!holds(condition, nowMs, this.#rowOf)) return { isCommitted: false, failed: condition };
    }
    const results = writes.map((write) => this.#apply(write));
    for (const write of writes) {
      if (write.type === 'append') this.#wakeUps.wake(write.log);
      else if (write.type === 'wake') this.#wakeUps.wake(write.topic);
    }
    return { isCommitted: true, results };
  }

  async readLog(log: string, afterSequence: number, limit: number): Promise<LogSlice> {
    this.#assertOpen();
    const kept = this.#log(log);
    if (!kept) return { entries: [], firstSequence: 0, lastSequence: 0 };
    const firstSequence = kept.lastSequence - (kept.entries.length - kept.start) + 1;
    const from = Math.max(firstSequence, afterSequence + 1);
    const start = kept.start + from - firstSequence;
    const entries: LogEntry[] = kept.entries
      .slice(start, start + limit)
      .map((entry, index) => ({ sequence: from + index, entry }));
    return { entries, firstSequence, lastSequence: kept.lastSequence };
  }

  subscribe(topic: string, listener: () => void): () => void {
    return this.#wakeUps.subscribe(topic, listener);
  }

  async check(): Promise<void> {
    this.#assertOpen();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweeper);
    this.#wakeUps.clear();
    this.#rows.clear();
    this.#logs.clear();
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new StoreUnavailableError('the store is closed');
  }

  readonly #rowOf = (key: string): Row | undefined => this.#row(key);

  #row(key: string): Row | undefined {
    const row = this.#rows.get(key);
    if (row && row.expiresAtMs > this.#now()) return row;
    if (row) this.#rows.delete(key);
    return undefined;
  }

  #log(name: string): Log | undefined {
    const log = this.#logs.get(name);
    if (log && log.expiresAtMs > this.#now()) return log;
    if (log) this.#logs.delete(name);
    return undefined;
  }

  #put(key: string, value: JsonValue, expiresAtMs: number): number {
    const version = ++this.#lastVersion;
    this.#rows.set(key, { json: JSON.stringify(value), version, expiresAtMs });
    return version;
  }

  #apply(write: Write): WriteResult {
    switch (write.type) {
      case 'put':
        return { type: 'put', version: this.#put(write.key, write.value, write.expiresAtMs) };
      case 'delete':
        this.#rows.delete(write.key);
        return { type: 'delete' };
      case 'append':
        return { type: 'append', lastSequence: this.#append(write) };
      case 'delete-log':
        this.#logs.delete(write.log);
        return { type: 'delete-log' };
      case 'add': {
        const row = this.#row(write.key);
        const previous: unknown = row && JSON.parse(row.json);
        const count = (typeof previous === 'number' ? previous : 0) + write.amount;
        const expiresAtMs = row?.expiresAtMs ?? write.expiresAtMs;
        this.#put(write.key, count, expiresAtMs);
        return { type: 'add', count, expiresAtMs };
      }
      case 'wake':
        return { type: 'wake' };
    }
  }

  #append({ log: name, entries, expiresAtMs, keepLast }: Extract<Write, { type: 'append' }>): number {
    let log = this.#log(name);
    if (!log) {
      if (entries.length === 0) return 0;
      log = { entries: [], start: 0, lastSequence: 0, expiresAtMs };
      this.#logs.set(name, log);
    }
    for (const entry of entries) log.entries.push(entry);
    log.lastSequence += entries.length;
    log.expiresAtMs = expiresAtMs;
    if (keepLast !== undefined) {
      const start = Math.max(log.start, log.entries.length - keepLast);
      // Dropped entries before the next compaction hold no text any more.
      log.entries.fill('', log.start, start);
      log.start = start;
      if (log.start >= Math.max(MIN_COMPACTION, log.entries.length / 2)) {
        log.entries = log.entries.slice(log.start);
        log.start = 0;
      }
    }
    return log.lastSequence;
  }

  /** Lets go of what is expired, with other work in between. */
  async #sweep(): Promise<void> {
    let looked = 0;
    for (const key of this.#rows.keys()) {
      this.#row(key);
      if (++looked % SWEEP_STEP === 0) await nextTurn();
    }
    for (const name of this.#logs.keys()) {
      this.#log(name);
      if (++looked % SWEEP_STEP === 0) await nextTurn();
    }
  }
}
