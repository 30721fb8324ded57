/**
 * The running turn's end of the session's log: events go to the store first and then to the readers. When the store has not taken
 * events within a second, the attached readers get them directly, and from then on the turn cannot be resumed.
 */
import { PULSE_MS, type Pulse } from '../pulse.ts';
import { keptUntilMs, sessionLog, turnKey } from '../sessions/session-record.ts';
import type { Session } from '../sessions/sessions.ts';
import type { CommitResult, Store } from '../store/store.ts';
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
  /** Beats of the relay's clock since this began: cheaper for each event than a look at the time. */
  beats: number;
  /** False while an attempt is on its way. */
  isFailed: boolean;
}

export class TurnLog {
  readonly #store: Store;
  readonly #feed: TurnFeed;
  readonly #log: string;
  readonly #turnKey: string;
  readonly #record: TurnRecord;
  readonly #expiresAtMs: number;
  readonly #stopPulse: () => void;
  /** Of the turn's record as this relay last wrote or acknowledged it: every append requires it. */
  #version: number;
  #lastSequence: number;
  #eventCount = 0;
  #characterCount = 0;
  #isResumable = true;
  #pending: Pending | undefined;

  constructor(parts: {
    store: Store;
    feed: TurnFeed;
    pulse: Pulse;
    session: Session;
    record: TurnRecord;
    version: number;
    lastSequence: number;
  }) {
    this.#store = parts.store;
    this.#feed = parts.feed;
    this.#log = sessionLog(parts.session.id);
    this.#turnKey = turnKey(parts.session.id);
    this.#expiresAtMs = keptUntilMs(parts.session.record);
    this.#record = parts.record;
    this.#version = parts.version;
    this.#lastSequence = parts.lastSequence;
    this.#stopPulse = parts.pulse.onBeat(() => this.#beat());
  }

  /** False once events went to readers without having been stored. */
  get isResumable(): boolean {
    return this.#isResumable;
  }

  /** The version of the turn's record that the following appends require, after the turn's runner has looked at it. */
  acknowledge(version: number): void {
    this.#version = version;
  }

  /** Appends entries; `isEnd`: they are the turn's last. One call at a time. Never rejects. */
  append(entries: readonly string[], isEnd: boolean): Promise<Appended> {
    if (!this.#isResumable) {
      this.#feed.pushUnnumbered(entries);
      return Promise.resolve('direct');
    }
    this.#eventCount += entries.length;
    for (const entry of entries) this.#characterCount += entry.length;
    return new Promise((resolve) => {
      this.#pending = { entries, isEnd, resolve, beats: 0, isFailed: false };
      this.#attempt(this.#pending);
    });
  }

  /** Lets go of the clock. */
  close(): void {
    this.#stopPulse();
  }

  #attempt(pending: Pending): void {
    pending.isFailed = false;
    this.#commit(pending).then(this.#onCommitted, this.#onCommitFailed);
  }

  // One attempt is on its way at a time, so that these need not know which: made once, not once for each event.
  readonly #onCommitted = (result: CommitResult): void => {
    if (this.#pending) this.#settle(this.#pending, result);
  };

  readonly #onCommitFailed = (): void => {
    if (this.#pending) this.#pending.isFailed = true;
  };

  #commit({ entries, isEnd }: Pending): Promise<CommitResult> {
    const expiresAtMs = this.#expiresAtMs;
    const condition = { type: 'version', key: this.#turnKey, version: this.#version } as const;
    const append = { type: 'append', log: this.#log, entries, expiresAtMs, keepLast: this.#keepLast() } as const;
    if (!isEnd) return this.#store.commit([condition], [append]);
    const value: TurnRecord = { ...this.#record, status: 'ended', endSequence: this.#lastSequence + entries.length };
    return this.#store.commit([condition], [append, { type: 'put', key: this.#turnKey, value, expiresAtMs }]);
  }

  #keepLast(): number {
    if (this.#characterCount <= MAX_KEPT_CHARACTERS) return MAX_KEPT_EVENTS;
    const share = MAX_KEPT_CHARACTERS / this.#characterCount;
    return Math.max(MIN_KEPT_EVENTS, Math.ceil(this.#eventCount * share));
  }

  #settle(pending: Pending, result: CommitResult): void {
    this.#pending = undefined;
    if (!result.isCommitted) {
      pending.resolve('superseded');
      return;
    }
    const [appended] = result.results;
    if (appended?.type !== 'append') throw new Error('the store answered an append with something else');
    this.#lastSequence = appended.lastSequence;
    this.#feed.push(pending.entries, appended.lastSequence);
    pending.resolve('stored');
  }

  #beat(): void {
    const pending = this.#pending;
    if (!pending) return;
    pending.beats += 1;
    if (pending.beats * PULSE_MS > STORE_PATIENCE_MS) {
      this.#pending = undefined;
      this.#isResumable = false;
      this.#feed.pushUnnumbered(pending.entries);
      pending.resolve('direct');
    } else if (pending.isFailed) {
      this.#retry(pending);
    }
  }

  /** The failed attempt may have been carried out all the same: only what is not in the log is written again. */
  #retry(pending: Pending): void {
    pending.isFailed = false;
    this.#store.readLog(this.#log, this.#lastSequence, pending.entries.length).then((slice) => {
      if (this.#pending !== pending) return;
      const isThere =
        slice.entries.length === pending.entries.length &&
        slice.entries.every(({ entry }, index) => entry === pending.entries[index]);
      const lastSequence = slice.entries.at(-1)?.sequence;
      if (!isThere || lastSequence === undefined) this.#attempt(pending);
      else this.#settle(pending, { isCommitted: true, results: [{ type: 'append', lastSequence }] });
    }, this.#onCommitFailed);
  }
}
