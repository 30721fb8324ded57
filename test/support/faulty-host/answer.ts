/** The one answer that every fault plays in full or in part, so that a test knows what a visitor must see. */
export interface PlayedFrame {
  readonly type: string;
  readonly data: unknown;
}

/**
 * Headings, a table, characters of two, three and four bytes in UTF-8, and a space at an end: what a careless reader
 * loses.
 */
export const FULL_CHUNKS: readonly string[] = [
  '### Order ',
  'confirmed\n\n',
  '| Field | Value |\n| --- | --- |\n',
  '| Order ID | ord_9c14a7 |\n\n',
  'Grüße, ',
  '注文を受け付け',
  'ました 👩‍👩‍👧',
  ' – in full.',
];
export const FULL_TEXT = FULL_CHUNKS.join('');
/** What the faults that break off in the middle have sent until then. */
const PREFIX_CHUNKS = FULL_CHUNKS.slice(0, 3);
export const PREFIX_TEXT = PREFIX_CHUNKS.join('');

const TIMESTAMP = '2026-09-16T09:15:42Z';

export function thinking(message = 'Processing your request...'): PlayedFrame {
  return { type: 'thinking', data: { message, timestamp: TIMESTAMP } };
}

export function chunk(text: string): PlayedFrame {
  return { type: 'chunk', data: { chunk: text, timestamp: TIMESTAMP } };
}

export function toolCall(toolCallId: string, toolName = 'create_order'): PlayedFrame {
  const input = { productId: 'prod_2f81', quantity: 2 };
  const content = JSON.stringify([{ input, toolCallId, toolName, type: 'tool-call' }]);
  return {
    type: 'tool-call',
    data: { timestamp: TIMESTAMP, toolCall: { assistantMessage: { content, role: 'assistant' } } },
  };
}

export function toolResult(toolCallId: string, text?: string, name = 'create_order'): PlayedFrame {
  const order = JSON.stringify({ orderId: 'ord_9c14a7', status: 'confirmed', quantity: 2, total: 59.98 });
  const content = JSON.stringify({ content: [{ text: text ?? order, type: 'text' }] });
  return {
    type: 'tool-result',
    data: { timestamp: TIMESTAMP, toolResult: { content, name, role: 'tool', tool_call_id: toolCallId } },
  };
}

export function complete(content: string, message = 'order 2 units of prod_2f81'): PlayedFrame {
  const response = { content, contextPercentage: 1.42, maxTokens: 100_000, tokensUsed: 1_420 };
  return { type: 'complete', data: { message, response, timestamp: TIMESTAMP } };
}

export function failure(message: string): PlayedFrame {
  return { type: 'error', data: { message, timestamp: TIMESTAMP } };
}

export function done(): PlayedFrame {
  return { type: 'done', data: { timestamp: TIMESTAMP } };
}

/** Everything before the answer's text: a thought and one tool call that succeeds. */
export function opening(): PlayedFrame[] {
  return [thinking(), toolCall('fc_1'), toolResult('fc_1'), thinking()];
}

/** A whole good turn with one tool call. */
export function fullTurn(chunks: readonly string[] = FULL_CHUNKS): PlayedFrame[] {
  return [...opening(), ...chunks.map(chunk), complete(chunks.join('')), done()];
}

/** A good turn up to the middle of the answer. */
export function prefixOfTurn(): PlayedFrame[] {
  return [...opening(), ...PREFIX_CHUNKS.map(chunk)];
}

/** A frame as the host writes it. `data` that is a string already is taken as it is. */
export function toWire(frame: PlayedFrame, lineEnd = '\n'): string {
  const data = typeof frame.data === 'string' ? frame.data : JSON.stringify(frame.data);
  return `type: ${frame.type}${lineEnd}data: ${data}${lineEnd}${lineEnd}`;
}
