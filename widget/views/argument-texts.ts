/** The exact arguments of a transaction in the visitor's words and formats. What they say is never shortened, rounded or hidden. */

/** A value, or the named members of one, in order. */
export type ArgumentText =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'members'; readonly members: readonly { readonly name: string; readonly value: ArgumentText }[] };

export interface TextWords {
  readonly yes: string;
  readonly no: string;
  /** BCP 47. */
  readonly language: string;
}

export function argumentText(value: unknown, words: TextWords): ArgumentText {
  if (Array.isArray(value)) return listText(value, words);
  if (typeof value !== 'object' || value === null) return { type: 'text', text: simpleText(value, words) };
  const { currency, ...others } = value as Record<string, unknown>;
  const amounts = Object.entries(others).filter(([name]) => AMOUNT.test(name));
  const money =
    typeof currency === 'string' && /^[A-Z]{3}$/.test(currency) && amounts.length > 0 ? currency : undefined;
  const shown = Object.entries(money === undefined ? (value as Record<string, unknown>) : others);
  const members = shown.map(([name, member]) => ({
    name: readableName(name),
    value:
      money !== undefined && AMOUNT.test(name) && typeof member === 'number'
        ? ({ type: 'text', text: moneyText(member, money, words.language) } as const)
        : argumentText(member, words),
  }));
  const isOneAmount = money !== undefined && members.length === 1;
  return isOneAmount && members[0] ? members[0].value : { type: 'members', members };
}

/** `departureDate`, `departure_date` → "Departure date". */
export function readableName(name: string): string {
  const spaced = visibleText(name)
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim();
  const words = spaced.replace(/\p{Lu}\p{Ll}+/gu, (word) => word.toLowerCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const AMOUNT = /(^|_)(amount|price|total|fee|sum)$|(Amount|Price|Total|Fee|Sum)$/;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2})(?::(\d{2})(?:\.\d+)?)?([Zz]|[+-]\d{2}:\d{2})$/;

function listText(items: readonly unknown[], words: TextWords): ArgumentText {
  if (items.length === 0) return { type: 'text', text: '–' };
  const texts = items.map((item) => argumentText(item, words));
  if (texts.every((text) => text.type === 'text')) {
    return { type: 'text', text: new Intl.ListFormat(words.language).format(texts.map(({ text }) => text)) };
  }
  return { type: 'members', members: texts.map((value, index) => ({ name: `${index + 1}`, value })) };
}

function simpleText(value: unknown, { yes, no, language }: TextWords): string {
  switch (typeof value) {
    case 'boolean':
      return value ? yes : no;
    case 'number':
      return numberText(value, language);
    case 'string':
      return dateText(value, language) ?? (value === '' ? '–' : visibleText(value));
    default:
      return '–';
  }
}

/** All digits: what is released is this number and not one near it. */
function numberText(value: number, language: string): string {
  return new Intl.NumberFormat(language, { maximumFractionDigits: 20 }).format(value);
}

function moneyText(value: number, currency: string, language: string): string {
  return new Intl.NumberFormat(language, { style: 'currency', currency, maximumFractionDigits: 20 }).format(value);
}

/** A day or a moment as people write it, in the time of the place that its offset says; undefined: it is neither. */
function dateText(text: string, language: string): string | undefined {
  const [, day, time, , offset] = DATE_TIME.exec(text) ?? [];
  const isDay = DATE.test(text);
  if (!isDay && day === undefined) return undefined;
  const at = new Date(`${isDay ? text : `${day}T${time}`}${isDay ? 'T00:00' : ''}:00Z`);
  if (Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== (day ?? text)) return undefined;
  // The Gregorian calendar, in which the value is written, whatever the language's own one is.
  const format = { timeZone: 'UTC', calendar: 'gregory', dateStyle: 'full' } as const;
  if (isDay) return new Intl.DateTimeFormat(language, format).format(at);
  const shown = new Intl.DateTimeFormat(language, { ...format, timeStyle: 'short' }).format(at);
  return `${shown} (UTC${/^z$/i.test(offset ?? '') ? '' : offset?.replace('-', '−')})`;
}

/**
 * Characters that are not seen or that turn the direction of what follows are shown by their code: what the visitor reads must be
 * what he releases.
 */
function visibleText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu, (character) =>
    character === '\n' ? '\n' : `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );
}
