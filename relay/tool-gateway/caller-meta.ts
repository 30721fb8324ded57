/** What a caller's `_meta` may hold, and what of it goes on. */
import type { ToolError } from '../tool-policy/tool-error.ts';

const MAX_META_CHARACTERS = 256;

/** Between the caller and the relay only (MCP 2026-07-28, `_meta`): made anew for the next hop. */
const OF_ONE_HOP = new Set([
  'progressToken',
  'io.modelcontextprotocol/protocolVersion',
  'io.modelcontextprotocol/clientInfo',
  'io.modelcontextprotocol/clientCapabilities',
  'io.modelcontextprotocol/logLevel',
  'io.modelcontextprotocol/subscriptionId',
  'io.modelcontextprotocol/related-task',
]);

export interface CallerMeta {
  readonly sessionId: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** Everything but the fields of one hop, the two above included. */
  readonly passedOn: Readonly<Record<string, unknown>>;
}

/** The checked `_meta`, or why the call is refused (`invalid_meta`): these two fields become headers. */
export function readCallerMeta(meta: Readonly<Record<string, unknown>>): CallerMeta | ToolError {
  const fault = faultOf(meta, 'sessionId') ?? faultOf(meta, 'idempotencyKey');
  if (fault) return fault;
  const passedOn = Object.fromEntries(Object.entries(meta).filter(([name]) => !OF_ONE_HOP.has(name)));
  return {
    sessionId: own(meta, 'sessionId') as string | undefined,
    idempotencyKey: own(meta, 'idempotencyKey') as string | undefined,
    passedOn,
  };
}

function own(meta: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(meta, name) ? (meta[name] ?? undefined) : undefined;
}

function faultOf(meta: Readonly<Record<string, unknown>>, name: string): ToolError | undefined {
  const value = own(meta, name);
  if (
    value === undefined ||
    (typeof value === 'string' &&
      /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) &&
      value.length <= MAX_META_CHARACTERS)
  ) {
    return undefined;
  }
  return {
    code: 'invalid_meta',
    field: `_meta.${name}`,
    expected: `a text of 1 to ${MAX_META_CHARACTERS} visible ASCII characters`,
    received: describe(value),
    retryable: false,
    hint: 'This field is set by the agent host and not by the model. The call was not carried out.',
  };
}

/** Says what came without repeating it. */
function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string')
    return `a text of ${value.length} characters${/^[\x20-\x7e]*$/.test(value) ? '' : ', some of them not visible ASCII'}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
