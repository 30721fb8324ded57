/** Gives a browser the events of its session from a place on, to the end of a turn, wherever that turn runs. */

import type { RelayEvent } from '../protocol/events.ts';
import type { Pulse } from '../pulse.ts';
import { sessionLog } from '../sessions/session-record.ts';
import type { Session, Sessions } from '../sessions/sessions.ts';
import { type LogSlice, type Store, StoreUnavailableError } from '../store/store.ts';
import { entryOf, frameOf, isDone, isEnding, turnOf } from './log-entry.ts';
import { LogWatch } from './log-watch.ts';
import type { RunningTurn } from './running-turn.ts';
import type { Outlet, Place } from './turn-feed.ts';
import type { Turns } from './turns.ts';

export interface FollowRequest {
  readonly session: Session;
  /** Events after this sequence are wanted. */
  readonly afterSequence: number;
  /** Events of earlier turns are left out. */
  readonly fromTurn: number;
  /** He names a place, and may have had events after it that have no number. */
  readonly isComingBack: boolean;
  readonly outlet: Outlet;
}

/** Entries per look into the store. */
const SLICE_ENTRIES = 200;
/** For how long a store that cannot be reached is tried again before the reader is let go, to come back by himself. */
const STORE_PATIENCE_MS = 30_000;

export class Followers {
  readonly #store: Store;
  readonly #sessions: Sessions;
  readonly #turns: Turns;
  readonly #pulse: Pulse;

  constructor(parts: { store: Store; sessions: Sessions; turns: Turns; pulse: Pulse }) {
    this.#store = parts.store;
    this.#sessions = parts.sessions;
    this.#turns = parts.turns;
    this.#pulse = parts.pulse;
  }

  /**
   * Writes frames to the outlet until the next `done`, or until nothing runs. In order, without gap or repeat; a gap that
   * cannot be filled is told (`history-gone`), as is the end of the session. Rejects with the signal's reason, and with
   * `StoreUnavailableError` when the store stays away.
   */
  async follow(request: FollowRequest, signal: AbortSignal): Promise<void> {
    const watch = new LogWatch(this.#store, sessionLog(request.session.id), this.#pulse);
    const follower = new Follower(this.#store, this.#sessions, this.#turns, watch, request, signal);
    let failingSinceMs: number | undefined;
    try {
      for (;;) {
        try {
          if (await follower.step()) return;
          failingSinceMs = undefined;
        } catch (failure) {
          if (!(failure instanceof StoreUnavailableError)) throw failure;
          if (follower.hasMissedUnstored()) return;
          failingSinceMs ??= performance.now();
          if (performance.now() - failingSinceMs > STORE_PATIENCE_MS) throw failure;
          await watch.beat(signal);
        }
      }
    } finally {
      follower.leave();
      watch.close();
    }
  }
}

interface UnstoredPart {
  readonly turn: number;
  readonly after: number;
}

class Follower {
  readonly #store: Store;
  readonly #sessions: Sessions;
  readonly #turns: Turns;
  readonly #watch: LogWatch;
  readonly #request: FollowRequest;
  readonly #signal: AbortSignal;
  readonly #place: Place;
  /** The turn on this relay that counts this reader among its own. */
  #watched: RunningTurn | undefined;
  #unwatch: (() => void) | undefined;
  #hasLookedForUnstored = false;
  #unstored: UnstoredPart | undefined;

  constructor(
    store: Store,
    sessions: Sessions,
    turns: Turns,
    watch: LogWatch,
    request: FollowRequest,
    signal: AbortSignal,
  ) {
    this.#store = store;
    this.#sessions = sessions;
    this.#turns = turns;
    this.#watch = watch;
    this.#request = request;
    this.#signal = signal;
    this.#place = { sequence: request.afterSequence };
  }

  leave(): void {
    this.#unwatch?.();
  }

  /**
   * True, and told, when the store stays away and the turn here has meanwhile gone on without it, while this reader was not
   * live: what he has missed is nowhere to be had.
   */
  hasMissedUnstored(): boolean {
    const here = this.#turns.runningHere(this.#request.session.id);
    return here !== undefined && !here.isResumable && this.#tellUnstored();
  }

  /** One look: writes what the log has, or waits for more. True when there is nothing more to come. */
  async step(): Promise<boolean> {
    this.#signal.throwIfAborted();
    const { session, outlet } = this.#request;
    const here = this.#turns.runningHere(session.id);
    if (here) this.#countAt(here);
    if (here?.isResumable && here.feed.covers(this.#place)) return this.#goLive(here);
    const slice = await this.#store.readLog(sessionLog(session.id), this.#place.sequence, SLICE_ENTRIES);
    if (this.#hasGap(slice)) return this.#tellGap(slice);
    if (slice.entries.length > 0) return this.#write(slice, await this.#unstoredPart(here));
    if (here) return this.#goLive(here);
    const { state, record } = await this.#turns.state(session);
    if (state === 'elsewhere' && record?.storedUntil != null) return this.#tellUnstored();
    if (state === 'elsewhere' && record) await this.#changeOrDeathOf(record.relay);
    if (state !== 'none') return false;
    if (!(await this.#sessions.isThere(session.id))) {
      this.#tell({ type: 'session-ended', data: { reason: 'deleted', timestamp: new Date().toISOString() } });
      return true;
    }
    const { lastSequence } = await this.#store.readLog(sessionLog(session.id), this.#place.sequence, 1);
    await outlet.drained(this.#signal);
    return lastSequence === this.#place.sequence;
  }

  async #changeOrDeathOf(relay: string): Promise<void> {
    const stop = this.#turns.onDeath(relay, () => this.#watch.news());
    try {
      await this.#watch.change(this.#signal);
    } finally {
      stop();
    }
  }

  /**
   * The part of the log that this reader may have already, without its numbers: of a turn that went on without the store, what
   * the store has nevertheless. Only a reader who comes back can have it, and only of what is there when he comes.
   */
  async #unstoredPart(here: RunningTurn | undefined): Promise<UnstoredPart | undefined> {
    if (here?.storedUntil != null) return { turn: here.turn, after: here.storedUntil };
    if (this.#hasLookedForUnstored || !this.#request.isComingBack) return this.#unstored;
    this.#hasLookedForUnstored = true;
    const { record } = await this.#turns.state(this.#request.session);
    if (record?.storedUntil != null) this.#unstored = { turn: record.turn, after: record.storedUntil };
    return this.#unstored;
  }

  #countAt(turn: RunningTurn): void {
    if (this.#watched === turn) return;
    const unwatch = turn.feed.watch();
    this.#unwatch?.();
    this.#watched = turn;
    this.#unwatch = unwatch;
  }

  #hasGap({ firstSequence, lastSequence }: LogSlice): boolean {
    return lastSequence < this.#place.sequence || firstSequence > this.#place.sequence + 1;
  }

  async #tellGap({ firstSequence }: LogSlice): Promise<boolean> {
    const timestamp = new Date().toISOString();
    if (!(await this.#sessions.isThere(this.#request.session.id))) {
      this.#tell({ type: 'session-ended', data: { reason: 'deleted', timestamp } });
      return true;
    }
    this.#tell({ type: 'history-gone', data: { timestamp } });
    this.#place.sequence = Math.max(0, firstSequence - 1);
    return false;
  }

  async #write({ entries }: LogSlice, unstored: UnstoredPart | undefined): Promise<boolean> {
    let frames = '';
    let isEnd = false;
    for (const { entry, sequence } of entries) {
      this.#place.sequence = sequence;
      const turn = turnOf(entry);
      if (turn !== 0 && turn < this.#request.fromTurn) continue;
      if (unstored?.turn === turn && sequence > unstored.after && !isEnding(entry)) continue;
      frames += frameOf(entry, sequence);
      isEnd = isDone(entry);
      if (isEnd) break;
    }
    if (frames !== '' && !this.#request.outlet.write(frames)) await this.#request.outlet.drained(this.#signal);
    return isEnd;
  }

  async #goLive(turn: RunningTurn): Promise<boolean> {
    const { outlet } = this.#request;
    if (turn.isResumable) {
      const end = await turn.feed.goLive(outlet, this.#place, this.#signal);
      if (end === 'ended') return true;
      await outlet.drained(this.#signal);
    }
    if (turn.isResumable) return false;
    return this.#tellUnstored();
  }

  /** The rest of the turn goes to those who were attached and is in no store. */
  #tellUnstored(): boolean {
    const timestamp = new Date().toISOString();
    this.#tell({ type: 'interrupted', data: { code: 'store_unavailable', timestamp } });
    this.#tell({ type: 'done', data: { timestamp } });
    return true;
  }

  /** An event that is in no log. */
  #tell(event: RelayEvent): void {
    this.#request.outlet.write(frameOf(entryOf(0, event), undefined));
  }
}
