import { once } from 'node:events';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { type PlayedFrame, toWire } from './answer.ts';

/** One request that the host got. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /**
   * Resolves when the request's connection is closed, by whichever side. The same one for all requests of a connection.
   */
  readonly closed: Promise<void>;
  /** What the host has given to the network on the request's connection so far. */
  sentBytes(): number;
}

/** The client has gone; ends the fault that was being played. */
export class ClientGoneError extends Error {}

/** Connections that look alive and are not. */
export const DEAD_CONNECTIONS = new WeakSet<Socket>();

/**
 * One request and everything that can be done to its answer. `head`, `piece` and `end` give a proper answer, `raw`,
 * `fin` and `reset` go round HTTP. Whatever waits throws `ClientGoneError` when the connection closes.
 */
export class Exchange {
  readonly request: RecordedRequest;
  /** The `key=value` pairs behind the fault's name. */
  readonly params: ReadonlyMap<string, string>;
  readonly socket: Socket;
  readonly #response: ServerResponse;
  readonly #gone = new AbortController();

  constructor(request: RecordedRequest, response: ServerResponse, params: ReadonlyMap<string, string>) {
    this.request = request;
    this.params = params;
    this.#response = response;
    this.socket = response.socket!;
    this.socket.setNoDelay(true);
    void request.closed.then(() => this.#gone.abort());
  }

  number(name: string, otherwise: number): number {
    return Number(this.params.get(name) ?? otherwise);
  }

  /** The head of a stream in good order, or of anything else. */
  async head(status = 200, headers: OutgoingHttpHeaders = { 'Content-Type': 'text/event-stream' }): Promise<void> {
    this.#response.writeHead(status, headers);
    this.#response.flushHeaders();
    await this.#breathe();
  }

  /** One piece of the body: an HTTP chunk and, as far as the network agrees, a packet of its own. */
  async piece(bytes: string | Uint8Array): Promise<void> {
    this.#assertHere();
    if (!this.#response.write(bytes)) await this.#orGone(once(this.#response, 'drain', { signal: this.#gone.signal }));
    await this.#breathe();
  }

  async frames(frames: readonly PlayedFrame[], lineEnd = '\n'): Promise<void> {
    for (const frame of frames) await this.piece(toWire(frame, lineEnd));
  }

  end(bytes?: string | Uint8Array): void {
    this.#response.end(bytes);
  }

  /** A whole answer that is no stream. */
  answer(status: number, headers: OutgoingHttpHeaders, body: string | Uint8Array): void {
    this.#response.writeHead(status, headers);
    this.#response.end(body);
  }

  /** Bytes that go past HTTP straight into the connection. */
  async raw(bytes: string | Uint8Array): Promise<void> {
    this.#assertHere();
    if (!this.socket.write(bytes)) await this.#orGone(once(this.socket, 'drain', { signal: this.#gone.signal }));
    await this.#breathe();
  }

  /** Ends the connection in good order, whatever the answer still owes. */
  fin(): void {
    this.socket.end();
  }

  /**
   * Resets the connection. The client throws away what it has not read by then, so that a test that counts on the bytes
   * before needs a moment in between.
   */
  async reset(afterMs = 100): Promise<void> {
    await this.wait(afterMs);
    this.socket.resetAndDestroy();
  }

  /** After this answer, the next request over the same connection resets it. */
  killConnection(): void {
    DEAD_CONNECTIONS.add(this.socket);
  }

  async wait(ms: number): Promise<void> {
    await this.#orGone(delay(ms, undefined, { signal: this.#gone.signal }));
  }

  /** Nothing more, until the client goes. */
  async hang(): Promise<never> {
    await this.request.closed;
    throw new ClientGoneError();
  }

  #assertHere(): void {
    if (this.#gone.signal.aborted || this.socket.destroyed) throw new ClientGoneError();
  }

  async #breathe(): Promise<void> {
    await nextTurnOfLoop();
    this.#assertHere();
  }

  async #orGone(waiting: Promise<unknown>): Promise<void> {
    try {
      await waiting;
    } catch (error) {
      if (this.#gone.signal.aborted) throw new ClientGoneError();
      throw error;
    }
  }
}
