/** Events as they come over the line, checked once: what passes here is trusted after. */
import type { RelayEventType } from '../relay/protocol/events.ts';
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

/** More than any event of the relay; only a broken proxy could fill the page's memory. */
const MOST_CHARACTERS = 16_000_000;

/**
 * Reads the events of one stream from its bytes, wherever they are cut. Only the shape in which the relay writes a frame is
 * read: lines that end with LF, one `data` line. The reader of the relay reads every shape there is; it would cost each visitor
 * two thirds of a kilobyte more than this one.
 */
export class RelayEventReader {
  readonly #decoder = new TextDecoder();
  /** The beginning of the frame that has no end yet. */
  #rest = '';

  /** The events that these bytes complete. Throws `RangeError` for one that is larger than any. */
  push(bytes: Uint8Array): ReceivedEvent[] {
    const text = this.#decoder.decode(bytes, { stream: true });
    this.#rest += text;
    if (this.#rest.length > MOST_CHARACTERS) throw new RangeError('The event is too large.');
    // A long line comes in many pieces: it is looked through once, when its end is there.
    if (!text.includes('\n')) return [];
    const frames = this.#rest.split('\n\n');
    this.#rest = frames.pop() ?? '';
    // A comment is no event.
    return frames.filter((frame) => frame.includes('\ndata:')).map(readFrame);
  }
}

function readFrame(frame: string): ReceivedEvent {
  const fields: Record<string, string> = {};
  for (const line of frame.split('\n')) {
    const colon = line.indexOf(':');
    fields[line.slice(0, colon)] = line.slice(colon + 2);
  }
  const [turn, sequence] = (fields.id ?? '').split(':');
  let data: unknown;
  try {
    data = JSON.parse(fields.data ?? '');
  } catch {
    // Counts as an event without members.
  }
  return readEvent({ type: fields.type, data, turn, sequence });
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
