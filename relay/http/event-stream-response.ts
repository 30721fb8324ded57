/** An answer that stays open and carries frames (WHATWG HTML, section 9.2), one write per batch, never more than one buffer ahead. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Pulse } from '../pulse.ts';
import type { Outlet } from '../turns/turn-feed.ts';

const COMMENT = ':\n\n';
/** Proxies close what is silent for long; most of them after a minute. */
const COMMENT_AFTER_MS = 15_000;
/** A reader that takes nothing for so long is let go: it comes back with the place where it was. */
const LET_GO_AFTER_MS = 60_000;

export class EventStreamResponse implements Outlet {
  readonly #response: ServerResponse;
  readonly #stopPulse: () => void;
  #hasWritten = true;
  #quietSinceMs = performance.now();
  #fullSinceMs: number | undefined;

  /** Sends the headers at once. */
  constructor(response: ServerResponse, pulse: Pulse) {
    this.#response = response;
    response.statusCode = 200;
    response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    response.setHeader('Cache-Control', 'no-cache, no-transform');
    response.setHeader('X-Accel-Buffering', 'no');
    response.socket?.setNoDelay(true);
    response.flushHeaders();
    this.#stopPulse = pulse.onBeat((nowMs) => this.#beat(nowMs));
    response.once('close', this.#stopPulse);
  }

  write(frames: string): boolean {
    // Writing to an answer that the browser has left is an error in Node; the signal of the request tells its reader.
    if (this.#response.destroyed || this.#response.writableEnded) return false;
    this.#hasWritten = true;
    const { socket } = this.#response;
    if (!socket || !this.#response.chunkedEncoding) return this.#response.write(frames);
    const byteLength = Buffer.byteLength(frames);
    const encoding = byteLength === frames.length ? 'latin1' : 'utf8';
    return socket.write(`${byteLength.toString(16)}\r\n${frames}\r\n`, encoding);
  }

  async drained(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    // The socket's own state: `write` goes past the answer, which therefore does not know that it is full.
    const { socket } = this.#response;
    if (socket?.writableNeedDrain) await once(socket, 'drain', { signal });
  }

  end(): void {
    this.#stopPulse();
    this.#response.end();
  }

  /** The clock is read here and not at each write: a comment can come a quarter of a second late. */
  #beat(nowMs: number): void {
    if (this.#hasWritten) {
      this.#hasWritten = false;
      this.#quietSinceMs = nowMs;
    }
    if (this.#response.socket?.writableNeedDrain) {
      this.#fullSinceMs ??= nowMs;
      if (nowMs - this.#fullSinceMs >= LET_GO_AFTER_MS) this.#response.destroy();
      return;
    }
    this.#fullSinceMs = undefined;
    if (nowMs - this.#quietSinceMs >= COMMENT_AFTER_MS) this.write(COMMENT);
  }
}
