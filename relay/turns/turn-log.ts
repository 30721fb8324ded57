/**
 * The running turn's end of the session's log: events go to the store first and then to the readers. When the store has not taken
 * events within about a second, the attached readers get them directly, and from then on the turn cannot be resumed.
 */
import { PULSE_MS, type Pulse } from '../pulse.ts';
import { appendsKey, historyKeptUntilMs, sessionLog, turnKey } from '../sessions/session-record.ts';
import type { Session } from '../sessions/sessions.ts';
import {
  type CommitResult,
  type Condition,
  type Store,
  StoreUnavailableError,
  type Write,
  type WriteResult,
} from '../store/store.ts';
import type { TurnFeed } from './turn-feed.ts';
import type { TurnRecord } from './turn-record.ts';

const STORE_PATIENCE_MS = 1_000;
/**
 * Older events of a session are dropped, so that no conversation can fill the store; a reader who still wants them is told. A
 * turn of more characters than the second number keeps about as many, its newest: some 20,000 chunks of usual size.
 */
const MAX_KEPT_EVENTS = 50_000;
const MAX_KEPT_CHARACTERS = 2_097_152;
const MIN_KEPT_EVENTS = 64;

/**
 * `stored`: in the log. `direct`: only the readers who were attached have it. `superseded`: not written, because the turn's
 * record was changed by someone else (stop, deletion, declared dead).
 */
export type Appended = 'stored' | 'direct' | 'superseded';

interface Pending {
  readonly entries: readonly string[];
  /** True for the last entries of the turn: the turn's record says so in the same write. */
  readonly isEnd: boolean;
  readonly resolve: (appended: Appended) => void;
  /** Until then the store may carry out the latest attempt: Unix time in milliseconds. */
  untilMs: number;
  /** Beats of the relay's clock since this began: cheaper for each event than a look at the time. */
  beats: number;
  /** False while an attempt is on its way. */
  isFailed: boolean;
  /** True when an attempt has failed without an answer: it may have been carried out all the same. */
  isInDoubt: boolean;
}

export class TurnLog {
  readonly #store: Store;
  readonly #feed: TurnFeed;
  readonly #log: string;
  readonly #turnKey: string;
  readonly #record: TurnRecord;
  readonly #expiresAtMs: number;
  readonly #appendsKey: string;
  readonly #now: () => number;
  readonly #renewLease: () => Write;
  readonly #stopPulse: () => void;
  /** Of the turn's record as this relay last wrote or acknowledged it: every append requires it. */
  #version: number;
  /** Of the count of appends, which this relay alone writes while it runs the turn. */
  #appendsVersion: number;
  #appendCount = 0;
  #lastSequence: number;
  #eventCount = 0;
  #characterCount = 0;
  #isResumable = true;
  #isMarked = false;
  /** When the relay's clock last beat: Unix time in milliseconds. */
  #beatAtMs: number;
  #pending: Pending | undefined;

  constructor(parts: {
    store: Store;
    feed: TurnFeed;
    pulse: Pulse;
    session: Session;
    record: TurnRecord;
    version: number;
    appendsVersion: number;
    lastSequence: number;
    now: () => number;
    renewLease: () => Write;
  }) {
    this.#store = parts.store;
    this.#feed = parts.feed;
    this.#log = sessionLog(parts.session.id);
    this.#turnKey = turnKey(parts.session.id);
    this.#appendsKey = appendsKey(parts.session.id);
    this.#expiresAtMs = historyKeptUntilMs(parts.session.record);
    this.#record = parts.record;
    this.#version = parts.version;
    this.#appendsVersion = parts.appendsVersion;
    this.#now = parts.now;
    this.#beatAtMs = parts.now();
    this.#renewLease = parts.renewLease;
    this.#lastSequence = parts.lastSequence;
    this.#stopPulse = parts.pulse.onBeat(() => this.#beat());
  }

  /** False once events went to readers without having been stored. */
  get isResumable(): boolean {
    return this.#isResumable;
  }

  /** Null while the log has all. Otherwise the last event that went to the log before it went to readers. */
  get storedUntil(): number | null {
    return this.#isResumable ? null : this.#lastSequence;
  }

  /** The version of the turn's record that the following appends require, after the turn's runner has looked at it. */
  acknowledge(version: number): void {
    this.#version = version;
  }

  /** Appends entries; `isEnd`: they are the turn's last. One call at a time. Never throws or rejects. */
  append(entries: readonly string[], isEnd: boolean): Appended | Promise<Appended> {
    if (!this.#isResumable) {
      this.#feed.pushUnnumbered(entries);
      return 'direct';
    }
    this.#eventCount += entries.length;
    for (const entry of entries) this.#characterCount += entry.length;
    return this.#appendNow(entries, isEnd) ?? this.#appendInTime(entries, isEnd);
  }

  /** Undefined: this store does not answer at once. */
  #appendNow(entries: readonly string[], isEnd: boolean): Appended | undefined {
    if (!this.#store.commitNow) return undefined;
    try {
      const result = this.#store.commitNow([this.#isUnchanged()], this.#appendAnd(entries, isEnd));
      if (!result.isCommitted) return 'superseded';
      this.#settle(entries, result.results[0]);
      return 'stored';
    } catch (failure) {
      if (failure instanceof StoreUnavailableError) return undefined;
      throw failure;
    }
  }

  #appendInTime(entries: readonly string[], isEnd: boolean): Promise<Appended> {
    return new Promise((resolve) => {
      this.#pending = { entries, isEnd, resolve, untilMs: 0, beats: 0, isFailed: false, isInDoubt: false };
      this.#attempt(this.#pending);
    });
  }

  /** Lets go of the clock. */
  close(): void {
    this.#stopPulse();
  }

  #attempt(pending: Pending): void {
    pending.isFailed = false;
    pending.untilMs = this.#beatAtMs + STORE_PATIENCE_MS - pending.beats * PULSE_MS;
    this.#commit(pending).then(this.#onCommitted, this.#onCommitFailed);
  }

  // One attempt is on its way at a time, so that these need not know which: made once, not once for each event.
  readonly #onCommitted = (result: CommitResult): void => {
    const pending = this.#pending;
    if (!pending) return;
    if (result.isCommitted) this.#settlePending(pending, result.results);
    else if (result.failed.type === 'before') pending.isFailed = true;
    else if (pending.isInDoubt) this.#resolveDoubt(pending);
    else this.#end(pending, 'superseded');
  };

  readonly #onCommitFailed = (): void => {
    if (!this.#pending) return;
    this.#pending.isFailed = true;
    this.#pending.isInDoubt = true;
  };

  #commit({ entries, isEnd, untilMs }: Pending): Promise<CommitResult> {
    const conditions: readonly Condition[] = [
      this.#isUnchanged(),
      { type: 'version', key: this.#appendsKey, version: this.#appendsVersion },
      { type: 'before', timeMs: untilMs },
    ];
    const expiresAtMs = this.#expiresAtMs;
    const count: Write = { type: 'put', key: this.#appendsKey, value: this.#appendCount + 1, expiresAtMs };
    return this.#store.commit(conditions, [...this.#appendAnd(entries, isEnd), count]);
  }

  #isUnchanged(): Condition {
    return { type: 'version', key: this.#turnKey, version: this.#version };
  }

  /** The append, and with the last one that the turn has ended. */
  #appendAnd(entries: readonly string[], isEnd: boolean): Write[] {
    const expiresAtMs = this.#expiresAtMs;
    const append: Write = { type: 'append', log: this.#log, entries, expiresAtMs, keepLast: this.#keepLast() };
    if (!isEnd) return [append];
    const value: TurnRecord = { ...this.#record, status: 'ended', endSequence: this.#lastSequence + entries.length };
    return [append, { type: 'put', key: this.#turnKey, value, expiresAtMs }];
  }

  #keepLast(): number {
    if (this.#characterCount <= MAX_KEPT_CHARACTERS) return MAX_KEPT_EVENTS;
    const share = MAX_KEPT_CHARACTERS / this.#characterCount;
    return Math.max(MIN_KEPT_EVENTS, Math.ceil(this.#eventCount * share));
  }

  #settlePending(pending: Pending, results: readonly WriteResult[]): void {
    const counted = results.at(-1);
    if (counted?.type !== 'put') throw new Error('the store answered a put with something else');
    this.#appendCount += 1;
    this.#appendsVersion = counted.version;
    this.#settle(pending.entries, results[0]);
    this.#end(pending, 'stored');
  }

  #settle(entries: readonly string[], appended: WriteResult | undefined): void {
    if (appended?.type !== 'append') throw new Error('the store answered an append with something else');
    this.#lastSequence = appended.lastSequence;
    this.#feed.push(entries, appended.lastSequence);
  }

  #end(pending: Pending, appended: Appended): void {
    this.#pending = undefined;
    pending.resolve(appended);
  }

  #beat(): void {
    this.#beatAtMs = this.#now();
    const pending = this.#pending;
    if (!pending) {
      if (!this.#isResumable) this.#mark();
      return;
    }
    pending.beats += 1;
    if (pending.beats * PULSE_MS > STORE_PATIENCE_MS && this.#beatAtMs >= pending.untilMs) {
      this.#isResumable = false;
      this.#feed.pushUnnumbered(pending.entries);
      this.#end(pending, 'direct');
    } else if (pending.isFailed) {
      this.#attempt(pending);
    }
  }

  /** An attempt failed without an answer and the next one was refused: the first has happened, or someone has taken the turn. */
  #resolveDoubt(pending: Pending): void {
    Promise.all([this.#store.get(this.#appendsKey), this.#store.readLog(this.#log, Number.MAX_SAFE_INTEGER, 1)]).then(
      ([appends, { lastSequence }]) => {
        if (this.#pending !== pending) return;
        if (appends?.value !== this.#appendCount + 1) {
          this.#end(pending, 'superseded');
          return;
        }
        this.#appendCount += 1;
        this.#appendsVersion = appends.version;
        this.#lastSequence = lastSequence;
        // Others may have appended since: readers take it from the log.
        this.#feed.readOnFromStore(lastSequence);
        this.#end(pending, 'stored');
      },
      this.#onCommitFailed,
    );
  }

  /** Says in the turn's record, as soon as the store is back, that the turn cannot be taken up again. */
  #mark(): void {
    if (this.#isMarked) return;
    this.#isMarked = true;
    const value: TurnRecord = { ...this.#record, storedUntil: this.#lastSequence };
    const condition = { type: 'version', key: this.#turnKey, version: this.#version } as const;
    const write = { type: 'put', key: this.#turnKey, value, expiresAtMs: this.#expiresAtMs } as const;
    const wake = { type: 'wake', topic: this.#log } as const;
    // Refused: the record says that the turn is to end or has ended, which says it as well.
    this.#store.commit([condition], [write, this.#renewLease(), wake]).catch(() => {
      this.#isMarked = false;
    });
  }
}
