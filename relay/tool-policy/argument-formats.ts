/** The formats in which dates, times, currencies and the like must come, with an example of each. */

export interface ArgumentFormat {
  readonly expected: string;
  readonly example: string;
  isRight(text: string): boolean;
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|60)(?:\.\d{1,9})?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** A day that there is in the calendar (ISO 8601, RFC 3339 full-date). */
function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(Date.UTC(2000, 0, 1));
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

function isDateTime(text: string): boolean {
  const at = text.search(/[Tt]/);
  return at > 0 && isDate(text.slice(0, at)) && TIME.test(text.slice(at + 1).toUpperCase());
}

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

export const ARGUMENT_FORMATS: Readonly<Record<string, ArgumentFormat>> = {
  date: { expected: 'a date in ISO 8601, YYYY-MM-DD', example: '2026-03-14', isRight: isDate },
  'date-time': {
    expected: 'a date and time in ISO 8601 with an offset, YYYY-MM-DDThh:mm:ss±hh:mm or …Z',
    example: '2026-03-14T09:30:00+01:00',
    isRight: isDateTime,
  },
  time: {
    expected: 'a time in ISO 8601 with an offset, hh:mm:ss±hh:mm or …Z',
    example: '09:30:00+01:00',
    isRight: (text) => TIME.test(text.toUpperCase()),
  },
  'local-time': {
    expected: 'a time of day of the place that is meant, hh:mm or hh:mm:ss',
    example: '09:30',
    isRight: (text) => /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/.test(text),
  },
  'year-month': {
    expected: 'a month in ISO 8601, YYYY-MM',
    example: '2026-03',
    isRight: (text) => /^\d{4}-(0[1-9]|1[0-2])$/.test(text),
  },
  currency: {
    expected: 'a currency code of ISO 4217, three capital letters',
    example: 'EUR',
    isRight: (text) => CURRENCIES.has(text),
  },
};

/** Other names under which descriptions ask for the same. */
const SYNONYMS: Readonly<Record<string, string>> = {
  'iso-4217': 'currency',
  iso4217: 'currency',
  'currency-code': 'currency',
  datetime: 'date-time',
  'iso-date': 'date',
  'iso-date-time': 'date-time',
  'partial-time': 'local-time',
};

export interface NamedSchema {
  /** The argument's own name. */
  readonly name: string;
  readonly format?: unknown;
  readonly description?: unknown;
}

/**
 * The format of a text, from its schema's `format`, or from what its description or name says without doubt; undefined: any
 * text. `isTakenFromWords`: the schema itself does not say so.
 */
export function formatOf(
  schema: NamedSchema,
): { readonly name: string; readonly isTakenFromWords: boolean } | undefined {
  const { format, name } = schema;
  if (typeof format === 'string') {
    const known = SYNONYMS[format.toLowerCase()] ?? format;
    return Object.hasOwn(ARGUMENT_FORMATS, known) ? { name: known, isTakenFromWords: false } : undefined;
  }
  const words = typeof schema.description === 'string' ? schema.description : '';
  const found = formatInWords(name, words);
  return found === undefined ? undefined : { name: found, isTakenFromWords: true };
}

function formatInWords(name: string, words: string): string | undefined {
  if (/\bISO[ -]?4217\b/i.test(words) || /(^|[a-z]_?)currency(_?code)?$/i.test(name)) return 'currency';
  if (
    /\bYYYY-MM-DD[T ]|\bRFC ?3339\b(?!.*full-date)|\bdate-time\b|ISO[ -]?8601 (date[ -]?time|timestamp)/i.test(words)
  ) {
    return 'date-time';
  }
  if (/\bYYYY-MM-DD\b|\bfull-date\b|ISO[ -]?8601 date\b/i.test(words)) return 'date';
  if (/\bYYYY-MM\b(?!-)/.test(words)) return 'year-month';
  return undefined;
}

/** Units that stand in names or descriptions, for numbers that would be unclear without one. */
const UNIT_IN_NAME =
  /(^|_|[a-z])(ms|millis|seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|km|kilomet(er|re)s?|meters?|metres?|miles?|kg|grams?|lit(er|re)s?|percent|percentage|bytes?|kb|mb|gb|cents?|pixels?|px|celsius|degrees?|count|number|quantity|passengers?|persons?|people|adults?|children|guests?|seats?|rooms?|items?|doors?|limit|page|offset|size|id|index|version|year|rating|stars?)$/i;
const UNIT_IN_WORDS =
  /\b(in|of|per)\s+(milli|kilo|centi)?(second|minute|hour|day|night|week|month|year|met(er|re)|mile|gram|lit(er|re)|percent|byte|cent|pixel|degree|person|people|passenger|guest|adult|child|item|piece|seat|room|EUR|CHF|USD|GBP|euro|franc|dollar|currency)|\b(number|count|amount) of\b|\bhow many\b|\b(EUR|CHF|USD|GBP|ms|km|kg|cm|mm|min)\b|[€$£%°]/i;

/** The unit of a number, in the words that name it; undefined: neither its name nor its description says one. */
export function unitOf({ name, description }: NamedSchema): string | undefined {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll('-', '_');
  const inName = UNIT_IN_NAME.exec(spaced)?.[2];
  if (inName) return inName.toLowerCase();
  return typeof description === 'string' ? UNIT_IN_WORDS.exec(description)?.[0].toLowerCase() : undefined;
}
