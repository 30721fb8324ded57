/** How often one tool may be called in one conversation: the rule, the words for it, and the refusal, from one configuration. */
import type { CallLimits } from './policy-rules.ts';
import type { ToolError } from './tool-error.ts';

export const LIMIT_WINDOW_MS = 60_000;

/** The window of the clock that a moment lies in: one can tell when it ends without having seen its beginning. */
export function limitWindow(nowMs: number): { readonly index: number; readonly endsAtMs: number } {
  const index = Math.floor(nowMs / LIMIT_WINDOW_MS);
  return { index, endsAtMs: (index + 1) * LIMIT_WINDOW_MS };
}

export function limitSentence({ perMinute }: CallLimits): string {
  const calls = perMinute === 1 ? '1 call' : `${perMinute} calls`;
  return `Limit: ${calls} a minute in one conversation; beyond it the error "rate_limited" says in retryAfterMs how long to wait.`;
}

export function limitMeta({ perMinute }: CallLimits) {
  return { calls: perMinute, windowMs: LIMIT_WINDOW_MS, per: 'conversation and tool', error: 'rate_limited' } as const;
}

export function limitError(tool: string, domain: string, { perMinute }: CallLimits, retryAfterMs: number): ToolError {
  return {
    code: 'rate_limited',
    expected: `at most ${perMinute} calls of ${tool} a minute`,
    received: 'one more',
    retryable: true,
    retryAfterMs,
    domain,
    hint: `Nothing was called. Wait ${Math.ceil(retryAfterMs / 1_000)} seconds before you call ${tool} again, or answer with what you have.`,
  };
}
