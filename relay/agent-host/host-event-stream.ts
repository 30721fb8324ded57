import type { IncomingMessage } from 'node:http';
import type { HostEvent } from '../protocol/events.ts';
import { type Frame, FrameLimitError, type FrameLimits, FrameReader } from '../protocol/frame-reader.ts';
import { AgentHostError } from './agent-host.ts';
import { isHostEventType, type OnMalformed, readHostEvent } from './host-event.ts';
import type { TurnRedactor } from './turn-redactor.ts';

export interface HostEventStreamLimits extends FrameLimits {
  /** All bytes of one turn. */
  readonly maxTurnBytes: number;
  /** The longest time without a byte while we wait for one. */
  readonly idleMs: number;
  /** The longest time that the whole answer may take. */
  readonly turnMs: number;
}

/** So much may wait for the consumer before the connection is paused. */
const HIGH_WATER_BYTES = 65_536;
/**
 * After `done` the host gets this long to close in good order: many servers take a lost connection for a visitor who
 * left, and would drop what they still do with the turn.
 */
const CLOSE_GRACE_MS = 1_000;

type Next = IteratorResult<readonly HostEvent[], undefined>;

/**
 * The events of one answer, read as they come: everything that came between two reads is one batch. Ends after `done`,
 * or after an `error` event however the stream ended then; otherwise throws `AgentHostError`, after the events that
 * came before. Can be read once, and has to be aborted or read to its end.
 *
 * It listens to the stream by itself, since Node's own iterator of a stream costs several promises a piece.
 */
export class HostEventStream implements AsyncIterableIterator<readonly HostEvent[], undefined> {
  readonly #response: IncomingMessage;
  readonly #limits: HostEventStreamLimits;
  readonly #redactor: TurnRedactor;
  readonly #onMalformed: OnMalformed;
  readonly #signal: AbortSignal;
  readonly #reader: FrameReader;
  readonly #turnTimer: NodeJS.Timeout;
  #idleTimer: NodeJS.Timeout;
  #waiting: PromiseWithResolvers<Next> | undefined;
  #batch: HostEvent[] = [];
  #batchBytes = 0;
  #turnBytes = 0;
  #isPaused = false;
  #hasEnded = false;
  #failure: unknown;
  #hasSeenHostEvent = false;
  #hasSeenError = false;

  constructor(
    response: IncomingMessage,
    limits: HostEventStreamLimits,
    redactor: TurnRedactor,
    onMalformed: OnMalformed,
    signal: AbortSignal,
  ) {
    this.#response = response;
    this.#limits = limits;
    this.#redactor = redactor;
    this.#onMalformed = onMalformed;
    this.#signal = signal;
    this.#reader = new FrameReader(limits);
    this.#turnTimer = setTimeout(this.#onTurnLimit, limits.turnMs);
    this.#idleTimer = setTimeout(this.#onIdle, limits.idleMs);
    signal.addEventListener('abort', this.#onAbort, { once: true });
    response.on('data', this.#onData);
    response.once('end', this.#onEnd);
    response.once('close', this.#onClose);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Next> {
    const waiting = Promise.withResolvers<Next>();
    if (!this.#settle(waiting)) this.#waiting = waiting;
    return waiting.promise;
  }

  /** Called by a reader who leaves early. After `done` the host still closes in good order. */
  async return(): Promise<Next> {
    this.#batch = [];
    if (!this.#hasEnded) {
      this.#end();
      this.#response.destroy();
    }
    return { done: true, value: undefined };
  }

  /** Gives the reader what there is: the events that have come, or else the end. */
  #settle(waiting: PromiseWithResolvers<Next>): boolean {
    if (this.#batch.length > 0) {
      waiting.resolve({ done: false, value: this.#takeBatch() });
    } else if (!this.#hasEnded) {
      return false;
    } else if (this.#failure === undefined) {
      waiting.resolve({ done: true, value: undefined });
    } else {
      waiting.reject(this.#failure);
      this.#failure = undefined;
    }
    return true;
  }

  #wake(): void {
    if (this.#waiting && this.#settle(this.#waiting)) this.#waiting = undefined;
  }

  #takeBatch(): HostEvent[] {
    const batch = this.#batch;
    this.#batch = [];
    this.#batchBytes = 0;
    if (this.#isPaused && !this.#hasEnded) {
      this.#isPaused = false;
      this.#idleTimer = setTimeout(this.#onIdle, this.#limits.idleMs);
      this.#response.resume();
    }
    return batch;
  }

  readonly #onData = (piece: Buffer): void => {
    this.#turnBytes += piece.length;
    if (this.#turnBytes > this.#limits.maxTurnBytes) {
      this.#fail(new AgentHostError('limit_exceeded', `the answer is longer than ${this.#limits.maxTurnBytes} bytes`));
      return;
    }
    this.#idleTimer.refresh();
    this.#takeFrames(() => this.#reader.push(piece));
    if (this.#hasEnded) return;
    this.#wake();
    this.#batchBytes += piece.length;
    if (this.#batch.length === 0) this.#batchBytes = 0;
    if (this.#batchBytes > HIGH_WATER_BYTES) {
      // A host that may not send is not an idle host.
      this.#isPaused = true;
      clearTimeout(this.#idleTimer);
      this.#response.pause();
    }
  };

  /** Whatever goes wrong is the failure of the turn: thrown from here, it would end the process. */
  #takeFrames(read: () => readonly Frame[]): void {
    try {
      for (const frame of read()) {
        this.#takeFrame(frame);
        if (this.#hasEnded) return;
      }
    } catch (error) {
      this.#fail(error instanceof FrameLimitError ? new AgentHostError('limit_exceeded', error.message) : error);
    }
  }

  #takeFrame(frame: Frame): void {
    if (!isHostEventType(frame.type)) return;
    this.#hasSeenHostEvent = true;
    const event = readHostEvent(frame, this.#onMalformed);
    if (!event) return;
    if (event.type === 'error') this.#hasSeenError = true;
    this.#redactor.push(event, this.#batch);
    if (event.type === 'done') this.#closeAfterDone();
  }

  readonly #onEnd = (): void => {
    this.#takeFrames(() => this.#reader.end());
    if (this.#hasEnded) return;
    const isForeign = !this.#hasSeenHostEvent && this.#reader.hasSeenContent;
    this.#fail(
      isForeign
        ? new AgentHostError('upstream_protocol', "the answer's body is not the agent host's protocol")
        : new AgentHostError('stream_incomplete', 'the answer ended without "done"'),
    );
  };

  /** Comes after `end` too, when everything is over already. */
  readonly #onClose = (): void => {
    this.#fail(new AgentHostError('stream_interrupted', 'the connection to the agent host was lost'));
  };

  readonly #onIdle = (): void => {
    this.#fail(new AgentHostError('upstream_timeout', `no byte of the answer within ${this.#limits.idleMs} ms`));
  };

  readonly #onTurnLimit = (): void => {
    this.#fail(new AgentHostError('limit_exceeded', `the answer took longer than ${this.#limits.turnMs} ms`));
  };

  readonly #onAbort = (): void => {
    this.#batch = [];
    this.#end(this.#signal.reason);
    this.#response.destroy();
  };

  #fail(error: unknown): void {
    if (this.#hasEnded) return;
    this.#redactor.flush(this.#batch);
    // The host has told of its failure itself; how the stream ended afterwards is no second one.
    this.#end(this.#hasSeenError ? undefined : error);
    this.#response.destroy();
  }

  #closeAfterDone(): void {
    this.#end();
    const timer = setTimeout(() => this.#response.destroy(), CLOSE_GRACE_MS);
    timer.unref();
    this.#response.once('close', () => clearTimeout(timer));
    this.#response.resume();
  }

  #end(failure?: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#failure = failure;
    clearTimeout(this.#idleTimer);
    clearTimeout(this.#turnTimer);
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#response.off('data', this.#onData);
    this.#response.off('end', this.#onEnd);
    this.#response.off('close', this.#onClose);
    this.#wake();
  }
}
