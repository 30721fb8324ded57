/** A source in the test's own process: cheap, with everything that it was asked. */
import type { SourceCall, SourceResult, SourceTool, ToolSource } from '../../relay/tool-gateway/tool-source.ts';

export interface RecordingSource extends ToolSource {
  readonly calls: SourceCall[];
  tools: readonly SourceTool[];
  /** Tells that the tools have changed. */
  change(): void;
}

export const NOTE: SourceTool = { name: 'note', inputSchema: { type: 'object' } };
const READ: SourceTool = { name: 'read', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };

/** `answer` makes the result of each call; absent: a text that counts them. */
export function recordingSource(
  answer: (call: SourceCall, count: number, signal: AbortSignal) => Promise<SourceResult> | SourceResult = (_, count) =>
    textResult(`call ${count}`),
): RecordingSource {
  const listeners = new Set<() => void>();
  const source: RecordingSource = {
    calls: [],
    tools: [NOTE, READ],
    listTools: async () => source.tools,
    callTool: async (call, signal) => {
      source.calls.push(call);
      return answer(call, source.calls.length, signal);
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change: () => {
      for (const listener of listeners) listener();
    },
    close: async () => {},
  };
  return source;
}

export function textResult(text: string): SourceResult {
  return { content: [{ type: 'text', text }] };
}
