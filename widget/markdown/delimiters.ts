import type { Token } from './inline-token.ts';

/** A run of `*`, `_` or `~` that may open or close emphasis. */
interface Delimiter {
  readonly token: Token;
  readonly character: string;
  /** How many characters the run had, and how many are not used yet. */
  readonly length: number;
  left: number;
  readonly canOpen: boolean;
  readonly canClose: boolean;
  /** Whether an unfinished text may show it as open emphasis. */
  readonly isLikely: boolean;
}

/** A run is closed over this many other runs that are open, not more: looking further would cost the square of their number. */
const furthestOpener = 100;

const punctuationBefore = /[\p{P}\p{S}]$/u;
const punctuationAfter = /^[\p{P}\p{S}]/u;

/**
 * The delimiter stack of CommonMark 0.31 ("process emphasis"), worked off as the text goes on: a run is matched as a closer once, when no
 * bracket is open, and what it can find behind it is known by then. Strikethrough follows GFM: one or two tildes, the same on both sides.
 */
export class DelimiterStack {
  #runs: Delimiter[] = [];
  /** Runs before this place were already tried as closers. */
  #tried = 0;

  get size(): number {
    return this.#runs.length;
  }

  /** Adds the run `text[start, end)`. The characters around it decide what it can do (left- and right-flanking). */
  push(token: Token, text: string, start: number, end: number): void {
    const character = text.charAt(start);
    const length = end - start;
    const before = text.slice(Math.max(0, start - 2), start);
    const after = text.slice(end, end + 2);
    const isSpaceBefore = !before || /\s$/.test(before);
    const isSpaceAfter = !after || /^\s/.test(after);
    const isMarkBefore = punctuationBefore.test(before);
    const isMarkAfter = punctuationAfter.test(after);
    const opensLeft = !isSpaceAfter && (!isMarkAfter || isSpaceBefore || isMarkBefore);
    const closesRight = !isSpaceBefore && (!isMarkBefore || isSpaceAfter || isMarkAfter);
    const isWord = character === '_';
    const canOpen = opensLeft && (!isWord || !closesRight || isMarkBefore);
    const canClose = closesRight && (!isWord || !opensLeft || isMarkAfter);
    if ((!canOpen && !canClose) || (character === '~' && length > 2)) return;
    // "2*3" and "~5 km" are rarely the beginning of emphasis; "**" nearly always is.
    const isLikely = length > 1 || (character === '~' ? /^\p{L}/u.test(after) : !/\d$/.test(before));
    this.#runs.push({ token, character, length, left: length, canOpen, canClose, isLikely });
  }

  /** Matches all closers from `bottom` on with the openers before them, not reaching below `bottom`. */
  match(bottom: number): void {
    const runs = this.#runs;
    let index = Math.max(bottom, this.#tried);
    while (index < runs.length) {
      const closer = runs[index] as Delimiter;
      const lowest = Math.max(bottom, index - furthestOpener);
      let at = closer.canClose ? index - 1 : -1;
      while (at >= lowest && !fits(runs[at] as Delimiter, closer)) at--;
      const opener = runs[at];
      if (at < lowest || !opener) {
        if (closer.canOpen) index++;
        else runs.splice(index, 1);
        continue;
      }
      runs.splice(at + 1, index - at - 1);
      index = at + 1;
      pair(opener, closer);
      if (opener.left === 0) runs.splice(--index, 1);
      if (closer.left === 0) runs.splice(index, 1);
    }
    if (bottom === 0) this.#tried = runs.length;
  }

  /** Forgets the runs from `size` on: a link has closed over them, they stay text. */
  truncate(size: number): void {
    this.#runs.length = Math.min(size, this.#runs.length);
    this.#tried = Math.min(this.#tried, this.#runs.length);
  }

  /** Shows what is still open as if it were closed by `end`, the last token: the text that is being written is not finished. */
  closeAll(end: Token): void {
    this.match(0);
    for (const run of this.#runs.reverse()) {
      while (run.canOpen && run.isLikely && run.left > 0) open(run, run.left, end);
    }
  }
}

/** Whether `opener` can be closed by `closer` (with the rule of three for runs that can do both). */
function fits(opener: Delimiter, closer: Delimiter): boolean {
  if (!opener.canOpen || opener.character !== closer.character) return false;
  if (opener.character === '~') return opener.left === closer.left;
  const isEither = opener.canClose || closer.canOpen;
  return !isEither || (opener.length + closer.length) % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0);
}

/** Makes one element between the two; an opener's innermost characters are used first. */
function pair(opener: Delimiter, closer: Delimiter): void {
  use(closer, open(opener, closer.left, closer.token));
}

/** Opens an element with `opener` that `closing` closes with at most `available` characters; gives the number used. */
function open(opener: Delimiter, available: number, closing: Token): number {
  const isDeleted = opener.character === '~';
  const used = isDeleted ? opener.left : Math.min(opener.left, available, 2);
  opener.token.opens.unshift(isDeleted ? 'del' : used === 2 ? 'strong' : 'em');
  closing.closes++;
  use(opener, used);
  return used;
}

function use(run: Delimiter, used: number): void {
  run.left -= used;
  run.token.text = run.character.repeat(run.left);
}
