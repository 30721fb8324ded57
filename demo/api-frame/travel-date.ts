import { ApiProblem } from './api-problem.ts';

const DAY_MS = 86_400_000;
/** How far ahead travel is sold. */
const SOLD_AHEAD_DAYS = 550;

/** The day that it is in Switzerland, as `YYYY-MM-DD`. */
export function todayInSwitzerland(nowMs: number): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Zurich', dateStyle: 'short' }).format(nowMs);
}

/** `days` later, by the calendar. */
export function plusDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Days from the first to the second. */
export function daysBetween(first: string, second: string): number {
  return Math.round((Date.parse(`${second}T00:00:00Z`) - Date.parse(`${first}T00:00:00Z`)) / DAY_MS);
}

/**
 * A day that there is, from today until 550 days ahead. Throws `ApiProblem` `invalid_request` where it is none, and
 * `date_out_of_range` where nothing is sold for it.
 */
export function readTravelDate(field: string, value: unknown, nowMs: number): string {
  const today = todayInSwitzerland(nowMs);
  const last = plusDays(today, SOLD_AHEAD_DAYS);
  const text = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : '';
  const time = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text) {
    throw new ApiProblem('invalid_request', {
      detail: `The member ${field} is not a date.`,
      field,
      expected: 'a day of the calendar, YYYY-MM-DD',
      received: value === undefined ? 'nothing' : `${JSON.stringify(value)}`.slice(0, 60),
      example: today,
    });
  }
  if (text >= today && text <= last) return text;
  throw new ApiProblem('date_out_of_range', {
    detail: text < today ? `${text} is over.` : `Nothing is sold yet for ${text}.`,
    field,
    expected: `a day from ${today} to ${last}`,
    received: text,
    example: today,
  });
}
