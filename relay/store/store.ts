/**
 * What the relay keeps between two requests, in the one shape that a memory, a file and a server shared by several relays
 * can all give: small values under keys, numbered logs, counters, wake-ups; everything with an expiry. There is one way to
 * write, `commit`: conditions and writes that happen all or not at all, so that no one ever reads a value, changes it and
 * writes it back over someone else's change.
 *
 * Keys, logs and topics are `<kind>:<id>`; ids are made by the relay and never by a browser. Methods reject with
 * `StoreUnavailableError` and with nothing else, within two seconds at most.
 *
 * A rejected `commit` leaves open whether it happened: a server can do the work and lose the answer. Whoever repeats one
 * makes it conditional on the version of a key that the same commit writes, so that the second try of a commit that did
 * happen fails its condition instead of happening twice.
 */
export interface Store {
  /** The value and its version, or undefined when absent or expired. The version changes with every write to the key. */
  get(key: string): Promise<StoredValue | undefined>;

  /**
   * Applies all writes, in order, if every condition holds before the first of them, or none. Atomic across relays. Logs
   * that were appended to and topics of `wake` are woken after the write is visible.
   */
  commit(conditions: readonly Condition[], writes: readonly Write[]): Promise<CommitResult>;

  /**
   * The same where the answer is there at once and what has failed has not happened: a store in this process's memory.
   * Others leave it out. Throws `StoreUnavailableError`.
   */
  readonly commitNow?: (conditions: readonly Condition[], writes: readonly Write[]) => CommitResult;

  /** Entries after `afterSequence` (0: from the start), oldest first, at most `limit`. */
  readLog(log: string, afterSequence: number, limit: number): Promise<LogSlice>;

  /**
   * Calls `listener` soon after something was appended to the log or the topic was woken, by any relay. A wake-up says
   * "look again" and carries nothing. It can come late, twice or (after a lost connection) never: whoever waits also looks
   * again by himself now and then. What was written after `subscribe` returned, or is read after it, is not missed: first
   * subscribe, then read. The listener must not throw. Returns the function that ends the subscription.
   */
  subscribe(topic: string, listener: () => void): () => void;

  /** Resolves when the store can read and write now; rejects with the reason otherwise. */
  check(): Promise<void>;

  /** Lets go of files, connections and timers. Later calls reject. */
  close(): Promise<void>;
}

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

export interface StoredValue {
  readonly value: JsonValue;
  readonly version: number;
}

export type Condition =
  | { readonly type: 'absent'; readonly key: string }
  | { readonly type: 'present'; readonly key: string }
  | { readonly type: 'version'; readonly key: string; readonly version: number }
  /**
   * Holds until that time (Unix time in milliseconds, by this process's clock). A commit that is held up on its way, and
   * whose caller has meanwhile given up, then does nothing any more.
   */
  | { readonly type: 'before'; readonly timeMs: number };

/** `expiresAtMs`: Unix time in whole milliseconds, from which on the key or log is as if it had never been. */
export type Write =
  | { readonly type: 'put'; readonly key: string; readonly value: JsonValue; readonly expiresAtMs: number }
  | { readonly type: 'delete'; readonly key: string }
  /**
   * Numbers the entries on from the log's last one (the first is 1) and sets the log's expiry; no entries: only that, and
   * a log that does not exist stays so. An entry is well-formed text. `keepLast` (at least 1): of the log only so many
   * newest entries stay, which bounds what one log can take; numbers never start again while the log lives.
   */
  | {
      readonly type: 'append';
      readonly log: string;
      readonly entries: readonly string[];
      readonly expiresAtMs: number;
      readonly keepLast?: number;
    }
  | { readonly type: 'delete-log'; readonly log: string }
  /** Adds to a counter that starts at 0 (what is no number counts as 0); the expiry is set when it comes into being and then stays. */
  | { readonly type: 'add'; readonly key: string; readonly amount: number; readonly expiresAtMs: number }
  | { readonly type: 'wake'; readonly topic: string };

export type CommitResult =
  | { readonly isCommitted: true; readonly results: readonly WriteResult[] }
  | { readonly isCommitted: false; readonly failed: Condition };

/** One per write, in order. `put`: the new version. `append`: the last sequence. `add`: the new count and its expiry. */
export type WriteResult =
  | { readonly type: 'put'; readonly version: number }
  | { readonly type: 'append'; readonly lastSequence: number }
  | { readonly type: 'add'; readonly count: number; readonly expiresAtMs: number }
  | { readonly type: 'delete' | 'delete-log' | 'wake' };

export interface LogEntry {
  readonly sequence: number;
  readonly entry: string;
}

export interface LogSlice {
  readonly entries: readonly LogEntry[];
  /** The oldest sequence that is still kept, or 0 when the log is empty or gone. */
  readonly firstSequence: number;
  /** The newest sequence of the log, or 0 when it is empty or gone. */
  readonly lastSequence: number;
}

/** The store cannot be used now. `message` is for the operator's log and `/readyz`: it holds no password and no value. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}
