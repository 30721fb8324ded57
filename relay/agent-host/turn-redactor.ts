import type { HostEvent } from '../protocol/events.ts';
import type { SecretRedactor } from './secret-redactor.ts';

/**
 * Takes the secrets out of the events of one turn, so that nothing above the agent host ever sees one: out of every
 * text, and out of the answer also where a secret is cut in two by a chunk's end. For that, the end of a chunk that may
 * be the beginning of a secret waits for the next chunk; it goes out before `complete`, `error` and `done`.
 */
export class TurnRedactor {
  readonly #secrets: SecretRedactor;
  #rest = '';
  #restTimestamp = '';

  constructor(secrets: SecretRedactor) {
    this.#secrets = secrets;
  }

  /** Puts the event without secrets at the end of `events`; a chunk that has to wait as a whole stays away. */
  push(event: HostEvent, events: HostEvent[]): void {
    switch (event.type) {
      case 'chunk': {
        const { chunk, timestamp } = event.data;
        const { clean, rest } = this.#secrets.redactPiece(this.#rest + chunk);
        this.#rest = rest;
        this.#restTimestamp = timestamp;
        if (clean === chunk) events.push(event);
        else if (clean !== '') events.push({ type: 'chunk', data: { chunk: clean, timestamp } });
        return;
      }
      case 'thinking':
        events.push({ type: 'thinking', data: { ...event.data, message: this.#secrets.redact(event.data.message) } });
        return;
      case 'tool-call': {
        const { role, content } = event.data.toolCall.assistantMessage;
        const assistantMessage = { role: this.#secrets.redact(role), content: this.#secrets.redactJson(content) };
        events.push({ type: 'tool-call', data: { ...event.data, toolCall: { assistantMessage } } });
        return;
      }
      case 'tool-result': {
        const { name, role, tool_call_id, content } = event.data.toolResult;
        const toolResult = {
          name: this.#secrets.redact(name),
          role: this.#secrets.redact(role),
          tool_call_id: this.#secrets.redact(tool_call_id),
          ...(content !== undefined && { content: this.#secrets.redactJson(content) }),
        };
        events.push({ type: 'tool-result', data: { ...event.data, toolResult } });
        return;
      }
      case 'complete': {
        this.flush(events);
        const { message, response } = event.data;
        const content = this.#secrets.redact(response.content);
        const data = { ...event.data, message: this.#secrets.redact(message), response: { ...response, content } };
        events.push({ type: 'complete', data });
        return;
      }
      case 'error':
        this.flush(events);
        events.push({ type: 'error', data: { ...event.data, logText: this.#secrets.redact(event.data.logText) } });
        return;
      case 'done':
        this.flush(events);
        events.push(event);
        return;
    }
  }

  /** Gives out what waits, for an answer that ends here. */
  flush(events: HostEvent[]): void {
    if (this.#rest === '') return;
    const chunk = this.#secrets.redact(this.#rest);
    events.push({ type: 'chunk', data: { chunk, timestamp: this.#restTimestamp } });
    this.#rest = '';
  }
}
