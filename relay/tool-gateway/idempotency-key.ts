import { createHash } from 'node:crypto';
import { canonicalJson } from '../tool-policy/canonical-json.ts';

export interface IdentifiedCall {
  readonly sessionId: string;
  /** What names the visitor's message that is being answered, e.g. its message id. */
  readonly turn: string;
  readonly tool: string;
  /** The tool's arguments as JSON gives them; null or absent: none. A top-level `_meta` is not one of them. */
  readonly arguments?: unknown;
}

/**
 * The key by which an API recognises that a model repeats a call within one turn: SHA-256 as 64 lower-case hexadecimal digits.
 * Same session, turn, tool and arguments → same key; anything else → another. Members that are null or an empty string are
 * left out at every depth, the order of members does not count, the order of lists does, `[]` and `{}` are values.
 * The parts are framed as JSON, so that none can run into the next. Does not change the arguments.
 * Throws `NotCanonicalError` for arguments that are not exact as JSON (see `canonicalJson`).
 * Source: the agent host's description of `_meta.idempotencyKey`.
 */
export function idempotencyKey(call: IdentifiedCall): string {
  const frame = JSON.stringify([call.sessionId, call.turn, call.tool]);
  return createHash('sha256')
    .update(`${frame}${canonicalJson(withoutMeta(call.arguments ?? {}), { isPruned: true })}`)
    .digest('hex');
}

function withoutMeta(args: unknown): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args) || !Object.hasOwn(args, '_meta')) return args;
  return Object.fromEntries(Object.entries(args).filter(([name]) => name !== '_meta'));
}
