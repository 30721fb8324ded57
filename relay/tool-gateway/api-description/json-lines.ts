const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * Finds the line, from 1, of the member at `path` in a valid JSON text; undefined where there is none. The reader of the
 * platform gives no positions, and a reader with positions takes ten times as long for the large descriptions; so the text
 * is walked only when a line is asked for, and only along the path.
 */
export class JsonLines {
  readonly #text: string;
  /** Offsets of the values that were found before, by their path. */
  readonly #known = new Map<string, number>();
  #lineEnds: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#known.set('', skipSpace(text, text.startsWith('\uFEFF') ? 1 : 0));
  }

  lineOf(path: readonly string[]): number | undefined {
    const offset = this.#offsetOf(path);
    if (offset === undefined) return undefined;
    this.#lineEnds ??= lineEndsOf(this.#text);
    let low = 0;
    for (let high = this.#lineEnds.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (this.#lineEnds[middle]! < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }

  #offsetOf(path: readonly string[]): number | undefined {
    const key = JSON.stringify(path);
    const known = this.#known.get(path.length === 0 ? '' : key);
    if (known !== undefined) return known;
    const parent = this.#offsetOf(path.slice(0, -1));
    if (parent === undefined) return undefined;
    this.#readMembers(parent, path.slice(0, -1));
    return this.#known.get(key);
  }

  /** Notes where each member of the object or list at `offset` begins. */
  #readMembers(offset: number, path: readonly string[]): void {
    const text = this.#text;
    const opening = text[offset];
    if (opening !== '{' && opening !== '[') return;
    let at = skipSpace(text, offset + 1);
    for (let index = 0; text[at] !== '}' && text[at] !== ']' && at < text.length; index += 1) {
      let name = String(index);
      if (opening === '{') {
        const end = endOfString(text, at);
        name = JSON.parse(text.slice(at, end)) as string;
        at = skipSpace(text, skipSpace(text, end) + 1);
      }
      this.#known.set(JSON.stringify([...path, name]), at);
      at = skipSpace(text, endOfValue(text, at));
      if (text[at] === ',') at = skipSpace(text, at + 1);
    }
  }
}

function lineEndsOf(text: string): readonly number[] {
  const ends: number[] = [];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) ends.push(at);
  return ends;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}

/** The offset after the string that begins at `from`. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}

/** The offset after the value that begins at `from`. Compares numbers: it goes through megabytes. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      if (depth === 0) return at;
      continue;
    }
    const isClosing = code === CLOSING_BRACE || code === CLOSING_BRACKET;
    if (depth === 0 && (isClosing || code === COMMA)) return at;
    if (code === OPENING_BRACE || code === OPENING_BRACKET) depth += 1;
    at += 1;
    if (isClosing) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return at;
}
