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

interface Row {
  value: JsonValue;
  version: number;
  expiresAtMs: number;
}

interface Log {
  entries: LogEntry[];
  lastSequence: number;
  expiresAtMs: number;
}

/** A store for one relay that forgets everything when the process ends. Values are shared, not copied: treat as frozen. */
export class MemoryStore implements Store {
  readonly #rows = new Map<string, Row>();
  readonly #logs = new Map<string, Log>();
  readonly #wakeUps = new WakeUps();
  readonly #now: () => number;
  readonly #sweeper: NodeJS.Timeout;
  #lastVersion = 0;
  #isClosed = false;

  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS).unref();
  }

  async get(key: string): Promise<StoredValue | undefined> {
    this.#assertOpen();
    const row = this.#row(key);
    return row && { value: row.value, version: row.version };
  }

  async commit(conditions: readonly Condition[], writes: readonly Write[]): Promise<CommitResult> {
    this.#assertOpen();
    const failed = conditions.find((condition) => !this.#holds(condition));
    if (failed) return { isCommitted: false, failed };
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
    const first = kept?.entries[0];
    if (!kept || !first) return { entries: [], firstSequence: 0, lastSequence: 0 };
    const start = Math.max(0, afterSequence - first.sequence + 1);
    return {
      entries: kept.entries.slice(start, start + limit),
      firstSequence: first.sequence,
      lastSequence: kept.lastSequence,
    };
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
    this.#rows.clear();
    this.#logs.clear();
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new StoreUnavailableError('the store is closed');
  }

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

  #holds(condition: Condition): boolean {
    const row = this.#row(condition.key);
    switch (condition.type) {
      case 'absent':
        return row === undefined;
      case 'present':
        return row !== undefined;
      case 'version':
        return row?.version === condition.version;
    }
  }

  #apply(write: Write): WriteResult {
    switch (write.type) {
      case 'put': {
        const version = ++this.#lastVersion;
        this.#rows.set(write.key, { value: write.value, version, expiresAtMs: write.expiresAtMs });
        return { type: 'put', version };
      }
      case 'delete':
        this.#rows.delete(write.key);
        return { type: 'delete' };
      case 'append': {
        const log = this.#log(write.log) ?? { entries: [], lastSequence: 0, expiresAtMs: 0 };
        for (const entry of write.entries) log.entries.push({ sequence: ++log.lastSequence, entry });
        log.expiresAtMs = write.expiresAtMs;
        this.#logs.set(write.log, log);
        return { type: 'append', lastSequence: log.lastSequence };
      }
      case 'delete-log':
        this.#logs.delete(write.log);
        return { type: 'delete-log' };
      case 'add': {
        const row = this.#row(write.key);
        const count = (typeof row?.value === 'number' ? row.value : 0) + write.amount;
        const expiresAtMs = row?.expiresAtMs ?? write.expiresAtMs;
        this.#rows.set(write.key, { value: count, version: ++this.#lastVersion, expiresAtMs });
        return { type: 'add', count, expiresAtMs };
      }
      case 'wake':
        return { type: 'wake' };
    }
  }

  #sweep(): void {
    for (const key of this.#rows.keys()) this.#row(key);
    for (const name of this.#logs.keys()) this.#log(name);
  }
}
