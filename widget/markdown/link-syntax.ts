import { unescapeText } from './entities.ts';

/** The longest code span, tag, label, destination or address that is looked for, in UTF-16 units. A longer one is text. */
export const longestConstruct = 2048;

/** What follows the text of a link, not resolved yet. */
export interface LinkTail {
  readonly destination: string;
  readonly title: string;
  /** The place behind it. */
  readonly end: number;
}

const angleDestination = /<((?:[^<>\n\\]|\\.)*)>/y;
const title = /"((?:[^"\\]|\\[\s\S])*)"|'((?:[^'\\]|\\[\s\S])*)'|\(((?:[^()\\]|\\[\s\S])*)\)/y;
const space = /[ \t\n]*/y;
const label = /\[((?:[^[\]\\]|\\[\s\S]){1,999})\]/y;

/** The beginning of `(destination "title")` that may still be completed. */
const openTail =
  /^\([ \t\n]*(?:<(?:[^<>\n\\]|\\.?)*>?|[^\s<]*)(?:[ \t\n]+(?:"(?:[^"\\]|\\[\s\S]?)*"?|'(?:[^'\\]|\\[\s\S]?)*'?|\((?:[^()\\]|\\[\s\S]?)*\)?)?[ \t\n]*)?$/;
const openLabel = /^\[(?:[^[\]\\]|\\[\s\S]?)*$/;

/** Runs a sticky pattern at `at`. */
function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The first place from `at` on that is no space, tab or line end. */
export function skipSpace(text: string, at: number): number {
  matchAt(space, text, at);
  return space.lastIndex;
}

/** `(destination "title")` at `at` (CommonMark 0.31 §6.3), or undefined. */
export function readLinkTail(text: string, at: number): LinkTail | undefined {
  if (text[at] !== '(') return undefined;
  const begin = skipSpace(text, at + 1);
  const destination = readDestination(text, begin);
  if (!destination) return undefined;
  let end = skipSpace(text, destination.end);
  const found = end > destination.end ? readTitle(text, end) : undefined;
  if (found) end = skipSpace(text, found.end);
  if (text[end] !== ')' || end - at > longestConstruct) return undefined;
  return { destination: destination.text, title: found?.text ?? '', end: end + 1 };
}

/** A destination in angle brackets, or one without spaces whose parentheses are balanced (at most 32 deep). It may be empty. */
export function readDestination(text: string, at: number): { text: string; end: number } | undefined {
  if (text[at] === '<') {
    const found = matchAt(angleDestination, text, at);
    return found ? { text: unescapeText(found[1] as string), end: angleDestination.lastIndex } : undefined;
  }
  let depth = 0;
  let end = at;
  for (; end < text.length && end - at < longestConstruct; end++) {
    const code = text.charCodeAt(end);
    if (code <= 32 || code === 127) break;
    if (code === 92 /* \ */ && /[!-/:-@[-`{-~]/.test(text.charAt(end + 1))) end++;
    else if (code === 40 /* ( */ && ++depth > 32) return undefined;
    else if (code === 41 /* ) */ && --depth < 0) break;
  }
  return depth > 0 ? undefined : { text: unescapeText(text.slice(at, end)), end };
}

export function readTitle(text: string, at: number): { text: string; end: number } | undefined {
  const found = matchAt(title, text, at);
  if (!found || found[0].length > longestConstruct) return undefined;
  return { text: unescapeText(found[1] ?? found[2] ?? found[3] ?? ''), end: title.lastIndex };
}

/** `[label]` at `at`: at most 999 characters, no bracket inside that is not escaped, something other than space. */
export function readLabel(text: string, at: number): { text: string; end: number } | undefined {
  const found = matchAt(label, text, at);
  return found?.[1]?.trim() ? { text: found[1], end: label.lastIndex } : undefined;
}

/** Two labels that name the same definition have the same key. */
export function labelKey(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase();
}

/** Whether `text` from `at`, right behind a `]`, may still become the rest of a link when more text comes. */
export function isOpenLinkTail(text: string, at: number): boolean {
  const rest = text.slice(at, at + longestConstruct + 1);
  return rest.length <= longestConstruct && (rest === '' || openTail.test(rest) || openLabel.test(rest));
}
