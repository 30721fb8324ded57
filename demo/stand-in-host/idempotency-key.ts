import { createHash } from 'node:crypto';

export interface KeyedCall {
  readonly sessionId: string;
  /** Number of the visitor's message that the agent answers. */
  readonly turn: number;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/**
 * The key by which the system behind an API knows a repeated call: SHA-256, 64 lower-case hex digits, over session, turn,
 * tool and arguments. Members that are `null` or `''` are left out at every depth and the order of members does not count;
 * items of a list stay, in their order. Source: the agent host's description of `_meta.idempotencyKey`.
 */
export function idempotencyKey({ sessionId, turn, tool, arguments: input }: KeyedCall): string {
  return createHash('sha256')
    .update(JSON.stringify([sessionId, turn, tool, canonical(input)]))
    .digest('hex');
}

// A list of [name, value] pairs in place of an object: JSON.stringify puts integer-like names first, whatever the order.
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return { list: value.map(canonical) };
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .filter(([, member]) => member !== null && member !== undefined && member !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, canonical(member)]);
}
