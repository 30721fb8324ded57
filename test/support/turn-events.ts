/** The relay's events, numbered on as its log does it, for tests that need them one by one. */
import type { NumberedEvent, RelayEvent } from '../../relay/protocol/events.ts';

export const TIMESTAMP = '2026-01-02T03:04:05.000Z';

type DataOf<Type extends RelayEvent['type']> = Omit<Extract<RelayEvent, { type: Type }>['data'], 'timestamp'>;

export class TurnEvents {
  sequence: number;
  turn: number;

  constructor(turn = 1, lastSequence = 0) {
    this.turn = turn;
    this.sequence = lastSequence;
  }

  event<Type extends RelayEvent['type']>(type: Type, data: DataOf<Type>, turn = this.turn): NumberedEvent {
    this.sequence += 1;
    return { type, data: { timestamp: TIMESTAMP, ...data }, turn, sequence: this.sequence } as unknown as NumberedEvent;
  }

  question(messageId: string, message = 'Where is my order?'): NumberedEvent {
    return this.event('question', { messageId, message });
  }

  chunk(chunk: string): NumberedEvent {
    return this.event('chunk', { chunk });
  }

  thinking(message = 'Processing…'): NumberedEvent {
    return this.event('thinking', { message });
  }

  toolCall(...calls: readonly { id: string; name: string; input?: unknown }[]): NumberedEvent {
    const content = calls.map(({ id, name, input }) => ({ toolCallId: id, toolName: name, type: 'tool-call', input }));
    return this.event('tool-call', {
      toolCall: { assistantMessage: { role: 'assistant', content: JSON.stringify(content) } },
    });
  }

  toolResult(id: string, name: string, content?: string): NumberedEvent {
    const result = { name, role: 'tool', tool_call_id: id, ...(content !== undefined && { content }) };
    return this.event('tool-result', { toolResult: result });
  }

  complete(content: string, response: Partial<DataOf<'complete'>['response']> = {}): NumberedEvent {
    return this.event('complete', { message: 'Where is my order?', response: { content, ...response } });
  }

  error(code: DataOf<'error'>['code'] = 'upstream_error'): NumberedEvent {
    return this.event('error', { code, message: 'It failed.', retryable: true, requestId: 'request-1' });
  }

  done(): NumberedEvent {
    return this.event('done', {});
  }
}
