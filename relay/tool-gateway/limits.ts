/** How often a session may call a tool in a minute, counted in the store so that all relays count together. */

import type { Store } from '../store/store.ts';
import type { ToolError } from '../tool-policy/tool-error.ts';
import { digest } from './digest.ts';

const WINDOW_MS = 60_000;

export interface CountedCall {
  /** What the calls are counted by: the session, or the caller where he names none. */
  readonly by: string;
  /** The tool's public name. */
  readonly tool: string;
  readonly callsPerMinute: number;
}

/** Counts one call. The error when there were too many. Throws `StoreUnavailableError`. */
export async function countCall(store: Store, call: CountedCall, nowMs: number): Promise<ToolError | undefined> {
  const key = `tool-limit:${digest(JSON.stringify([call.by, call.tool]))}`;
  const committed = await store.commit([], [{ type: 'add', key, amount: 1, expiresAtMs: nowMs + WINDOW_MS }]);
  const [counted] = committed.isCommitted ? committed.results : [];
  if (counted?.type !== 'add') throw new Error('the store answered a count with something else');
  if (counted.count <= call.callsPerMinute) return undefined;
  const retryAfterMs = Math.min(WINDOW_MS, Math.max(1_000, counted.expiresAtMs - nowMs));
  return {
    code: 'rate_limited',
    expected: `at most ${call.callsPerMinute} calls of ${call.tool} in a minute`,
    retryable: true,
    retryAfterMs,
    hint: `The call was not carried out. Wait ${Math.ceil(retryAfterMs / 1_000)} seconds before the next call of this tool.`,
  };
}
