import type {
  ChunkEvent,
  CompleteEvent,
  DoneEvent,
  HostErrorEvent,
  HostEvent,
  ThinkingEvent,
  ToolCallEvent,
  ToolResultEvent,
} from '../protocol/events.ts';
import type { Frame } from '../protocol/frame-reader.ts';

/** The host's own text about a failure is for the log alone; this much of it is kept. */
const MAX_LOG_TEXT_LENGTH = 500;
const TIMESTAMP = /^\d{4}-\d\d-\d\d[Tt ][\d:.,]{5,24}(?:[Zz]|[+-]\d\d:?\d\d)?$/;

/** Tells what was wrong with an event, for the log: the type and the field, never a value. */
export type OnMalformed = (type: HostEvent['type'], field: string) => void;

/**
 * The event in a frame of the agent host, built field by field. Read tolerantly: unknown types (undefined) and fields
 * are skipped, an absent optional field gets a sane value or stays away. A field of the wrong type is reported to
 * `onMalformed`; where the event means nothing without it, there is no event. `error` and `done` are facts by their
 * type alone, whatever their data.
 */
export function readHostEvent(frame: Frame, onMalformed: OnMalformed): HostEvent | undefined {
  switch (frame.type) {
    case 'chunk':
      return readChunk(fieldsOf(frame.data, 'chunk', onMalformed));
    case 'thinking':
      return readThinking(fieldsOf(frame.data, 'thinking', onMalformed));
    case 'tool-call':
      return readToolCall(fieldsOf(frame.data, 'tool-call', onMalformed));
    case 'tool-result':
      return readToolResult(fieldsOf(frame.data, 'tool-result', onMalformed));
    case 'complete':
      return readComplete(fieldsOf(frame.data, 'complete', onMalformed));
    case 'error':
      return readError(frame.data);
    case 'done':
      return readDone(fieldsOf(frame.data, 'done', onMalformed));
    default:
      return undefined;
  }
}

export function isHostEventType(type: string): type is HostEvent['type'] {
  switch (type) {
    case 'chunk':
    case 'thinking':
    case 'tool-call':
    case 'tool-result':
    case 'complete':
    case 'error':
    case 'done':
      return true;
    default:
      return false;
  }
}

function readChunk(fields: Fields): ChunkEvent | undefined {
  const chunk = fields.requiredText('chunk');
  return chunk === undefined ? undefined : { type: 'chunk', data: { chunk, timestamp: fields.timestamp() } };
}

function readThinking(fields: Fields): ThinkingEvent | undefined {
  if (!fields.isObject) return undefined;
  return { type: 'thinking', data: { message: fields.text('message') ?? '', timestamp: fields.timestamp() } };
}

function readToolCall(fields: Fields): ToolCallEvent | undefined {
  const message = fields.object('toolCall').object('assistantMessage');
  const content = message.requiredText('content');
  if (content === undefined) return undefined;
  const role = message.text('role') ?? 'assistant';
  return {
    type: 'tool-call',
    data: { timestamp: fields.timestamp(), toolCall: { assistantMessage: { role, content } } },
  };
}

function readToolResult(fields: Fields): ToolResultEvent | undefined {
  const result = fields.object('toolResult');
  const toolCallId = result.requiredText('tool_call_id');
  if (toolCallId === undefined) return undefined;
  const content = result.text('content');
  const toolResult = {
    name: result.text('name') ?? '',
    role: result.text('role') ?? 'tool',
    tool_call_id: toolCallId,
    ...(content !== undefined && { content }),
  };
  return { type: 'tool-result', data: { timestamp: fields.timestamp(), toolResult } };
}

function readComplete(fields: Fields): CompleteEvent | undefined {
  const response = fields.object('response');
  const content = response.requiredText('content');
  if (content === undefined) return undefined;
  const tokensUsed = response.count('tokensUsed');
  const maxTokens = response.count('maxTokens');
  const contextPercentage = response.count('contextPercentage');
  return {
    type: 'complete',
    data: {
      message: fields.text('message') ?? '',
      response: {
        content,
        ...(tokensUsed !== undefined && { tokensUsed }),
        ...(maxTokens !== undefined && { maxTokens }),
        ...(contextPercentage !== undefined && { contextPercentage: Math.min(contextPercentage, 100) }),
      },
      timestamp: fields.timestamp(),
    },
  };
}

function readError(data: string): HostErrorEvent {
  const fields = fieldsOf(data, 'error', () => {});
  const reason = fields.text('message') ?? fields.text('error') ?? fields.object('error').text('message') ?? data;
  return { type: 'error', data: { logText: reason.slice(0, MAX_LOG_TEXT_LENGTH), timestamp: fields.timestamp() } };
}

function readDone(fields: Fields): DoneEvent {
  return { type: 'done', data: { timestamp: fields.timestamp() } };
}

function fieldsOf(json: string, type: HostEvent['type'], onMalformed: OnMalformed): Fields {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // Not JSON: like any other value that is no object, which `Fields` reports.
  }
  return new Fields(value, type, 'data', onMalformed);
}

/**
 * The fields of an object that is not trusted, each read by its name, so that no other name (`__proto__`) has an
 * effect. Null is the same as absent. A wrong type is reported once per field that is read.
 */
class Fields {
  readonly isObject: boolean;
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #type: HostEvent['type'];
  readonly #onMalformed: OnMalformed;

  constructor(value: unknown, type: HostEvent['type'], name: string, onMalformed: OnMalformed) {
    this.#type = type;
    this.#onMalformed = onMalformed;
    this.isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    this.#values = this.isObject ? (value as Record<string, unknown>) : {};
    if (!this.isObject) onMalformed(type, name);
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    if (typeof value === 'string') return value;
    if (value !== undefined && value !== null) this.#onMalformed(this.#type, name);
    return undefined;
  }

  requiredText(name: string): string | undefined {
    const value = this.#values[name];
    if (typeof value === 'string') return value;
    this.#onMalformed(this.#type, name);
    return undefined;
  }

  /** A finite number that is not negative: `1e999` is valid JSON and reads as Infinity. */
  count(name: string): number | undefined {
    const value = this.#values[name];
    if (typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY) return value;
    if (value !== undefined && value !== null) this.#onMalformed(this.#type, name);
    return undefined;
  }

  object(name: string): Fields {
    return new Fields(this.#values[name], this.#type, name, this.#onMalformed);
  }

  /** The host's time where it looks like one, and otherwise now: no other text passes as a time. */
  timestamp(): string {
    const value = this.#values.timestamp;
    if (typeof value === 'string' && value.length <= 48 && TIMESTAMP.test(value)) return value;
    return new Date().toISOString();
  }
}
