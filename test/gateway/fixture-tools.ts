/** The tools of the fixture servers: one for each thing that a gateway can lose on the way. */
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';

export const FIXTURE_TOOLS: Tool[] = [
  {
    name: 'echo',
    title: 'Echo',
    description: 'Gives back what it got.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: ['string', 'null'] }, person: { $ref: '#/$defs/person' } },
      $defs: { person: { type: 'object', properties: { boss: { $ref: '#/$defs/person' } } } },
      'x-own': { kept: null },
    },
    outputSchema: { type: 'object', properties: { text: { type: ['string', 'null'] } }, required: ['text'] },
    annotations: { readOnlyHint: true, openWorldHint: false },
    _meta: { 'example.com/cost': 3 },
  },
  {
    name: 'create',
    description: 'Makes a thing.',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } } },
  },
  {
    name: 'slow',
    description: 'Never ends by itself.',
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'steps',
    description: 'Tells its progress.',
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
  },
  { name: 'fail', description: 'Always fails.', inputSchema: { type: 'object' } },
  {
    name: 'large',
    description: 'Answers at length.',
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'delete.everything',
    description: 'Dangerous.',
    inputSchema: { type: 'object' },
    annotations: { destructiveHint: true },
  },
];

export interface FixtureCallContext {
  readonly signal: AbortSignal;
  readonly progress: (progress: number, total: number, message: string) => Promise<void>;
}

let made = 0;

export async function runFixtureTool(
  name: string,
  args: Readonly<Record<string, unknown>>,
  meta: Readonly<Record<string, unknown>>,
  context: FixtureCallContext,
): Promise<CallToolResult> {
  switch (name) {
    case 'echo':
      return {
        content: [{ type: 'text', text: JSON.stringify(args), annotations: { priority: 0.5 } }],
        structuredContent: { text: args.text ?? null, more: { nothing: null } },
        _meta: { 'example.com/trace': meta.traceparent ?? null },
      };
    case 'create':
      made += 1;
      return { content: [{ type: 'text', text: `thing ${made} ${String(args.name)}` }] };
    case 'slow':
      await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }));
      return { content: [] };
    case 'steps':
      for (const step of [1, 2, 3]) await context.progress(step, 3, `step ${step}`);
      return { content: [{ type: 'text', text: 'all steps' }] };
    case 'fail':
      return { content: [{ type: 'text', text: 'it did not work' }], isError: true };
    case 'large':
      return { content: [{ type: 'text', text: 'x'.repeat(200_000) }] };
    default:
      return { content: [{ type: 'text', text: `ran ${name}` }] };
  }
}
