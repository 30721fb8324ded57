/**
 * Finds the line, from 1, of the member at `path` in a valid JSON text; undefined where there is none. The reader of the
 * platform gives no positions, and a reader with positions takes ten times as long for the large descriptions; so the text
 * is walked only when a line is asked for, and only along the path.
 */
export class JsonLines {
  readonly #text: string;
  /** Offsets of the values that were found before, by their path. */
  readonly #known = new Map<string, number>();

  constructor(text: string) {
    this.#text = text;
    this.#known.set('', skipSpace(text, text.startsWith('\uFEFF') ? 1 : 0));
  }

  lineOf(path: readonly string[]): number | undefined {
    const offset = this.#offsetOf(path);
    if (offset === undefined) return undefined;
    let line = 1;
    for (let at = this.#text.indexOf('\n'); at !== -1 && at < offset; at = this.#text.indexOf('\n', at + 1)) line += 1;
    return line;
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

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}

/** The offset after the string that begins at `from`. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    at += code === 0x5c ? 2 : 1;
  }
  return text.length;
}

/** The offset after the value that begins at `from`. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (depth === 0 && (character === ',' || character === '}' || character === ']')) return at;
    if (character === '{' || character === '[') depth += 1;
    if ((character === '}' || character === ']') && --depth === 0) return at + 1;
    at += 1;
  }
  return at;
}
