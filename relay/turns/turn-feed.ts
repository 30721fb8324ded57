/** The readers that follow one running turn on the relay that runs it, and the back-pressure that they put on it. */
import { frameOf, isDone } from './log-entry.ts';

/** A browser's open answer, as far as the turns know it. */
export interface Outlet {
  /** Takes frames. False: it is full, and nothing more may be given to it until `drained`. */
  write(frames: string): boolean;
  /** Resolves when it is no longer full; rejects with the signal's reason. */
  drained(signal: AbortSignal): Promise<void>;
}

/** Why a reader no longer gets its events at once. `behind`: it has to read on from the store. */
export type LiveEnd = 'ended' | 'behind';

/** A reader's place in the log, moved on by whoever writes to its outlet. */
export interface Place {
  /** The last sequence that was written to the outlet. */
  sequence: number;
}

interface LiveReader {
  readonly outlet: Outlet;
  readonly place: Place;
  readonly leave: (end: LiveEnd) => void;
}

/** So much of the turn's newest text is kept for who comes or has fallen behind a little, so that he needs no store. */
const MAX_TAIL_CHARACTERS = 32_768;

export class TurnFeed {
  readonly #live = new Set<LiveReader>();
  readonly #onEmpty: () => void;
  #watchers = 0;
  #lastSequence: number;
  /** The newest entries of the log, up to `#lastSequence`. */
  #tail: string[];
  #tailCharacters: number;
  /** False while someone else may have appended to the log after `#lastSequence`. */
  #isAtEnd = true;
  #onRoom: (() => void) | undefined;
  #isClosed = false;

  /**
   * `first`: the turn's entries so far, which are the last of the log; `lastSequence`: of the log. `onEmpty` is called each
   * time the last watcher has left.
   */
  constructor(first: readonly string[], lastSequence: number, onEmpty: () => void) {
    this.#tail = [...first];
    this.#tailCharacters = charactersOf(first);
    this.#lastSequence = lastSequence;
    this.#onEmpty = onEmpty;
  }

  /** Counts as a reader from now on, until the returned function is called. */
  watch(): () => void {
    this.#watchers += 1;
    let isWatching = true;
    return () => {
      if (!isWatching) return;
      isWatching = false;
      this.#watchers -= 1;
      this.#wakeIfRoom();
      if (this.#watchers === 0) this.#onEmpty();
    };
  }

  /** Of the log, as far as this turn has written it. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  get hasWatchers(): boolean {
    return this.#watchers > 0;
  }

  /** Whether a reader at that place can go live without a look into the store. */
  covers(place: Place): boolean {
    if (this.#isClosed || !this.#isAtEnd) return false;
    return place.sequence <= this.#lastSequence && place.sequence >= this.#lastSequence - this.#tail.length;
  }

  /**
   * Gives the outlet each event from `place` on as soon as it is stored. Resolves when that ends: at once with `behind` when
   * there are more events after `place` than are kept here. Rejects with the signal's reason.
   */
  async goLive(outlet: Outlet, place: Place, signal: AbortSignal): Promise<LiveEnd> {
    signal.throwIfAborted();
    if (this.#isClosed || place.sequence < this.#lastSequence - this.#tail.length) return 'behind';
    const missing = this.#lastSequence - place.sequence;
    if (missing > 0) {
      const entries = this.#tail.slice(-missing);
      const frames = framesOf(entries, place.sequence);
      place.sequence = this.#lastSequence;
      const hasRoom = outlet.write(frames);
      if (isDone(entries.at(-1) ?? '')) return 'ended';
      if (!hasRoom) return 'behind';
    }
    let onAbort: (() => void) | undefined;
    let reader: LiveReader | undefined;
    try {
      return await new Promise<LiveEnd>((resolve, reject) => {
        reader = { outlet, place, leave: resolve };
        onAbort = () => reject(signal.reason);
        signal.addEventListener('abort', onAbort, { once: true });
        this.#live.add(reader);
        this.#wakeIfRoom();
      });
    } finally {
      if (reader) this.#live.delete(reader);
      if (onAbort) signal.removeEventListener('abort', onAbort);
    }
  }

  /** Entries that the store has numbered up to `lastSequence`. The frames are made once for all readers. */
  push(entries: readonly string[], lastSequence: number): void {
    const before = lastSequence - entries.length;
    this.#keep(entries, before);
    this.#lastSequence = lastSequence;
    this.#isAtEnd = true;
    if (this.#live.size === 0) return;
    const frames = framesOf(entries, before);
    const isLast = isDone(entries.at(-1) ?? '');
    for (const reader of this.#live) {
      if (reader.place.sequence !== before) {
        // Something else was appended in between, or the reader has read ahead of us: the store has the right order.
        this.#leave(reader, 'behind');
        continue;
      }
      const hasRoom = reader.outlet.write(frames);
      reader.place.sequence = lastSequence;
      if (isLast) this.#leave(reader, 'ended');
      else if (!hasRoom) this.#leave(reader, 'behind');
    }
  }

  /** The log has entries up to `lastSequence` that were not pushed: readers take them from there. */
  readOnFromStore(lastSequence: number): void {
    this.#lastSequence = lastSequence;
    this.#forget();
    for (const reader of this.#live) this.#leave(reader, 'behind');
  }

  /** Frames of entries that no store has taken: without a number, so that the reader's place stays where it is. */
  pushUnnumbered(entries: readonly string[]): void {
    const frames = entries.map((entry) => frameOf(entry, undefined)).join('');
    const isLast = isDone(entries.at(-1) ?? '');
    for (const reader of this.#live) {
      reader.outlet.write(frames);
      if (isLast) this.#leave(reader, 'ended');
    }
  }

  /** Someone else may have appended to the log: readers look into the store before they go on here. */
  lookAgain(): void {
    this.#isAtEnd = false;
    for (const reader of this.#live) this.#leave(reader, 'behind');
  }

  /** The turn is over here: readers look into the store for what became of it. */
  close(): void {
    this.#isClosed = true;
    this.lookAgain();
  }

  /** True while there are readers and none of them can take more. */
  get isFull(): boolean {
    return this.#watchers > 0 && this.#live.size === 0;
  }

  /** Resolves when a reader can take more or the last one has left; rejects with the signal's reason. */
  async room(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.isFull) return;
    let onAbort: (() => void) | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#onRoom = resolve;
        onAbort = () => reject(signal.reason);
        signal.addEventListener('abort', onAbort, { once: true });
      });
    } finally {
      this.#onRoom = undefined;
      if (onAbort) signal.removeEventListener('abort', onAbort);
    }
  }

  #keep(entries: readonly string[], before: number): void {
    if (before !== this.#lastSequence) this.#forget();
    this.#tailCharacters += charactersOf(entries);
    for (const entry of entries) this.#tail.push(entry);
    if (this.#tailCharacters <= MAX_TAIL_CHARACTERS) return;
    // In lots: moving the array for every single event would cost its length.
    let dropped = 0;
    while (this.#tailCharacters > MAX_TAIL_CHARACTERS / 2) this.#tailCharacters -= this.#tail[dropped++]?.length ?? 0;
    this.#tail.splice(0, dropped);
  }

  #forget(): void {
    this.#tail = [];
    this.#tailCharacters = 0;
  }

  #leave(reader: LiveReader, end: LiveEnd): void {
    this.#live.delete(reader);
    reader.leave(end);
  }

  #wakeIfRoom(): void {
    if (!this.isFull) this.#onRoom?.();
  }
}

function framesOf(entries: readonly string[], before: number): string {
  let frames = '';
  let sequence = before;
  for (const entry of entries) frames += frameOf(entry, ++sequence);
  return frames;
}

function charactersOf(entries: readonly string[]): number {
  let characters = 0;
  for (const entry of entries) characters += entry.length;
  return characters;
}
