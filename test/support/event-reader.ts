/** Reads the relay's answer stream event by event, with a parser that is not the project's own. */
import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream';

export interface ReadEvent {
  /** `<turn>:<sequence>`; undefined: the event is in no log. */
  readonly id: string | undefined;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into any event
  readonly data: any;
}

export class EventReader {
  readonly #messages: ReadableStreamDefaultReader<EventSourceMessage>;

  constructor(response: Response) {
    if (response.status !== 200 || !response.body) throw new Error(`no stream but ${response.status}`);
    this.#messages = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())
      .getReader();
  }

  /** The next event; undefined: the answer has ended. Rejects when it was cut. */
  async next(): Promise<ReadEvent | undefined> {
    const { value } = await this.#messages.read();
    return value && { id: value.id, type: value.event ?? 'message', data: JSON.parse(value.data) };
  }

  /** Everything up to and with the next event of that type. */
  async until(type: string): Promise<ReadEvent[]> {
    const events: ReadEvent[] = [];
    for (;;) {
      const event = await this.next();
      if (!event) throw new Error(`the answer ended before ${type}, after ${events.map((one) => one.type).join(' ')}`);
      events.push(event);
      if (event.type === type) return events;
    }
  }

  /** Everything up to the answer's end. */
  async rest(): Promise<ReadEvent[]> {
    const events: ReadEvent[] = [];
    for (let event = await this.next(); event; event = await this.next()) events.push(event);
    return events;
  }

  /** Leaves, as a browser does whose tab is closed. */
  leave(): Promise<void> {
    return this.#messages.cancel();
  }
}

export function readEvents(response: Response): Promise<ReadEvent[]> {
  return new EventReader(response).rest();
}

export function typesOf(events: readonly ReadEvent[]): string[] {
  return events.map(({ type }) => type);
}

/** What a visitor reads: chunks, which a whole answer replaces. */
export function answerOf(events: readonly ReadEvent[]): string {
  let text = '';
  for (const { type, data } of events) {
    if (type === 'chunk') text += data.chunk;
    else if (type === 'complete') text = data.response.content;
  }
  return text;
}
