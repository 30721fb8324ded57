/**
 * What of the agent host's events a visitor may see. Every event is built anew, field by field, from this list: a field that is
 * not named here never reaches a browser.
 */
import type { HostErrorEvent, HostEvent, RelayEvent, ToolCallEvent } from '../protocol/events.ts';

/** How much of a tool call is shown: nothing; name and id; everything that came. */
export type ToolCallDetail = 'none' | 'names' | 'full';

/** The visible form, or undefined for an event that stays here. The host's `error` is told in the relay's own words elsewhere. */
export function visibleEvent(
  event: Exclude<HostEvent, HostErrorEvent>,
  detail: ToolCallDetail,
): RelayEvent | undefined {
  switch (event.type) {
    case 'chunk':
      return { type: 'chunk', data: { chunk: event.data.chunk, timestamp: event.data.timestamp } };
    case 'thinking':
      return { type: 'thinking', data: { message: event.data.message, timestamp: event.data.timestamp } };
    case 'tool-call':
      return detail === 'none' ? undefined : visibleToolCall(event, detail);
    case 'tool-result': {
      if (detail === 'none') return undefined;
      const { name, role, tool_call_id, content } = event.data.toolResult;
      const shown = detail === 'full' && content !== undefined ? { content } : {};
      return {
        type: 'tool-result',
        data: { timestamp: event.data.timestamp, toolResult: { name, role, tool_call_id, ...shown } },
      };
    }
    case 'complete': {
      const { content, tokensUsed, maxTokens, contextPercentage } = event.data.response;
      return {
        type: 'complete',
        data: {
          message: event.data.message,
          response: {
            content,
            ...(tokensUsed !== undefined && { tokensUsed }),
            ...(maxTokens !== undefined && { maxTokens }),
            ...(contextPercentage !== undefined && { contextPercentage }),
          },
          timestamp: event.data.timestamp,
        },
      };
    }
    case 'done':
      return { type: 'done', data: { timestamp: event.data.timestamp } };
  }
}

/** Undefined when the call cannot be read: what cannot be read cannot be narrowed, so it is not shown. */
function visibleToolCall(event: ToolCallEvent, detail: 'names' | 'full'): RelayEvent | undefined {
  const { role, content } = event.data.toolCall.assistantMessage;
  const shown = detail === 'full' ? content : namesOnly(content);
  if (shown === undefined) return undefined;
  return {
    type: 'tool-call',
    data: { timestamp: event.data.timestamp, toolCall: { assistantMessage: { role, content: shown } } },
  };
}

function namesOnly(content: string): string | undefined {
  let calls: unknown;
  try {
    calls = JSON.parse(content);
  } catch {
    return undefined;
  }
  if (!Array.isArray(calls)) return undefined;
  const named = calls.flatMap((call: unknown) => {
    const { toolCallId, toolName, type } = (call ?? {}) as Record<string, unknown>;
    if (typeof toolCallId !== 'string' || typeof toolName !== 'string' || typeof type !== 'string') return [];
    return [{ toolCallId, toolName, type }];
  });
  return named.length > 0 ? JSON.stringify(named) : undefined;
}
