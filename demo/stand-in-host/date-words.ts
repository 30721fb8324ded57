import { plusDays, todayInSwitzerland } from '../api-frame/travel-date.ts';

/** A day as a visitor has named it. */
export type DateWords =
  | { readonly type: 'in-days'; readonly days: number }
  /** In figures, right or wrong: `2027-03-14`, `14.03.2027`, `31.02.2027`. */
  | { readonly type: 'written'; readonly text: string };

/** The day in a message, in lower case; undefined: none is named. */
export function readDateWords(text: string): DateWords | undefined {
  const written = /\b\d{4}-\d{1,2}-\d{1,2}\b|\b\d{1,2}\.\s?\d{1,2}\.\s?\d{4}\b|\b\d{1,2}\/\d{1,2}\/\d{4}\b/.exec(
    text,
  )?.[0];
  if (written !== undefined) return { type: 'written', text: written };
  if (/day after tomorrow|übermorgen/.test(text)) return { type: 'in-days', days: 2 };
  if (/tomorrow|\bmorgen\b/.test(text)) return { type: 'in-days', days: 1 };
  if (/\b(today|tonight|heute)\b/.test(text)) return { type: 'in-days', days: 0 };
  return undefined;
}

/** What goes into the first call: a word as the day that it means, figures as they were written. */
export function dateArgument(words: DateWords, nowMs: number): string {
  return words.type === 'written' ? words.text : plusDays(todayInSwitzerland(nowMs), words.days);
}

/**
 * The same day in ISO 8601; where there is no such day, the last one of its month. Undefined: not even month and year can be
 * read. Day comes before month, as in Switzerland.
 */
export function correctedDate(text: string): { readonly date: string; readonly isSameDay: boolean } | undefined {
  const numbers = text.match(/\d+/g)?.map(Number) ?? [];
  const [year = 0, month = 0, day = 0] = text.includes('-') ? numbers : numbers.toReversed();
  if (month < 1 || month > 12 || year < 1000 || day < 1) return undefined;
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const digits = (value: number) => String(value).padStart(2, '0');
  return { date: `${year}-${digits(month)}-${digits(Math.min(day, lastDay))}`, isSameDay: day <= lastDay };
}
