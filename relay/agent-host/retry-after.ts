const MIN_RETRY_AFTER_MS = 1_000;
const MAX_RETRY_AFTER_MS = 3_600_000;
/** What a host that says "later" without a time that can be read is given. */
const DEFAULT_RETRY_AFTER_MS = 5_000;

const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/**
 * Milliseconds, 1 000 … 3 600 000, from all `Retry-After` fields of an answer: seconds or a date (RFC 9110, 10.2.3).
 * Absent, given twice or in another form: 5 000.
 */
export function readRetryAfterMs(values: readonly string[] | undefined, nowMs: number): number {
  const value = values?.length === 1 ? values[0]!.trim() : '';
  if (/^\d+$/.test(value)) return clamp(Number(value) * 1_000);
  const dateMs = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(dateMs) ? DEFAULT_RETRY_AFTER_MS : clamp(dateMs - nowMs);
}

function clamp(ms: number): number {
  return Math.min(MAX_RETRY_AFTER_MS, Math.max(MIN_RETRY_AFTER_MS, ms));
}
