/**
 * The running turn's end of the session's log: events go to the store first and then to the readers. When the store has not taken
 * events within a second, the attached readers get them directly, and from then on the turn cannot be resumed.
 */
import type { Pulse } from '../pulse.ts';
import { keptUntilMs, sessionLog, turnKey } from '../sessions/session-record.ts';
import type { Session } from '../sessions/sessions.ts';
import type { CommitResult, Store } from '../store/store.ts';
import type { TurnFeed } from './turn-feed.ts';
import type { TurnRecord } from './turn-record.ts';

const STORE_PATIENCE_MS = 1_000;
/** Older events of a session are dropped, so that no conversation can fill the store; its readers are told. */
const MAX_KEPT_EVENTS = 50_000;

/**
 * `stored`: in the log. `direct`: only the readers who were attached have it. `superseded`: not written, because the turn's
 * record was changed by someone else (stop, deletion, declared dead).
 */
export type Appended = 'stored' | 'direct' | 'superseded';

interface Pending {
  readonly entries: readonly string[];
  /** True for the last entries of the turn: the turn's record says so in the same write. */
  readonly isEnd: boolean;
  readonly sinceMs: number;
  readonly resolve: (appended: Appended) => void;
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
    this.#stopPulse = parts.pulse.onBeat((nowMs) => this.#beat(nowMs));
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
    return new Promise((resolve) => {
      this.#pending = { entries, isEnd, sinceMs: performance.now(), resolve, isFailed: false };
      this.#attempt(this.#pending);
    });
  }

  /** Lets go of the clock. */
  close(): void {
    this.#stopPulse();
  }

  #attempt(pending: Pending): void {
    pending.isFailed = false;
    this.#commit(pending).then(
      (result) => this.#settle(pending, result),
      () => {
        pending.isFailed = true;
      },
    );
  }

  #commit({ entries, isEnd }: Pending): Promise<CommitResult> {
    const expiresAtMs = this.#expiresAtMs;
    const condition = { type: 'version', key: this.#turnKey, version: this.#version } as const;
    const append = { type: 'append', log: this.#log, entries, expiresAtMs, keepLast: MAX_KEPT_EVENTS } as const;
    if (!isEnd) return this.#store.commit([condition], [append]);
    const value: TurnRecord = { ...this.#record, status: 'ended', endSequence: this.#lastSequence + entries.length };
    return this.#store.commit([condition], [append, { type: 'put', key: this.#turnKey, value, expiresAtMs }]);
  }

  #settle(pending: Pending, result: CommitResult): void {
    if (this.#pending !== pending) return;
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

  #beat(nowMs: number): void {
    const pending = this.#pending;
    if (!pending) return;
    if (nowMs - pending.sinceMs >= STORE_PATIENCE_MS) {
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
    this.#store.readLog(this.#log, this.#lastSequence, pending.entries.length).then(
      (slice) => {
        if (this.#pending !== pending) return;
        const isThere =
          slice.entries.length === pending.entries.length &&
          slice.entries.every(({ entry }, index) => entry === pending.entries[index]);
        const lastSequence = slice.entries.at(-1)?.sequence;
        if (!isThere || lastSequence === undefined) this.#attempt(pending);
        else this.#settle(pending, { isCommitted: true, results: [{ type: 'append', lastSequence }] });
      },
      () => {
        pending.isFailed = true;
      },
    );
  }
}
