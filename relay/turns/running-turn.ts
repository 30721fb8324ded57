/** One turn on the relay that runs it: reads the agent host, writes the log, ends for one of a few reasons, exactly once. */
import { type AgentHost, AgentHostError, type Credential } from '../agent-host/agent-host.ts';
import { RelayError, toRelayError } from '../errors.ts';
import { failureForLog, type Log, loggable } from '../log.ts';
import { ERROR_CODES, type ErrorCode } from '../protocol/error-codes.ts';
import type { ErrorEvent, HostErrorEvent, HostEvent, RelayEvent } from '../protocol/events.ts';
import type { Pulse } from '../pulse.ts';
import { sessionLog, turnKey } from '../sessions/session-record.ts';
import type { Session } from '../sessions/sessions.ts';
import type { Store, Write } from '../store/store.ts';
import { entryOf } from './log-entry.ts';
import { TurnFeed } from './turn-feed.ts';
import { type Appended, TurnLog } from './turn-log.ts';
import { parseTurnRecord, type TurnRecord } from './turn-record.ts';
import { type ToolCallDetail, visibleEvent } from './visible-events.ts';

/**
 * Why a turn is ended from outside. `stopped`: by the visitor. `interrupted`: by the relay, with the code that readers are told.
 * `gone`: its session was deleted or another relay has closed it; nothing more may be written.
 */
type Ending =
  | { readonly type: 'stopped' }
  | { readonly type: 'gone' }
  | { readonly type: 'interrupted'; readonly code: ErrorCode };

export interface TurnParts {
  readonly agentHost: AgentHost;
  readonly store: Store;
  readonly pulse: Pulse;
  readonly log: Log;
  readonly toolCalls: ToolCallDetail;
  /** Milliseconds that the turn goes on without a reader; may be `Infinity`. */
  readonly graceMs: number;
  /** The store's clock, as this process has it: Unix time in milliseconds. */
  readonly now: () => number;
  /** The write that says that this relay is alive. */
  readonly renewLease: () => Write;
}

export interface BegunTurn {
  readonly session: Session;
  readonly credential: Credential;
  readonly sessionSecret: string;
  readonly message: string;
  readonly requestId: string;
  readonly record: TurnRecord;
  /** Of the record in the store. */
  readonly version: number;
  /** Of the count of the turn's appends, which is 0. */
  readonly appendsVersion: number;
  /** The turn's first event, as it is in the log. */
  readonly firstEntry: string;
  /** Of the session's log, after the turn's first event. */
  readonly lastSequence: number;
}

export class RunningTurn {
  readonly feed: TurnFeed;
  /** Resolves when the host's headers have come; rejects with the `RelayError` for which the turn failed before that. */
  readonly started: Promise<void>;
  /** Resolves, never rejects, when the turn has ended and its end is written (or cannot be written). */
  readonly ended: Promise<void>;
  readonly #parts: TurnParts;
  readonly #begun: BegunTurn;
  readonly #log: TurnLog;
  readonly #abort = new AbortController();
  #ending: Ending | undefined;
  /** Code of the error that readers were told. */
  #toldError: ErrorCode | undefined;
  #eventCount = 0;
  #isEndWritten = false;
  #isOver = false;
  #graceTimer: NodeJS.Timeout | undefined;

  constructor(parts: TurnParts, begun: BegunTurn) {
    this.#parts = parts;
    this.#begun = begun;
    this.feed = new TurnFeed([begun.firstEntry], begun.lastSequence, () => this.#onLastReaderLeft());
    this.#log = new TurnLog({ ...parts, ...begun, feed: this.feed });
    const started = Promise.withResolvers<void>();
    this.started = started.promise;
    // Whoever waits for the start gets the failure; when nobody does, the log and the stream have it.
    started.promise.catch(() => undefined);
    this.ended = this.#run(started);
  }

  get turn(): number {
    return this.#begun.record.turn;
  }

  /** False once events went to readers without having been stored: then the store does not have the turn's end. */
  get isResumable(): boolean {
    return this.#log.isResumable;
  }

  /** Null while the log has all. Otherwise the last event that went to the log before it went to readers. */
  get storedUntil(): number | null {
    return this.#log.storedUntil;
  }

  /** Closes the upstream connection at once; what was written stays and is marked as stopped. */
  stop(): void {
    this.#end({ type: 'stopped' });
  }

  /** The same, by the relay's own will. */
  interrupt(code: ErrorCode): void {
    this.#end({ type: 'interrupted', code });
  }

  /** Looks into the store for what someone else wants of this turn: that it stops, or that it is none any more. */
  async look(): Promise<void> {
    const { session, record } = this.#begun;
    const stored = await this.#parts.store.get(turnKey(session.id));
    const current = stored && parseTurnRecord(stored.value);
    if (!current || current.turn !== record.turn || current.status === 'ended') {
      this.#end({ type: 'gone' });
    } else if (current.isStopRequested) {
      this.#log.acknowledge(stored.version);
      this.stop();
    }
    // The same wake-up is used by who writes into this turn's log beside it. Only then do its readers need the store.
    const { lastSequence } = await this.#parts.store.readLog(sessionLog(session.id), Number.MAX_SAFE_INTEGER, 1);
    if (lastSequence !== this.feed.lastSequence) this.feed.lookAgain();
  }

  #end(ending: Ending): void {
    // A turn that is gone can write nothing any more, whatever it was about to end for.
    if (this.#ending && ending.type !== 'gone') return;
    this.#ending = ending;
    this.#abort.abort(new Error(`the turn is ${ending.type}`));
  }

  #onLastReaderLeft(): void {
    const { graceMs } = this.#parts;
    if (graceMs === Number.POSITIVE_INFINITY || this.#isOver) return;
    clearTimeout(this.#graceTimer);
    this.#graceTimer = setTimeout(() => {
      if (!this.feed.hasWatchers) this.interrupt('stream_interrupted');
    }, graceMs).unref();
  }

  async #run(started: PromiseWithResolvers<void>): Promise<void> {
    const startedAtMs = performance.now();
    let failure: RelayError | undefined;
    let isWritten = false;
    try {
      isWritten = await this.#relay(started);
      if (!isWritten) throw new AgentHostError('stream_incomplete', 'the stream ended without done');
    } catch (thrown) {
      if (!this.#ending) failure = toRelayError(thrown);
    }
    this.#isOver = true;
    clearTimeout(this.#graceTimer);
    if (!isWritten) await this.#writeEnd(failure);
    if (failure) started.reject(failure);
    else started.resolve();
    this.#log.close();
    this.feed.close();
    this.#report(failure, performance.now() - startedAtMs);
  }

  /** Passes the host's events on. True when the turn's end was among them and is written. */
  async #relay(started: PromiseWithResolvers<void>): Promise<boolean> {
    const { session, credential, sessionSecret, message } = this.#begun;
    const { application, hostSessionId } = session.record;
    const request = { application, hostSessionId, credential, sessionSecret, message };
    const answer = await this.#parts.agentHost.streamTurn(request, this.#abort.signal);
    started.resolve();
    await answer.passTo((batch) => this.#pass(batch));
    return this.#isEndWritten;
  }

  /** Into the log, and from there to the readers. Without a promise where the log answers at once and a reader has room. */
  #pass(batch: readonly HostEvent[]): void | Promise<void> {
    const entries: string[] = [];
    for (const event of batch) {
      const shown = event.type === 'error' ? this.#hostError(event) : visibleEvent(event, this.#parts.toolCalls);
      if (shown) entries.push(entryOf(this.#begun.record.turn, shown));
    }
    if (entries.length === 0) return;
    const isEnd = batch.at(-1)?.type === 'done';
    this.#eventCount += entries.length;
    const appended = this.#log.append(entries, isEnd);
    if (typeof appended === 'string') return this.#afterAppend(appended, isEnd);
    return appended.then((each) => this.#afterAppend(each, isEnd));
  }

  #afterAppend(appended: Appended, isEnd: boolean): void | Promise<void> {
    if (appended === 'superseded') return this.#endSuperseded();
    this.#isEndWritten = isEnd;
    if (!isEnd && this.feed.isFull) return this.feed.room(this.#abort.signal);
  }

  /** Someone else has changed the turn's record. Always throws. */
  async #endSuperseded(): Promise<never> {
    try {
      await this.look();
    } finally {
      // Whoever superseded this turn without a wish that can be read has taken it over.
      if (!this.#ending) this.#end({ type: 'gone' });
    }
    throw new Error('the turn was superseded');
  }

  #hostError(event: HostErrorEvent): ErrorEvent {
    const { log } = this.#parts;
    log.warn({ ...this.#ids(), hostError: loggable(event.data.logText) }, 'the host reported an error');
    return this.#errorEvent(new RelayError('upstream_error'));
  }

  #errorEvent({ code, details }: RelayError): ErrorEvent {
    this.#toldError = code;
    const { isRetryable, title } = ERROR_CODES[code];
    const wait = details.retryAfterMs === undefined ? {} : { retryAfterMs: details.retryAfterMs };
    const { requestId } = this.#begun;
    return {
      type: 'error',
      data: { code, message: title, retryable: isRetryable, ...wait, requestId, timestamp: timestamp() },
    };
  }

  /** Writes how the turn ended, when the host's own `done` did not say so. */
  async #writeEnd(failure: RelayError | undefined): Promise<void> {
    const ending = this.#ending;
    if (ending?.type === 'gone') return;
    const events: RelayEvent[] = [];
    if (ending?.type === 'stopped') events.push({ type: 'stopped', data: { timestamp: timestamp() } });
    else if (ending) events.push({ type: 'interrupted', data: { code: ending.code, timestamp: timestamp() } });
    // A host that has reported an error and then leaves out `done` has failed once, not twice.
    else if (failure && !this.#toldError) events.push(this.#errorEvent(failure));
    events.push({ type: 'done', data: { timestamp: timestamp() } });
    const entries = events.map((event) => entryOf(this.#begun.record.turn, event));
    await this.#log.append(entries, true);
  }

  #ids() {
    const { session, record, requestId } = this.#begun;
    return { sessionId: session.id, turn: record.turn, requestId };
  }

  #report(failure: RelayError | undefined, durationMs: number): void {
    const { log } = this.#parts;
    const code = this.#toldError ?? failure?.code;
    const line = {
      ...this.#ids(),
      outcome: this.#ending?.type ?? (code ? 'failed' : 'complete'),
      ...(code && { code }),
      ...(this.isResumable ? {} : { isResumable: false }),
      events: this.#eventCount,
      durationMs: Math.round(durationMs),
      ...(failure && failureForLog(failure.cause ?? failure)),
    };
    if (code === 'internal_error') log.error(line, 'turn');
    else if (code) log.warn(line, 'turn');
    else log.info(line, 'turn');
  }
}

function timestamp(): string {
  return new Date().toISOString();
}
