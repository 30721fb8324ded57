import type { IncomingMessage } from 'node:http';
import type { HostEvent } from '../protocol/events.ts';
import { type Frame, FrameLimitError, type FrameLimits, FrameReader } from '../protocol/frame-reader.ts';
import { afterReads } from './after-reads.ts';
import { AgentHostError, type HostAnswer } from './agent-host.ts';
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
/** More than so much of one answer is not put off until the other connections were read. */
const MAX_PUT_OFF_BYTES = 4_096;
const MAX_PUT_OFF_PIECES = 16;
/**
 * After `done` the host gets this long to close in good order: many servers take a lost connection for a visitor who
 * left, and would drop what they still do with the turn.
 */
const CLOSE_GRACE_MS = 1_000;

type Take = (events: readonly HostEvent[]) => void | Promise<void>;

/**
 * Listens to the stream by itself and calls who wants the events, instead of being asked for them: Node's own iterator of
 * a stream, and an iterator of ours on top, would cost several promises a piece.
 */
export class HostEventStream implements HostAnswer {
  readonly #response: IncomingMessage;
  readonly #limits: HostEventStreamLimits;
  readonly #redactor: TurnRedactor;
  readonly #onMalformed: OnMalformed;
  readonly #signal: AbortSignal;
  readonly #reader: FrameReader;
  readonly #turnTimer: NodeJS.Timeout;
  readonly #passed = Promise.withResolvers<void>();
  #idleTimer: NodeJS.Timeout;
  #take: Take | undefined;
  /** A promise of `take` is pending. */
  #isTaking = false;
  /** What was read and not yet looked at. */
  readonly #pieces: Buffer[] = [];
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

  passTo(take: Take): Promise<void> {
    this.#take = take;
    this.#pass();
    return this.#passed.promise;
  }

  /** Gives out what there is: the events that have come, and then the end. */
  #pass(): void {
    if (!this.#take || this.#isTaking) return;
    if (this.#batch.length > 0) {
      this.#giveOut(this.#take, this.#takeBatch());
      if (this.#isTaking) return;
    }
    if (!this.#hasEnded) return;
    if (this.#failure === undefined) this.#passed.resolve();
    else this.#passed.reject(this.#failure);
  }

  #giveOut(take: Take, batch: readonly HostEvent[]): void {
    let taking: void | Promise<void>;
    try {
      taking = take(batch);
    } catch (error) {
      this.#refuse(error);
      return;
    }
    if (!taking) return;
    this.#isTaking = true;
    taking.then(this.#onTaken, this.#onNotTaken);
  }

  readonly #onTaken = (): void => {
    this.#isTaking = false;
    this.#pass();
  };

  readonly #onNotTaken = (error: unknown): void => {
    this.#isTaking = false;
    this.#refuse(error);
    this.#pass();
  };

  /** Whoever takes the events wants no more. After `done` the host still closes in good order. */
  #refuse(error: unknown): void {
    this.#batch = [];
    if (this.#hasEnded) {
      this.#failure ??= error;
    } else {
      this.#end(error);
      this.#response.destroy();
    }
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
    const isFirst = this.#pieces.push(piece) === 1;
    // A host that sends as fast as it can is held up after each piece, not after all that the network has.
    if (piece.length > MAX_PUT_OFF_BYTES || this.#pieces.length > MAX_PUT_OFF_PIECES) this.#readPieces();
    else if (isFirst) afterReads(this.#readPieces);
  };

  readonly #readPieces = (): void => {
    if (this.#hasEnded) return;
    for (const piece of this.#pieces) {
      this.#takeFrames(piece);
      this.#batchBytes += piece.length;
    }
    this.#pieces.length = 0;
    this.#pass();
    if (this.#batch.length === 0) this.#batchBytes = 0;
    if (this.#batchBytes > HIGH_WATER_BYTES && !this.#hasEnded && !this.#isPaused) {
      // A host that may not send is not an idle host.
      this.#isPaused = true;
      clearTimeout(this.#idleTimer);
      this.#response.pause();
    }
  };

  /**
   * `undefined`: the stream has ended in good order. Whatever goes wrong is the failure of the turn: thrown from here, it
   * would end the process.
   */
  #takeFrames(piece: Buffer | undefined): void {
    if (this.#hasEnded) return;
    try {
      for (const frame of piece ? this.#reader.push(piece) : this.#reader.end()) {
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
    this.#readPieces();
    this.#takeFrames(undefined);
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
    this.#readPieces();
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
    this.#pieces.length = 0;
    this.#failure = failure;
    clearTimeout(this.#idleTimer);
    clearTimeout(this.#turnTimer);
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#response.off('data', this.#onData);
    this.#response.off('end', this.#onEnd);
    this.#response.off('close', this.#onClose);
    this.#pass();
  }
}
