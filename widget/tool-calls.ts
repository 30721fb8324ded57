/** The tool calls of an answer, as far as the relay shows them. What cannot be read is shown as a call without a name. */
import type { ToolCallEvent, ToolResultEvent } from '../relay/protocol/events.ts';
import type { ToolCall } from './conversation.ts';

/** The calls that one `tool-call` event announces, in order; its `content` is parsed once, here. */
export function readToolCalls(event: ToolCallEvent): readonly ToolCall[] {
  try {
    const listed: unknown = JSON.parse(event.data.toolCall.assistantMessage.content);
    return (Array.isArray(listed) ? listed : [listed]).map(readToolCall);
  } catch {
    // No JSON, or nested too deeply to be read.
    return [readToolCall(undefined)];
  }
}

function readToolCall(call: unknown): ToolCall {
  const { toolCallId, toolName, input } = Object(call);
  return {
    id: typeof toolCallId === 'string' ? toolCallId : '',
    name: typeof toolName === 'string' ? toolName : '',
    status: 'running',
    ...(input !== undefined && { input: JSON.stringify(input) }),
  };
}

/**
 * The calls with the result in its place: the first one of that id that still waits. A result that nobody waits for is a
 * call of its own if its id is new, and a repeat otherwise.
 */
export function settleToolCall(calls: readonly ToolCall[], event: ToolResultEvent): readonly ToolCall[] {
  const { tool_call_id: id, name, content } = event.data.toolResult;
  const settled = {
    id,
    name,
    status: isErrorResult(content) ? 'failed' : 'done',
    ...(content !== undefined && { result: content }),
  } as const;
  const waiting = calls.findIndex((call) => call.id === id && call.status === 'running');
  if (waiting >= 0) {
    return calls.map((call, index) => (index === waiting ? { ...call, ...settled, name: call.name || name } : call));
  }
  return calls.some((call) => call.id === id) ? calls : [...calls, settled];
}

/** The calls of an answer that has ended. */
export function endToolCalls(calls: readonly ToolCall[]): readonly ToolCall[] {
  return calls.some((call) => call.status === 'running')
    ? calls.map((call) => (call.status === 'running' ? { ...call, status: 'unanswered' } : call))
    : calls;
}

/** Results can be megabytes long: only one that mentions the member is parsed. */
function isErrorResult(content: string | undefined): boolean {
  if (!content?.includes('"isError"')) return false;
  try {
    return Object(JSON.parse(content)).isError === true;
  } catch {
    return false;
  }
}
