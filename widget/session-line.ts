/**
 * The line between this page and one open session: sends each message once, and brings every answer home, whatever happens to
 * the connection. What became of a request is judged by what happened, never by a browser's words for it: where no answer
 * came, the relay is asked what it knows, and reading goes on after the last event that came.
 */
import { type Conversation, type LineState, runningAnswer, type ShownProblem } from './conversation.ts';
import { holdFreeLock } from './lock.ts';
import type { PageEnvironment } from './page-environment.ts';
import { endReasonOf, problemOf } from './problem.ts';
import { type ConversationAction, isGapBefore, type ReceivedEvent, type ReceivedSnapshot } from './reduce.ts';
import {
  type EventBatches,
  type RelayClient,
  RelayProblemError,
  RelayUnreachableError,
  type SessionAccess,
  type VerificationAnswer,
} from './relay-client.ts';
import { type TabMessage, Tabs } from './tabs.ts';

/** The relay sends at least a comment every 15 s: three missing ones mean a dead connection. */
const SILENCE_LIMIT_MS = 45_000;
/** A page that wakes up trusts a connection less: one missing comment is enough. */
const SILENCE_LIMIT_ON_WAKING_MS = 20_000;
const WATCH_INTERVAL_MS = 5_000;
/** A connection that lived this long was a good one, even when it brought nothing. */
const GOOD_LINE_MS = 5_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4_000;
const OFFLINE_WAIT_MS = 30_000;
/** How often an answer is asked for while other tabs have all streams. */
const CROWDED_WAIT_MS = 1_000;
const STREAM_PLACES = ['parley-stream-1', 'parley-stream-2', 'parley-stream-3', 'parley-stream-4'];
/** About 40 s of trying while the device says that it is online; then the visitor is told. */
const MOST_FAILURES = 16;

export interface LineOwner {
  readonly conversation: Conversation;
  dispatch(action: ConversationAction): void;
}

export interface OpenSession extends SessionAccess {
  /** Unix milliseconds by this device's clock. */
  readonly expiresAtMs: number;
}

interface Message {
  readonly messageId: string;
  readonly message?: string;
  /** In place of the message. */
  readonly continues?: string;
}

export class SessionLine {
  readonly #client: RelayClient;
  readonly #session: OpenSession;
  readonly #environment: PageEnvironment;
  readonly #owner: LineOwner;
  readonly #closing = new AbortController();
  readonly #wakers = new Set<() => void>();
  #tabs: Tabs | undefined;
  /** Aborted when the page no longer wants to read; undefined while there is nothing to read. */
  #reading: AbortController | undefined;
  /** The request of now. */
  #connection: AbortController | undefined;
  /** The relay has begun to answer it. */
  #isAnswered = false;
  /** Ends waiting for the tab that reads. Undefined while this tab reads itself. */
  #stopFollowing: (() => void) | undefined;
  #heardAtMs = 0;
  #failures = 0;
  #catchingUp: Promise<ReceivedSnapshot> | undefined;
  /** The question whose turn is to be stopped when it begins. */
  #stopping: string | undefined;

  constructor(client: RelayClient, session: OpenSession, environment: PageEnvironment, owner: LineOwner) {
    this.#client = client;
    this.#session = session;
    this.#environment = environment;
    this.#owner = owner;
  }

  /** Joins the other tabs and reads what runs. */
  open(): void {
    this.#tabs = new Tabs(this.#session.sessionId, this.#environment, (message) => void this.#hear(message));
    this.takeUp();
  }

  /** Lets go of connection and tabs without a word; an answer that runs stays as it is. */
  pause(): void {
    this.#reading?.abort();
    this.#tabs?.leave();
    this.#tabs = undefined;
  }

  /** Joins again after `pause`, and learns what happened meanwhile. */
  async reopen(): Promise<void> {
    this.open();
    if (this.#reading !== undefined) return;
    try {
      await this.#catchUp();
      this.takeUp();
    } catch (error) {
      // Nothing runs here, so that an unreachable relay is noticed soon enough.
      if (error instanceof RelayProblemError) this.#endIfOver(error.problem);
    }
  }

  /** Lets go for good. */
  close(): void {
    this.#closing.abort();
    this.pause();
  }

  /** Tells the other tabs that the session is over. */
  tellEnded(reason: Extract<TabMessage, { type: 'ended' }>['reason']): void {
    this.#tabs?.tell({ type: 'ended', reason });
  }

  /** Sends the message of the running answer; exactly one request, whatever becomes of it. */
  send(messageId: string, message: string): void {
    this.#begin({ messageId, message });
  }

  /** Begins the turn in which a released transaction goes on. */
  sendContinuation(messageId: string, continues: string): void {
    this.#begin({ messageId, continues });
  }

  /** Reads the running answer on, if there is one and nobody here reads it yet. */
  takeUp(): void {
    if (this.#tabs !== undefined && this.#reading === undefined && this.#running !== undefined) this.#begin();
  }

  /**
   * The page is seen again, or the device is online again: no more waiting. `isLineNew`: connections of before are dead even
   * if they do not know it.
   */
  wake(isLineNew: boolean): void {
    for (const wake of [...this.#wakers]) wake();
    const silenceMs = Date.now() - this.#heardAtMs;
    if (this.#reading !== undefined) {
      if ((isLineNew && this.#isAnswered) || silenceMs > SILENCE_LIMIT_ON_WAKING_MS) this.#renew();
    } else this.takeUp();
  }

  async stop(questionId: string): Promise<void> {
    if (this.#running?.turn === undefined) this.#stopping = questionId;
    const signal = this.#closing.signal;
    for (let failures = 0; failures < MOST_FAILURES && this.#running?.questionId === questionId; failures++) {
      try {
        await this.#client.stop(this.#session, signal);
        return this.takeUp();
      } catch (error) {
        if (signal.aborted || error instanceof RelayProblemError) return;
        await this.#wait(waitMs(failures), signal);
      }
    }
  }

  async verify(answer: VerificationAnswer): Promise<void> {
    try {
      await this.#client.verify(this.#session, answer, this.#closing.signal);
      if (this.#reading === undefined) await this.#catchUp();
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      const problem = error instanceof RelayProblemError ? error.problem : problemOf('upstream_unreachable');
      this.#dispatch({ type: 'verification-refused', transactionId: answer.transactionId, problem });
      this.#endIfOver(problem);
    }
  }

  get #running() {
    return runningAnswer(this.#owner.conversation);
  }

  #begin(message?: Message): void {
    this.#reading?.abort();
    const reading = new AbortController();
    this.#reading = reading;
    this.#failures = 0;
    this.#heardAtMs = Date.now();
    const watch = setInterval(() => this.#watch(), WATCH_INTERVAL_MS);
    const read = async () => {
      try {
        await this.#lead(reading.signal, message !== undefined);
        await this.#readToEnd(reading.signal, message);
      } finally {
        clearInterval(watch);
        reading.abort();
        if (this.#reading === reading) this.#reading = undefined;
      }
    };
    void read();
  }

  /** Waits until it is this tab's turn to read; not for ever, since the one that reads may be asleep. */
  async #lead(signal: AbortSignal, isSender: boolean): Promise<void> {
    if (this.#tabs === undefined) return;
    const lead = this.#tabs.lead(signal).catch(() => {
      // The page has stopped reading, or the document may not lock: reading goes on, or ends, in any case.
    });
    // The sender has a stream of its own; the others follow it because it stood in line before them.
    if (isSender) return;
    const patience = new Promise<void>((resolve) => {
      this.#stopFollowing = resolve;
      signal.addEventListener('abort', () => resolve());
    });
    await Promise.race([lead, patience]);
    this.#stopFollowing = undefined;
  }

  async #readToEnd(signal: AbortSignal, message: Message | undefined): Promise<void> {
    let unsent = message;
    while (this.#running !== undefined && !signal.aborted) {
      let leastWaitMs = 0;
      let isCrowded = false;
      try {
        isCrowded = !(await (unsent === undefined ? this.#readOn(signal) : this.#readFirst(unsent, signal)));
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof RelayProblemError) {
          await this.#takeProblem(error.problem, unsent);
          leastWaitMs = error.problem.retryAfterMs ?? 0;
        } else if (!(error instanceof RelayUnreachableError)) throw error;
      }
      unsent = undefined;
      if (this.#running === undefined) break;
      if (isCrowded) {
        this.#failures = 0;
        await this.#wait(CROWDED_WAIT_MS, signal);
        continue;
      }
      if (this.#failures >= MOST_FAILURES) return this.#showLine('lost');
      const isOnline = this.#environment.isOnline();
      this.#showLine(isOnline ? 'resuming' : 'offline');
      await this.#wait(isOnline ? Math.max(waitMs(this.#failures++), leastWaitMs) : OFFLINE_WAIT_MS, signal);
    }
  }

  #readFirst(message: Message, signal: AbortSignal): Promise<boolean> {
    const after = this.#owner.conversation.position;
    return this.#connect(signal, true, (connected) =>
      this.#client.sendMessage(this.#session, message, after, connected),
    );
  }

  async #readOn(signal: AbortSignal): Promise<boolean> {
    if (this.#running?.turn === undefined) {
      // The message went out and no answer came: only the relay knows whether its turn has begun.
      await this.#catchUp();
      const unknown = this.#running;
      if (unknown?.turn === undefined) {
        this.#breakOff('failed', problemOf('upstream_unreachable'), unknown?.questionId);
        return true;
      }
    }
    const after = this.#owner.conversation.position;
    const wasRead = await this.#connect(signal, false, (connected) =>
      this.#client.readEvents(this.#session, after, connected),
    );
    // After a stream that ended in good order either the turn has ended, or the relay asks for another connection.
    if (this.#running !== undefined && (await this.#catchUp()).runningTurn === undefined) {
      this.#breakOff('incomplete', problemOf('stream_incomplete'));
    }
    return wasRead;
  }

  /**
   * Reads one connection until it ends. False when this browser has as many streams as it can bear: over HTTP/1.1 it opens six
   * connections to a host, for all its tabs together. A message then goes out and is seen to be taken; its answer is asked
   * for now and then.
   */
  async #connect(
    signal: AbortSignal,
    isMessage: boolean,
    request: (connected: AbortSignal) => Promise<EventBatches>,
  ): Promise<boolean> {
    signal.throwIfAborted();
    const connection = new AbortController();
    this.#connection = connection;
    this.#heardAtMs = Date.now();
    signal.addEventListener('abort', () => connection.abort(), { signal: connection.signal });
    try {
      const hasPlace = await holdFreeLock(this.#environment.locks(), STREAM_PLACES, connection.signal);
      if (!hasPlace && !isMessage) return false;
      const batches = await request(connection.signal);
      const openedAtMs = Date.now();
      this.#isAnswered = true;
      this.#showLine('online');
      for await (const events of batches) {
        if (events.length > 0 || Date.now() - openedAtMs > GOOD_LINE_MS) this.#failures = 0;
        this.#tabs?.tell({ type: 'received', events: events.filter((event) => event.sequence > 0) });
        await this.#receive(events);
        if (!hasPlace && this.#running?.turn !== undefined) return false;
      }
      return true;
    } finally {
      this.#isAnswered = false;
      this.#connection = undefined;
      connection.abort();
    }
  }

  /** Another tab tells what it has read, or that the session is over. */
  async #hear(message: TabMessage): Promise<void> {
    if (message.type === 'ended') return this.#dispatch({ type: 'ended', reason: message.reason, atMs: Date.now() });
    try {
      await this.#receive(message.events);
    } catch {
      // The gap could not be filled: this tab stays where it is, and reads on from there by itself.
    }
    if (this.#running === undefined && this.#stopFollowing !== undefined) this.#reading?.abort();
    this.takeUp();
  }

  async #receive(events: readonly ReceivedEvent[]): Promise<void> {
    this.#heardAtMs = Date.now();
    if (events.length === 0) return;
    // Events outside of turns came while nobody read, or another tab began to tell in the middle. A snapshot that was on its
    // way already may be too old; what a second one does not have is nowhere.
    const isGapTold = events.some((event) => event.type === 'history-gone');
    for (let tries = 0; tries < 2 && !isGapTold && isGapBefore(this.#owner.conversation, events); tries++) {
      await this.#catchUp();
    }
    this.#dispatch({ type: 'received', events });
    const running = this.#running;
    if (running?.turn !== undefined && running.questionId === this.#stopping) {
      // The stop may have come to the relay before the message.
      this.#stopping = undefined;
      void this.stop(running.questionId);
    }
  }

  /** Brings the state up to what the relay knows. */
  #catchUp(): Promise<ReceivedSnapshot> {
    this.#catchingUp ??= this.#client
      .readSession(this.#session, this.#closing.signal)
      .then((snapshot) => {
        this.#dispatch({ type: 'restored', snapshot, expiresAtMs: this.#session.expiresAtMs });
        this.#showLine('online');
        return snapshot;
      })
      .finally(() => {
        this.#catchingUp = undefined;
      });
    return this.#catchingUp;
  }

  /** The relay refused: the message, or to give the events of the running answer. */
  async #takeProblem(problem: ShownProblem, unsent: Message | undefined): Promise<void> {
    this.#showLine('online');
    if (unsent !== undefined) {
      this.#breakOff('failed', problem, unsent.messageId);
      if (problem.retryAfterMs !== undefined) {
        this.#dispatch({ type: 'busy', untilMs: Date.now() + problem.retryAfterMs });
      }
      // Another tab has sent before: its answer is read here too.
      if (problem.code === 'turn_running') await this.#catchUp().catch(() => {});
    } else if (!problem.retryable) this.#breakOff('incomplete', problem);
    this.#endIfOver(problem);
  }

  #endIfOver(problem: ShownProblem): void {
    const reason = endReasonOf(problem);
    if (reason === undefined) return;
    this.tellEnded(reason);
    this.#dispatch({ type: 'ended', reason, atMs: Date.now() });
  }

  #breakOff(status: 'failed' | 'incomplete', problem: ShownProblem, questionId = this.#running?.questionId): void {
    if (questionId !== undefined) {
      this.#dispatch({ type: 'broken-off', questionId, status, problem, atMs: Date.now() });
    }
  }

  /** What arrives after the line was closed is nobody's any more. */
  #dispatch(action: ConversationAction): void {
    if (!this.#closing.signal.aborted) this.#owner.dispatch(action);
  }

  #showLine(line: LineState): void {
    this.#dispatch({ type: 'line', line });
  }

  /** Timers of a hidden page are late, and what it heard may still be on its way to it: it is not judged. */
  #watch(): void {
    const isSilent = Date.now() - this.#heardAtMs > SILENCE_LIMIT_MS;
    if (isSilent && this.#environment.document.visibilityState === 'visible') this.#renew();
  }

  #renew(): void {
    this.#heardAtMs = Date.now();
    this.#stopFollowing?.();
    this.#connection?.abort(new RelayUnreachableError('Nothing came for too long.'));
  }

  /** Ends early when the page wakes up, and when the signal aborts. */
  #wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#wakers.delete(end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#wakers.add(end);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    });
  }
}

/** Spread, so that not all pages come back to a restarted relay in the same moment. */
function waitMs(failures: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures) * (0.5 + Math.random() / 2);
}
