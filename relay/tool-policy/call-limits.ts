/** What a model is told of how often a tool may be called, from the configuration by which the gateway counts. */
import type { CallLimits } from './policy-rules.ts';

const LIMIT_WINDOW_MS = 60_000;

export function limitSentence({ perMinute }: CallLimits): string {
  const calls = perMinute === 1 ? '1 call' : `${perMinute} calls`;
  return `Limit: ${calls} a minute in one conversation; beyond it the error "rate_limited" says in retryAfterMs how long to wait.`;
}

export function limitMeta({ perMinute }: CallLimits) {
  return { calls: perMinute, windowMs: LIMIT_WINDOW_MS, per: 'conversation and tool', error: 'rate_limited' } as const;
}
