/**
 * Character references (CommonMark 0.31 §2.5). Numeric ones all; of the named ones the letters with accents, which are composed, and the
 * signs and punctuation that answers use: the whole list would be larger than the renderer. An unknown name stays as it is written.
 */
const signs =
  'amp& lt< gt> quot" apos\' nbsp\u00a0 copy© reg® trade™ deg° plusmn± times× divide÷ minus− ne≠ le≤ ge≥ frac12½ middot· bull• hellip… ndash– mdash— lsquo‘ rsquo’ ldquo“ rdquo” laquo« raquo» pound£ euro€ larr← rarr→ szligß AEligÆ aeligæ OslashØ oslashø';
const accents =
  'grave\u0300 acute\u0301 circ\u0302 tilde\u0303 breve\u0306 uml\u0308 ring\u030a caron\u030c cedil\u0327';

/** The last character of each entry is what the name before it stands for. */
function readTable(table: string): Map<string, string> {
  return new Map(table.split(' ').map((entry) => [entry.slice(0, -1), entry.slice(-1)]));
}

const signOf = readTable(signs);
const accentOf = readTable(accents);

function named(name: string): string | undefined {
  const accent = accentOf.get(name.slice(1));
  const letter = accent && (name.charAt(0) + accent).normalize();
  return letter?.length === 1 ? letter : signOf.get(name);
}

/** The longest reference that is looked for, in UTF-16 units. */
export const longestEntity = 34;

const entity = /&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z][a-z\d]{1,31}));/iy;
const escapeOrEntity = /\\([!-/:-@[-`{-~])|&(?:#x[\da-f]{1,6}|#\d{1,7}|[a-z][a-z\d]{1,31});/gi;

/** The reference that begins at `at`: what it stands for and where it ends, or undefined when there is none. */
export function readEntity(text: string, at: number): { character: string; end: number } | undefined {
  entity.lastIndex = at;
  const found = entity.exec(text);
  if (!found) return undefined;
  const [, hexadecimal, decimal, name = ''] = found;
  const code = hexadecimal ? Number.parseInt(hexadecimal, 16) : Number(decimal);
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  const character = name ? named(name) : isCharacter ? String.fromCodePoint(code) : '\ufffd';
  return character === undefined ? undefined : { character, end: entity.lastIndex };
}

/** `text` with backslash escapes and references resolved: for destinations, titles and the language of a code block. */
export function unescapeText(text: string): string {
  return text.replace(
    escapeOrEntity,
    (match, escaped: string | undefined) => escaped ?? readEntity(match, 0)?.character ?? match,
  );
}
