import { unescapeText } from './entities.ts';

/** The longest code span, tag, label, destination or address that is looked for, in UTF-16 units. A longer one is text. */
export const longestConstruct = 2048;

/** Parentheses in a destination may be nested this deep (CommonMark 0.31 §6.3 asks for three). */
const deepestParentheses = 4;

/** The rest of an inline link: `(destination "title")`. */
export interface LinkTail {
  readonly destination: string;
  readonly title: string;
  /** The place behind it. */
  readonly end: number;
}

/** A link reference definition at the beginning of a paragraph (CommonMark 0.31 §4.7). */
export interface Definition extends LinkTail {
  readonly key: string;
}

const space = String.raw`[ \t\n]`;
const labelText = String.raw`(?:[^[\]\\]|\\.)`;
const label = String.raw`\[(${labelText}{1,999})\]`;
const title = String.raw`("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\))`;
const openTitle = String.raw`(?:"(?:[^"\\]|\\.)*|'(?:[^'\\]|\\.)*|\((?:[^()\\]|\\.)*)\\?`;
const destination = String.raw`(?:<((?:[^<>\n\\]|\\.)*)>|((?!<)${unbracketed(deepestParentheses)}))`;
const openDestination = String.raw`(?:<[^<>\n]*>?|[^ \t\n<][^ \t\n]*)`;

function unbracketed(depth: number): string {
  const nested = depth > 0 ? String.raw`|\(${unbracketed(depth - 1)}\)` : '';
  return String.raw`(?:[^ \t\n\\()]|\\[^ \t\n]|\\(?![^ \t\n])${nested})*`;
}

const labelPattern = new RegExp(label, 'sy');
const tailPattern = new RegExp(String.raw`\(${space}*${destination}(?:${space}+${title})?${space}*\)`, 'sy');
const definitionPattern = new RegExp(
  String.raw`${label}:${space}*${destination}(?:${space}+${title}[ \t]*(?:\n|$)|[ \t]*(?:\n|$))`,
  'sy',
);

/** What may become one of these when more text comes. */
const openRest = `${space}*(?:${openDestination}(?:${space}+(?:${openTitle}|${title})?${space}*)?)?`;
const openLabel = String.raw`\[${labelText}*\\?`;
const openTailPattern = new RegExp(String.raw`^(?:\(${openRest}|${openLabel})?$`, 's');
const openTitlePattern = new RegExp(`^(?:${openTitle})?$`, 's');
const openDefinitionPattern = new RegExp(String.raw`^${openLabel}(?:\](?::${openRest})?)?$`, 's');

/** Runs a sticky pattern at `at`. What is too long does not count. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found && found[0].length <= longestConstruct ? found : null;
}

/** `(destination "title")` at `at`, or undefined. */
export function readLinkTail(text: string, at: number): LinkTail | undefined {
  const found = matchAt(tailPattern, text, at);
  return found ? linkTail(found, 1, tailPattern.lastIndex) : undefined;
}

function linkTail(found: RegExpExecArray, group: number, end: number): LinkTail {
  return {
    destination: unescapeText(found[group] ?? found[group + 1] ?? ''),
    title: unescapeText((found[group + 2] ?? '').slice(1, -1)),
    end,
  };
}

/** `[label]` at `at`, something other than space in it: its key, which is the same for all spellings, and the place behind it. */
export function readLabel(text: string, at: number): { key: string; end: number } | undefined {
  const key = matchAt(labelPattern, text, at)?.[1]?.trim();
  return key ? { key: labelKey(key), end: labelPattern.lastIndex } : undefined;
}

function labelKey(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase();
}

/** Whether so many words came that they are more likely text than the rest of a link: they are not kept back any longer. */
export function isProse(text: string): boolean {
  return /\s.{100}/s.test(text.trimStart());
}

/** Whether `text` from `at`, right behind a `]`, may still become the rest of a link when more text comes. */
export function isOpenLinkTail(text: string, at: number): boolean {
  return text.length - at <= longestConstruct && openTailPattern.test(text.slice(at));
}

/** The definition that `text` begins with; `open` when that depends on lines to come (never if `isFinal`); else undefined. */
export function readDefinition(text: string, isFinal: boolean): Definition | 'open' | undefined {
  const isUndecided = !isFinal && text.length <= longestConstruct;
  const found = matchAt(definitionPattern, text, 0);
  const key = found && labelKey(found[1] as string);
  if (!key || (found[2] === undefined && !found[3])) {
    return isUndecided && openDefinitionPattern.test(text) ? 'open' : undefined;
  }
  const definition = { key, ...linkTail(found, 2, definitionPattern.lastIndex) };
  return isUndecided && !found[4] && openTitlePattern.test(text.slice(definition.end)) ? 'open' : definition;
}
