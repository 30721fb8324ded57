/** Events as they come over the line, checked once: what passes here is trusted after. */
import type { RelayEventType } from '../relay/protocol/events.ts';
import type { Frame } from '../relay/protocol/frame-reader.ts';
import type { ReceivedEvent } from './reduce.ts';

/** The members of `data` without which an event says nothing. An `error` or `done` says what it says by its type. */
const REQUIRED_TEXTS: Readonly<Record<RelayEventType, readonly string[]>> = {
  thinking: ['message'],
  'tool-call': ['toolCall.assistantMessage.content'],
  'tool-result': ['toolResult.name', 'toolResult.tool_call_id'],
  chunk: ['chunk'],
  complete: ['response.content'],
  error: [],
  done: [],
  question: ['messageId', 'message'],
  stopped: [],
  interrupted: [],
  'history-gone': [],
  'session-ended': ['reason'],
  verification: ['transactionId', 'tool', 'domain', 'expiresAt'],
  'verification-settled': ['transactionId'],
  domain: ['active'],
};

/** The event of a frame of the relay's stream, whose id is `<turn>:<sequence>`. */
export function readFrame(frame: Frame): ReceivedEvent {
  const [, turn, sequence] = /^(\d+):(\d+)$/.exec(frame.id ?? '') ?? [];
  let data: unknown;
  try {
    data = JSON.parse(frame.data);
  } catch {
    // Counts as an event without members.
  }
  return readEvent({ type: frame.type, data, turn: Number(turn ?? 0), sequence: Number(sequence ?? 0) });
}

/** The event of a snapshot. */
export function readEvent(value: unknown): ReceivedEvent {
  const { type, data, turn, sequence } = Object(value) as Record<string, unknown>;
  const place = { turn: Number(turn) || 0, sequence: Number(sequence) || 0 };
  const required =
    typeof type === 'string' && Object.hasOwn(REQUIRED_TEXTS, type) && REQUIRED_TEXTS[type as RelayEventType];
  if (!required || required.some((path) => typeof memberAt(data, path) !== 'string')) {
    return { type: 'unknown', ...place };
  }
  return { type, data: Object(data), ...place } as ReceivedEvent;
}

function memberAt(data: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => Object(value)[name], data);
}
