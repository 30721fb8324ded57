import { labelKey, longestConstruct, readDestination, readLabel, readTitle, skipSpace } from './link-syntax.ts';

/** A link reference definition at the beginning of a paragraph (CommonMark 0.31 §4.7). */
export interface Definition {
  readonly key: string;
  readonly destination: string;
  readonly title: string;
  /** Where the paragraph goes on. */
  readonly end: number;
}

/** A paragraph that can only be a definition or become one when more lines come. */
export const definitionStart = /^\[(?:[^[\]\\]|\\[\s\S])+\]:/;

const unclosedTitle = /^(?:"(?:[^"\\]|\\[\s\S]?)*|'(?:[^'\\]|\\[\s\S]?)*|\((?:[^()\\]|\\[\s\S]?)*)$/;

/** The definition that `text` begins with; `open` when that depends on lines to come (never if `isFinal`); else undefined. */
export function readDefinition(text: string, isFinal: boolean): Definition | 'open' | undefined {
  const undecided = isFinal || text.length > longestConstruct * 2 ? undefined : 'open';
  const label = readLabel(text, 0);
  if (!label) return text.includes(']') ? undefined : undecided;
  if (text[label.end] !== ':') return label.end === text.length ? undecided : undefined;
  const start = skipSpace(text, label.end + 1);
  if (start === text.length) return undecided;
  const destination = readDestination(text, start);
  if (!destination || destination.end === start) return undefined;

  const found = { key: labelKey(label.text), destination: destination.text };
  const titleStart = skipSpace(text, destination.end);
  const title = titleStart > destination.end ? readTitle(text, titleStart) : undefined;
  const titledEnd = title && lineEndAfter(text, title.end);
  if (title && titledEnd !== undefined) return { ...found, title: title.text, end: titledEnd };

  const isTitleOpen = undecided && titleStart > destination.end && unclosedTitle.test(text.slice(titleStart));
  const end = lineEndAfter(text, destination.end);
  if (isTitleOpen || (end === text.length && undecided)) return 'open';
  return end === undefined ? undefined : { ...found, title: '', end };
}

/** The beginning of the next line when nothing but space comes before it. */
function lineEndAfter(text: string, at: number): number | undefined {
  const lineEnd = text.indexOf('\n', at);
  const end = lineEnd < 0 ? text.length : lineEnd + 1;
  return text.slice(at, end).trim() ? undefined : end;
}
