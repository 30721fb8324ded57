/** All turns, as the relay's routes see them: begin or join one, follow it, stop it, and say what became of a dead relay's. */
import type { Credential } from '../agent-host/agent-host.ts';
import { RelayError } from '../errors.ts';
import type { RelayEvent } from '../protocol/events.ts';
import {
  appendsKey,
  historyKeptUntilMs,
  messageKey,
  messageKeysLog,
  sessionKey,
  sessionLog,
  sha256,
  turnKey,
} from '../sessions/session-record.ts';
import type { Session } from '../sessions/sessions.ts';
import { type Condition, StoreUnavailableError, type Write } from '../store/store.ts';
import { entryOf } from './log-entry.ts';
import { RelayLease } from './relay-lease.ts';
import { type BegunTurn, RunningTurn, type TurnParts } from './running-turn.ts';
import { parseMessageRecord, parseTurnRecord, type TurnRecord } from './turn-record.ts';

export interface BeginTurn {
  readonly session: Session;
  readonly message: string;
  /** The browser's name for this click: it never starts a second turn. */
  readonly messageId: string;
  readonly credential: Credential;
  readonly sessionSecret: string;
  readonly requestId: string;
  /** The released transaction that goes on with this turn. */
  readonly continues?: string | undefined;
}

/** Where to read a turn: its events come after `afterSequence`; `running` when this call has started it. */
export interface BegunOrJoined {
  readonly turn: number;
  readonly afterSequence: number;
  readonly running: RunningTurn | undefined;
}

/** `elsewhere`: another relay runs it and gives signs of life. */
export type TurnState = 'none' | 'running' | 'elsewhere';

const CLOSING_RETRY_MS = 1_000;
/** A start that is held up on its way to the store for longer does not happen: its caller has been told so. */
const START_WITHIN_MS = 1_500;
const MAX_ATTEMPTS = 20;

export type BeforeTurn = (
  sessionId: string,
  turn: number,
  continues: string | undefined,
) => Promise<{ readonly conditions: readonly Condition[]; readonly writes: readonly Write[] } | undefined>;

export class Turns {
  readonly #parts: TurnParts;
  readonly #lease: RelayLease;
  readonly #admitMessage: (sessionId: string) => Promise<readonly Write[]>;
  readonly #beforeTurn: BeforeTurn | undefined;
  /** The turns that run here, by session. */
  readonly #running = new Map<string, RunningTurn>();
  /** Sessions for which a start is on its way to the store: the record can say "running here" before `#running` does. */
  readonly #starting = new Map<string, number>();
  /**
   * Sessions whose latest turn may still count as running in the store though it does not run, because the store was away; with
   * the last event that was stored before readers had it, if there were others.
   */
  readonly #unclosed = new Map<string, number | null>();
  #isDraining = false;

  constructor(
    parts: Omit<TurnParts, 'renewLease'> & {
      /** Throws `rate_limited`, or gives what has to be written together with the start of a turn. */
      readonly admitMessage: (sessionId: string) => Promise<readonly Write[]>;
      /** What else has to hold and to be written with it; undefined: `continues` is nothing that could go on. */
      readonly beforeTurn?: BeforeTurn;
    },
  ) {
    this.#admitMessage = parts.admitMessage;
    this.#beforeTurn = parts.beforeTurn;
    this.#lease = new RelayLease(parts.store, parts.pulse, parts.now);
    this.#parts = { ...parts, renewLease: () => this.#lease.renewal() };
  }

  /** The session's turn, if it runs on this relay. */
  runningHere(sessionId: string): RunningTurn | undefined {
    return this.#running.get(sessionId);
  }

  /**
   * Starts the turn of a message, or joins the one that the same message id has started. Throws `message_conflict` when that
   * one had another text, `turn_running` while another turn runs, `unknown_session`, `shutting_down`.
   */
  async begin(request: BeginTurn): Promise<BegunOrJoined> {
    const { id } = request.session;
    this.#starting.set(id, (this.#starting.get(id) ?? 0) + 1);
    try {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const begun = (await this.#join(request)) ?? (await this.#startOrJoin(request));
        if (begun) return begun;
      }
    } finally {
      const others = (this.#starting.get(id) ?? 1) - 1;
      if (others === 0) this.#starting.delete(id);
      else this.#starting.set(id, others);
    }
    throw new RelayError('turn_running', { retryAfterMs: 1_000 });
  }

  /** Stops the session's running turn, on whatever relay it runs. Resolves when the wish is placed; no turn: nothing to do. */
  async stop(session: Session): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const here = this.#running.get(session.id);
      if (here) {
        here.stop();
        return;
      }
      const stored = await this.#record(session.id);
      if (stored?.record.status !== 'running') return;
      if (await this.#isDead(session.id, stored.record)) {
        await this.#close(session, stored.record, stored.version);
        return;
      }
      const value: TurnRecord = { ...stored.record, isStopRequested: true };
      const key = turnKey(session.id);
      const { isCommitted } = await this.#parts.store.commit(
        [{ type: 'version', key, version: stored.version }],
        [
          { type: 'put', key, value, expiresAtMs: historyKeptUntilMs(session.record) },
          { type: 'wake', topic: key },
        ],
      );
      if (isCommitted) return;
    }
  }

  /** Calls `listener` when the relay of that name gives no sign of life any more. Returns the function that ends it. */
  onDeath(relay: string, listener: () => void): () => void {
    return this.#lease.onDeath(relay, listener);
  }

  /** What the session's latest turn does now. A turn whose relay is dead is closed first, as interrupted. */
  async state(session: Session): Promise<{ state: TurnState; record: TurnRecord | undefined }> {
    for (;;) {
      const stored = await this.#record(session.id);
      if (stored?.record.status !== 'running') return { state: 'none', record: stored?.record };
      const { record, version } = stored;
      if (this.#running.has(session.id)) return { state: 'running', record };
      if (!(await this.#isDead(session.id, record))) return { state: 'elsewhere', record };
      await this.#close(session, record, version);
    }
  }

  /**
   * Refuses new turns, waits `patienceMs` for the running ones and then interrupts the rest. Resolves when none runs any more or
   * their ends could not be written in time.
   */
  async drain(patienceMs: number): Promise<void> {
    this.#isDraining = true;
    await this.#allEnded(patienceMs);
    for (const turn of this.#running.values()) turn.interrupt('shutting_down');
    await this.#allEnded(CLOSING_RETRY_MS * 2);
  }

  async #allEnded(patienceMs: number): Promise<void> {
    const ended = Promise.all([...this.#running.values()].map((turn) => turn.ended));
    const patience = Promise.withResolvers<void>();
    const timer = setTimeout(patience.resolve, patienceMs);
    await Promise.race([ended, patience.promise]);
    clearTimeout(timer);
  }

  /** What refuses a start may be the turn that the same message id has started a moment ago, here or at another relay. */
  async #startOrJoin(request: BeginTurn): Promise<BegunOrJoined | undefined> {
    try {
      return await this.#start(request);
    } catch (failure) {
      const isRefusal = failure instanceof RelayError && ['turn_running', 'rate_limited'].includes(failure.code);
      const joined = isRefusal ? await this.#join(request) : undefined;
      if (joined) return joined;
      throw failure;
    }
  }

  /** Undefined: the message id has started no turn yet. */
  async #join({ session, message, messageId }: BeginTurn): Promise<BegunOrJoined | undefined> {
    const stored = await this.#parts.store.get(messageKey(session.id, messageId));
    if (!stored) return undefined;
    const { turn, afterSequence, textHash } = parseMessageRecord(stored.value);
    if (textHash !== sha256(message)) throw new RelayError('message_conflict', { field: 'messageId' });
    return { turn, afterSequence, running: undefined };
  }

  /** Undefined: someone was quicker; look again. */
  async #start(request: BeginTurn): Promise<BegunOrJoined | undefined> {
    if (this.#isDraining) throw new RelayError('shutting_down', { retryAfterMs: 5_000 });
    const { session, message, messageId } = request;
    const previous = await this.#record(session.id);
    if (previous?.record.status === 'running') {
      if (!(await this.#isDead(session.id, previous.record))) {
        throw new RelayError('turn_running', { retryAfterMs: 1_000 });
      }
      await this.#close(session, previous.record, previous.version);
      return undefined;
    }
    const counting = await this.#admitMessage(session.id);
    const turn = (previous?.record.turn ?? 0) + 1;
    const before = await this.#before(request, turn);
    const afterSequence = previous?.record.endSequence ?? 0;
    const record: TurnRecord = {
      turn,
      status: 'running',
      relay: this.#lease.relay,
      afterSequence,
      endSequence: null,
      isStopRequested: false,
      storedUntil: null,
    };
    const expiresAtMs = historyKeptUntilMs(session.record);
    const question: RelayEvent = {
      type: 'question',
      data: {
        messageId,
        message,
        ...(request.continues !== undefined && { isContinuation: true }),
        timestamp: new Date().toISOString(),
      },
    };
    const firstEntry = entryOf(turn, question);
    const keys = { turn: turnKey(session.id), message: messageKey(session.id, messageId) };
    const messageRecord = { turn, afterSequence, textHash: sha256(message) };
    const log = sessionLog(session.id);
    const commit = this.#parts.store.commit(
      [
        { type: 'before', timeMs: this.#parts.now() + START_WITHIN_MS },
        { type: 'present', key: sessionKey(session.id) },
        { type: 'absent', key: keys.message },
        ...before.conditions,
        previous ? { type: 'version', key: keys.turn, version: previous.version } : { type: 'absent', key: keys.turn },
      ],
      [
        ...before.writes,
        { type: 'append', log, entries: [firstEntry], expiresAtMs },
        { type: 'put', key: keys.turn, value: record, expiresAtMs },
        { type: 'put', key: appendsKey(session.id), value: 0, expiresAtMs },
        { type: 'put', key: keys.message, value: messageRecord, expiresAtMs },
        { type: 'append', log: messageKeysLog(session.id), entries: [keys.message], expiresAtMs },
        this.#lease.renewal(),
        ...counting,
      ],
    );
    const result = await commit.catch((failure: unknown) => {
      // It may have happened all the same, and then nobody runs that turn.
      this.#closeWhenStoreIsBack(session, record, null, START_WITHIN_MS);
      throw failure;
    });
    if (!result.isCommitted) {
      if (result.failed.type === 'present') throw new RelayError('unknown_session');
      if (result.failed.type === 'before') throw new StoreUnavailableError('the store took too long');
      return undefined;
    }
    const [appended, put, appends] = result.results.slice(before.writes.length);
    if (appended?.type !== 'append' || put?.type !== 'put' || appends?.type !== 'put') {
      throw new Error('the store answered with something else');
    }
    const { lastSequence } = appended;
    const place = { record, version: put.version, appendsVersion: appends.version, firstEntry, lastSequence };
    return { turn, afterSequence, running: this.#run({ ...request, ...place }) };
  }

  async #before({ session, continues }: BeginTurn, turn: number) {
    if (!this.#beforeTurn && continues === undefined) return { conditions: [], writes: [] };
    const before = await this.#beforeTurn?.(session.id, turn, continues);
    if (before) return before;
    throw new RelayError('verification_over', { field: 'continues' });
  }

  #run(begun: BegunTurn): RunningTurn {
    const { session, record } = begun;
    const turn = new RunningTurn(this.#parts, begun);
    this.#running.set(session.id, turn);
    const release = this.#lease.hold();
    const unsubscribe = this.#parts.store.subscribe(turnKey(session.id), () => {
      // A look that fails is made up for by the next append, which requires the record to be unchanged.
      turn.look().catch(() => undefined);
    });
    turn.ended.then(() => {
      unsubscribe();
      release();
      if (this.#running.get(session.id) === turn) this.#running.delete(session.id);
      if (!turn.isResumable) this.#closeWhenStoreIsBack(session, record, turn.storedUntil, 0);
    });
    return turn;
  }

  async #record(sessionId: string): Promise<{ record: TurnRecord; version: number } | undefined> {
    const stored = await this.#parts.store.get(turnKey(sessionId));
    return stored && { record: parseTurnRecord(stored.value), version: stored.version };
  }

  async #isDead(sessionId: string, record: TurnRecord): Promise<boolean> {
    if (record.relay !== this.#lease.relay) return !(await this.#lease.isAlive(record.relay));
    return !this.#running.has(sessionId) && !this.#starting.has(sessionId);
  }

  /** Writes that a turn was interrupted which nobody runs any more. Someone else having done so already is as good. */
  async #close(session: Session, record: TurnRecord, version: number): Promise<void> {
    const storedUntil = this.#unclosed.get(session.id) ?? record.storedUntil;
    const code = this.#unclosed.has(session.id) ? 'store_unavailable' : 'stream_interrupted';
    const expiresAtMs = historyKeptUntilMs(session.record);
    const timestamp = new Date().toISOString();
    const entries = [
      entryOf(record.turn, { type: 'interrupted', data: { code, timestamp } }),
      entryOf(record.turn, { type: 'done', data: { timestamp } }),
    ];
    const log = sessionLog(session.id);
    const { lastSequence } = await this.#parts.store.readLog(log, Number.MAX_SAFE_INTEGER, 1);
    const endSequence = lastSequence + entries.length;
    const value: TurnRecord = { ...record, status: 'ended', endSequence, storedUntil };
    const key = turnKey(session.id);
    const writes: Write[] = [
      { type: 'append', log, entries, expiresAtMs },
      { type: 'put', key, value, expiresAtMs },
    ];
    await this.#parts.store.commit([{ type: 'version', key, version }], writes);
  }

  /** A turn whose start or last events the store may not have taken can still count as running there, until this has succeeded. */
  #closeWhenStoreIsBack(
    session: Session,
    { turn }: TurnRecord,
    storedUntil: number | null,
    /** What is on its way to the store has come to nothing by then. */
    afterMs: number,
  ): void {
    this.#unclosed.set(session.id, storedUntil);
    let tryAtMs = performance.now() + afterMs;
    let isTrying = false;
    const tryNow = (nowMs: number) => {
      if (isTrying || nowMs < tryAtMs || this.#starting.has(session.id)) return;
      tryAtMs = nowMs + CLOSING_RETRY_MS;
      isTrying = true;
      this.#record(session.id)
        .then(async (stored) => {
          const isOurs = stored?.record.turn === turn && stored.record.relay === this.#lease.relay;
          const isOpen = stored?.record.status === 'running' && !this.#running.has(session.id);
          if (isOurs && isOpen) await this.#close(session, stored.record, stored.version);
          this.#unclosed.delete(session.id);
          stop();
        })
        .catch(() => undefined)
        .finally(() => {
          isTrying = false;
        });
    };
    const stop = this.#parts.pulse.onBeat(tryNow);
    tryNow(performance.now());
  }
}
