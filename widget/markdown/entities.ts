/**
 * Character references (CommonMark 0.31 §2.5). Numeric ones all; of the named ones the Latin-1 set, Greek letters and the punctuation,
 * arrows and signs that answers use: the whole list would be larger than the renderer. An unknown name stays as it is written.
 */

/** HTML's names of U+00A0 to U+00FF in order. */
const latin1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';

const others =
  'amp& lt< gt> quot" apos\' Tab\t NewLine\n colon: lpar( rpar) lsqb[ rsqb] ast* lowbar_ grave` vert| num# sol/ bsol\\ hellip… ndash– mdash— lsquo‘ rsquo’ sbquo‚ ldquo“ rdquo” bdquo„ lsaquo‹ rsaquo› bull• dagger† Dagger‡ permil‰ prime′ Prime″ euro€ trade™ larr← uarr↑ rarr→ darr↓ harr↔ rArr⇒ hArr⇔ check✓ cross✗ star☆ infin∞ ne≠ le≤ ge≥ asymp≈ minus− radic√ sum∑ part∂ int∫ isin∈ cap∩ cup∪ alpha\u03b1 beta\u03b2 gamma\u03b3 delta\u03b4 epsilon\u03b5 lambda\u03bb mu\u03bc pi\u03c0 sigma\u03c3 phi\u03c6 omega\u03c9 Delta\u0394 Sigma\u03a3 Omega\u03a9 ensp\u2002 emsp\u2003 thinsp\u2009 zwnj\u200c zwj\u200d OElig\u0152 oelig\u0153 Scaron\u0160 scaron\u0161 Yuml\u0178';

let characters: Map<string, string> | undefined;

function named(name: string): string | undefined {
  if (!characters) {
    characters = new Map(latin1.split(' ').map((key, index) => [key, String.fromCharCode(160 + index)]));
    for (const entry of others.split(' ')) characters.set(entry.slice(0, -1), entry.slice(-1));
  }
  return characters.get(name);
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
