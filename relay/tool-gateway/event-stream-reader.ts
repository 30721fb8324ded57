export interface StreamEvent {
  /** As in the stream; undefined: `message`. */
  readonly type: string | undefined;
  readonly id: string | undefined;
  readonly data: string;
}

/** Cuts a text/event-stream into its events, whatever pieces it comes in. Source: HTML, section 9.2.6. */
export class EventStreamReader {
  readonly #decoder = new TextDecoder();
  #rest = '';
  #lines: string[] = [];

  push(bytes: Uint8Array): StreamEvent[] {
    this.#rest += this.#decoder.decode(bytes, { stream: true });
    const events: StreamEvent[] = [];
    for (;;) {
      const end = /\r\n|\n|\r(?!$)/.exec(this.#rest);
      if (!end) return events;
      const line = this.#rest.slice(0, end.index);
      this.#rest = this.#rest.slice(end.index + end[0].length);
      if (line !== '') {
        this.#lines.push(line);
        continue;
      }
      if (this.#lines.length > 0) events.push(eventOf(this.#lines));
      this.#lines = [];
    }
  }
}

function eventOf(lines: readonly string[]): StreamEvent {
  let type: string | undefined;
  let id: string | undefined;
  const data: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'event') type = value;
    else if (field === 'id') id = value;
  }
  return { type, id, data: data.join('\n') };
}
