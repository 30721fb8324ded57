/** Calls the API: again where a read may be repeated, along redirects within its own origin, and never elsewhere. */
import type * as http from 'node:http';
import type * as https from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { readRetryAfterMs } from '../../agent-host/retry-after.ts';
import type { ApiRequest } from './build-request.ts';
import { ExchangeFailed, exchange, type ReceivedAnswer } from './http-exchange.ts';

interface ApiCallOptions {
  readonly agents: { readonly http: http.Agent; readonly https: https.Agent };
  /** For the whole call, repetitions included. */
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
}

const MAX_REPETITIONS = 2;
const MAX_REDIRECTS = 3;
/** A longer wait is the agent's to decide about. */
const MAX_WAIT_MS = 5_000;
const FOLLOWED: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * The answer to one call. A read is repeated at most twice: after a 429 or 503 whose `Retry-After` is at most 5 s, and
 * after a connection that failed before any byte of the answer. Anything else is sent once. Throws `ExchangeFailed`, or
 * the signal's reason; aborting it closes the connection.
 */
export async function callApi(
  request: ApiRequest,
  options: ApiCallOptions,
  signal: AbortSignal,
): Promise<ReceivedAnswer> {
  const isRead = request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS';
  const endsAt = performance.now() + options.timeoutMs;
  let current = request;
  let repetitions = 0;
  let redirects = 0;
  for (;;) {
    const timeoutMs = Math.max(1, Math.ceil(endsAt - performance.now()));
    let answer: ReceivedAnswer;
    try {
      answer = await exchange(current, { ...options, timeoutMs }, signal);
    } catch (error) {
      const isWorthAnother = error instanceof ExchangeFailed && /^(?:unreachable|interrupted)$/.test(error.reason);
      if (!isRead || !isWorthAnother || repetitions >= MAX_REPETITIONS || performance.now() >= endsAt) throw error;
      repetitions += 1;
      continue;
    }
    if (!isRead) return answer;

    const pauseMs = repetitions < MAX_REPETITIONS ? pauseBefore(answer) : undefined;
    if (pauseMs !== undefined && performance.now() + pauseMs < endsAt) {
      repetitions += 1;
      await wait(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      continue;
    }
    const next = redirects < MAX_REDIRECTS ? redirected(current, answer) : undefined;
    if (!next) return answer;
    redirects += 1;
    current = next;
  }
}

function pauseBefore({ status, retryAfter }: ReceivedAnswer): number | undefined {
  if ((status !== 429 && status !== 503) || retryAfter === undefined) return undefined;
  const pauseMs = readRetryAfterMs(retryAfter, Date.now());
  return pauseMs <= MAX_WAIT_MS ? pauseMs : undefined;
}

/** The same read at the address that the answer names, when that is at the same origin (scheme, host and port). */
function redirected(request: ApiRequest, { status, headers }: ReceivedAnswer): ApiRequest | undefined {
  const { location } = headers;
  if (!FOLLOWED.has(status) || location === undefined) return undefined;
  const here = `${request.server.origin}${request.path}`;
  if (!URL.canParse(location, here)) return undefined;
  const target = new URL(location, here);
  if (target.origin !== request.server.origin || target.username !== '' || target.password !== '') return undefined;
  return { ...request, path: `${target.pathname}${target.search}` };
}
