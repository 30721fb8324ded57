/**
 * Somebody who asks once and reads on until the end, whatever happens to his line: a break is answered by taking the turn up
 * again after the last numbered event, at the next of the addresses. It never sends a message twice.
 */
import type { StartedSession } from '../../relay/protocol/requests.ts';
import { EventReader, type ReadEvent } from './event-reader.ts';
import { PAGE } from './relay-under-test.ts';

const PATIENCE_MS = 30_000;
const PAUSE_MS = 25;

export class Visitor {
  readonly session: StartedSession;
  /** Everything that was received since the last question. */
  events: ReadEvent[] = [];
  readonly #addresses: readonly string[];
  #next = 0;
  #onEvent: () => void = () => undefined;

  private constructor(addresses: readonly string[], session: StartedSession) {
    this.#addresses = addresses;
    this.session = session;
  }

  /** The session is started at the first address. */
  static async at(...addresses: readonly string[]): Promise<Visitor> {
    const headers = { 'content-type': 'application/json', origin: PAGE };
    const answer = await fetch(`${addresses[0]}/session`, { method: 'POST', headers, body: '{}' });
    if (answer.status !== 201) throw new Error(`no session but ${answer.status}: ${await answer.text()}`);
    return new Visitor(addresses, await answer.json());
  }

  /** Where it asks first. */
  get address(): string {
    return this.#addresses[0] ?? '';
  }

  get chunks(): string[] {
    return this.events.filter(({ type }) => type === 'chunk').map(({ data }) => data.chunk);
  }

  /** Sends a message and gives the answer back as it is. */
  post(message: string, messageId: string, address = this.address): Promise<Response> {
    return fetch(`${address}/chat`, {
      method: 'POST',
      headers: { ...this.#headers(), 'content-type': 'application/json' },
      body: JSON.stringify({ sessionId: this.session.sessionId, message, messageId }),
    });
  }

  /** A call about the session at one of the addresses. */
  about(method: string, path = '', address = this.address): Promise<Response> {
    return fetch(`${address}/session/${this.session.sessionId}${path}`, { method, headers: this.#headers() });
  }

  /** Reads the session's events after a place, or the running turn from its start. */
  resume(place: string | undefined, address = this.address): Promise<Response> {
    const headers = { ...this.#headers(), ...(place && { 'last-event-id': place }) };
    return fetch(`${address}/session/${this.session.sessionId}/events`, { headers });
  }

  /** Sends a message, once, and reads its turn to the end. Resolves to all events of the turn, as they came. */
  async ask(message: string, messageId: string): Promise<readonly ReadEvent[]> {
    this.events = [];
    const answer = await this.post(message, messageId);
    if (await this.#read(answer)) return this.events;
    return this.#readOn();
  }

  /** Resolves when so many chunks have come. */
  async hasRead(chunkCount: number): Promise<void> {
    if (this.chunks.length >= chunkCount) return;
    await new Promise<void>((resolve) => {
      this.#onEvent = () => {
        if (this.chunks.length >= chunkCount) resolve();
      };
    });
  }

  /** What `Last-Event-ID` says: the newest event that has a number. */
  get place(): string | undefined {
    return this.events.findLast(({ id }) => id)?.id;
  }

  async #readOn(): Promise<readonly ReadEvent[]> {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    for (;;) {
      patience.throwIfAborted();
      const address = this.#addresses[++this.#next % this.#addresses.length];
      const answer = await this.resume(this.place, address).catch(() => undefined);
      if (answer?.status === 204) return this.events;
      if (answer?.status === 200 && (await this.#read(answer))) return this.events;
      // As a browser's own waiting, only shorter.
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  /** True when the answer came to the turn's end, false when it was cut. */
  async #read(answer: Response): Promise<boolean> {
    const reader = new EventReader(answer);
    try {
      for (let event = await reader.next(); event; event = await reader.next()) {
        this.events.push(event);
        this.#onEvent();
        if (event.type === 'done') return true;
      }
    } catch {
      // The line is cut, which the caller hears.
    }
    return false;
  }

  #headers(): Record<string, string> {
    return { origin: PAGE, 'x-session-token': this.session.token };
  }
}
