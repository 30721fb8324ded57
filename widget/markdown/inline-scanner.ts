import { type Autolink, findAutolink } from './autolinks.ts';
import { DelimiterStack } from './delimiters.ts';
import { longestEntity, readEntity } from './entities.ts';
import type { Opening, Token } from './inline-token.ts';
import { isOpenLinkTail, isProse, longestConstruct, matchAt, readLabel, readLinkTail } from './link-syntax.ts';
import type { LinkTarget } from './link-target.ts';

/** How the scanner finds out where a link leads. Null: nowhere that is allowed. Undefined: the label is not defined (yet). */
export interface LinkResolver {
  resolve(destination: string, title: string): LinkTarget | null;
  lookUp(key: string): LinkTarget | null | undefined;
}

/** A stretch of inline content. */
export interface InlineRun {
  readonly tokens: readonly Token[];
  /** Where it ends in the text. */
  readonly end: number;
  /** Whether nothing that follows can change it: the rest of the text is a stretch of its own. */
  readonly isSettled: boolean;
  /** Keys of labels in it that would make a link if they were defined. */
  readonly wanted: ReadonlySet<string>;
}

/**
 * Inline content is settled in stretches, so that a long paragraph is never read again as a whole and no text node grows without end: a
 * stretch ends at the first space from `shortestStretch` on that stands in no open construct, and at `longestStretch` in any case; what is
 * open there is text. Both depend on the text alone, not on how it arrived.
 */
const shortestStretch = 1024;
const longestStretch = 2048;

/** A `[` that is not matched is not shown while the text is being written and this near to its end. */
const longestHiddenBracket = 256;

interface Bracket {
  readonly token: Token;
  readonly isImage: boolean;
  /** Where its text begins. */
  readonly textStart: number;
  /** How many delimiters there were before. */
  readonly delimiters: number;
}

const special = /[\\`*_~[\]!<&\n]/g;
const backticks = /`+/g;
/** `<address>` or, without a group, an HTML tag. */
const angle =
  /<(?:([a-z][a-z\d+.-]{1,31}:[^\s<>]*|[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d.-]+)|\/?[a-z][a-z\d-]*(?:\s(?:[^<>"']|"[^"]*"|'[^']*')*)?\/?)>/iy;
/** What may become one; the group is a web address so far. */
const openAngle = /<((?:https?|mailto|tel):)?(?:[^<>"']|"[^"]*"|'[^']*')*["']?[^<>]*$/iy;

/**
 * Reads inline content from the beginning of `text` up to the first place where it can be settled. `isFinal`: no more text follows;
 * otherwise what is open at the end is read as if it were closed there, marks without their text are left out, and a link shows its
 * text alone.
 */
export function scanInline(text: string, links: LinkResolver, isFinal: boolean): InlineRun {
  const reach = longestStretch + 2 * longestConstruct;
  return new InlineScanner(text.slice(0, reach), links, isFinal && text.length <= reach).scan();
}

class InlineScanner {
  readonly #text: string;
  readonly #links: LinkResolver;
  readonly #isFinal: boolean;
  readonly #tokens: Token[] = [];
  readonly #delimiters = new DelimiterStack();
  readonly #brackets: Bracket[] = [];
  /** So many of the open brackets have a link inside: they can only be images, as links do not contain links. */
  #linkedBrackets = 0;
  readonly #wanted = new Set<string>();
  #at = 0;
  /** What was read depends on text that has not come: nothing behind it can be settled. */
  #isGuess = false;
  #autolink: Autolink | undefined;
  /** Places of backtick runs by length, in order. Made when the first backtick comes. */
  #backticks: Map<number, number[]> | undefined;

  constructor(text: string, links: LinkResolver, isFinal: boolean) {
    this.#text = text;
    this.#links = links;
    this.#isFinal = isFinal;
  }

  scan(): InlineRun {
    const text = this.#text;
    this.#autolink = /@|:\/\/|www\./i.test(text) ? findAutolink(text, 0, this.#isFinal) : undefined;
    while (this.#at < text.length) {
      if (this.#isTooLong()) return this.#end(true);
      const start = this.#at;
      const stop = this.#plainEnd(start);
      if (stop > start) {
        const end = this.#settledEnd(start, stop);
        this.#at = end ?? stop;
        this.#add(text.slice(start, this.#at));
        if (end !== undefined) return this.#end(true);
      } else if (this.#autolink?.start === start) {
        this.#addAutolink(this.#autolink);
      } else {
        this.#readSpecial(text.charAt(start));
      }
    }
    return this.#end(false);
  }

  #add(text: string): Token {
    const token: Token = { text, closes: 0, opens: [] };
    this.#tokens.push(token);
    return token;
  }

  #addElement(opening: Opening, text: string): void {
    this.#add('').opens.push(opening);
    this.#add(text);
    this.#add('').closes = 1;
  }

  /** Where the plain text that begins at `start` ends. */
  #plainEnd(start: number): number {
    const text = this.#text;
    special.lastIndex = start;
    let end = special.exec(text)?.index ?? text.length;
    while (this.#autolink && this.#autolink.start < start) this.#autolink = findAutolink(text, start, this.#isFinal);
    end = Math.min(end, this.#autolink?.start ?? end);
    if (start < longestStretch && end > longestStretch) {
      end = longestStretch - (/[\ud800-\udbff]/.test(text.charAt(longestStretch - 1)) ? 1 : 0);
    }
    return end;
  }

  /** The first space in `[start, stop)`, or the line end at `stop`, at which the stretch can end. */
  #settledEnd(start: number, stop: number): number | undefined {
    if (stop <= shortestStretch || this.#isGuess || this.#brackets.length > 0) return undefined;
    this.#delimiters.match(0);
    if (this.#delimiters.size > 0) return undefined;
    const text = this.#text;
    for (let at = Math.max(start + 1, shortestStretch); at <= stop; at++) {
      // No other space may be near: two before a line end are a hard break.
      if (text[at] === (at < stop ? ' ' : '\n') && /^\S\s\S/.test(text.slice(at - 1, at + 2))) {
        return at;
      }
    }
    return undefined;
  }

  #isTooLong(): boolean {
    const isCertain = this.#isFinal || this.#text.length >= this.#at + longestConstruct;
    return this.#at >= longestStretch - 1 && isCertain && !this.#isGuess;
  }

  #readSpecial(character: string): void {
    if (character === '\n') this.#readLineEnd();
    else if (character === '\\') this.#readBackslash();
    else if (character === '`') this.#readCode();
    else if (character === '&') this.#readEntity();
    else if (character === '<') this.#readAngle();
    else if (character === '[' || character === '!') this.#openBracket(character);
    else if (character === ']') this.#closeBracket();
    else this.#readDelimiters(character);
  }

  #readLineEnd(): void {
    if (this.#trimEnd(/ +$/) > 1) this.#addElement('br', '');
    this.#add('\n');
    this.#at++;
  }

  /** Takes the space off the end of the last text; how much that was. */
  #trimEnd(space: RegExp): number {
    const last = this.#tokens.at(-1);
    if (!last) return 0;
    const length = last.text.length;
    last.text = last.text.replace(space, '');
    return length - last.text.length;
  }

  #readBackslash(): void {
    const next = this.#text.charAt(this.#at + 1);
    this.#at++;
    if (next === '\n') {
      this.#addElement('br', '');
    } else if (/[!-/:-@[-`{-~]/.test(next)) {
      this.#add(next);
      this.#at++;
    } else if (next || this.#isFinal) {
      this.#add('\\');
    } else {
      this.#isGuess = true;
    }
  }

  #readCode(): void {
    const start = this.#at;
    const length = this.#runLength('`');
    if (length === undefined) return;
    this.#backticks ??= indexBackticks(this.#text);
    const places = this.#backticks.get(length) ?? [];
    while (places[0] !== undefined && places[0] < this.#at) places.shift();
    const end = places[0];
    if (end !== undefined && end - start <= longestConstruct) {
      this.#addCode(this.#text.slice(this.#at, end));
      this.#at = end + length;
      this.#isGuess ||= !this.#isFinal && this.#at === this.#text.length;
    } else if (!this.#isFinal && this.#text.length - start <= longestConstruct) {
      this.#isGuess = true;
      const rest = this.#text.slice(this.#at).replace(/`+$/, '');
      if (rest) this.#addCode(rest);
      this.#at = this.#text.length;
    } else {
      this.#add('`'.repeat(length));
    }
  }

  #addCode(text: string): void {
    const line = text.replaceAll('\n', ' ');
    this.#addElement('code', /^ .*[^ ].* $/.test(line) ? line.slice(1, -1) : line);
  }

  /** Passes the run of `character` here and gives its length; undefined when it is too long to mean anything or may still grow. */
  #runLength(character: string): number | undefined {
    const text = this.#text;
    const start = this.#at;
    const furthest = Math.min(text.length, start + longestConstruct);
    let end = start + 1;
    while (end < furthest && text[end] === character) end++;
    this.#at = end;
    if (end === text.length && !this.#isFinal) {
      this.#isGuess = true;
      return undefined;
    }
    if (end < furthest || end === text.length) return end - start;
    this.#add(text.slice(start, end));
    return undefined;
  }

  #readEntity(): void {
    const found = readEntity(this.#text, this.#at);
    this.#isGuess ||= !this.#isFinal && this.#text.length - this.#at < longestEntity;
    this.#add(found?.character ?? '&');
    this.#at = found?.end ?? this.#at + 1;
  }

  /** `<address>`, or HTML: a tag is shown as it is written, and nothing in it is markdown. */
  #readAngle(): void {
    const found = matchAt(angle, this.#text, this.#at);
    if (found) {
      const [all, address] = found;
      const target = address && this.#links.resolve(address.includes(':') ? address : `mailto:${address}`, '');
      this.#addLink(target || null, target ? address : all);
      this.#at += all.length;
      return;
    }
    const open = this.#isFinal ? null : matchAt(openAngle, this.#text, this.#at);
    this.#isGuess ||= open !== null;
    this.#add(open?.[1] ? '' : '<');
    this.#at++;
  }

  #addAutolink(link: Autolink): void {
    const text = this.#text.slice(link.start, link.end);
    this.#isGuess ||= !link.destination;
    this.#addLink(link.destination ? this.#links.resolve(link.destination, '') : null, text);
    this.#at = link.end;
  }

  #addLink(target: LinkTarget | null, text: string): void {
    if (target) this.#addElement({ target, isImage: false }, text);
    else this.#add(text);
  }

  #readDelimiters(character: string): void {
    const start = this.#at;
    const length = this.#runLength(character);
    if (length === undefined) return;
    this.#delimiters.push(this.#add(character.repeat(length)), this.#text, start, this.#at);
  }

  #openBracket(character: string): void {
    const isImage = character === '!';
    const mark = isImage ? '![' : '[';
    if (!this.#text.startsWith(mark, this.#at)) {
      this.#add('!');
      this.#at++;
      return;
    }
    this.#at += mark.length;
    this.#brackets.push({
      token: this.#add(mark),
      isImage,
      textStart: this.#at,
      delimiters: this.#delimiters.size,
    });
  }

  #closeBracket(): void {
    const text = this.#text;
    const open = this.#brackets.pop();
    const after = ++this.#at;
    const isLinked = this.#brackets.length < this.#linkedBrackets;
    if (isLinked) this.#linkedBrackets = this.#brackets.length;
    if (!open || (isLinked && !open.isImage)) {
      this.#add(']');
      return;
    }
    const tail = readLinkTail(text, after);
    if (tail) {
      this.#finishLink(open, this.#links.resolve(tail.destination, tail.title));
      this.#at = tail.end;
    } else if (!this.#isFinal && isOpenLinkTail(text, after)) {
      this.#isGuess = true;
      if (isProse(text.slice(after))) this.#add(text.slice(after - 1));
      else open.token.text = '';
      this.#at = text.length;
    } else if (!this.#readReference(open, after)) {
      this.#add(']');
    }
  }

  /** `[text][label]`, `[label][]` or `[label]`; whether it is a link. */
  #readReference(open: Bracket, after: number): boolean {
    const text = this.#text;
    const full = readLabel(text, after);
    const own = full ? undefined : readLabel(text, open.textStart - 1);
    const label = full ?? (own?.end === after ? own : undefined);
    if (!label) return false;
    const { key } = label;
    const target = this.#links.lookUp(key);
    if (target === undefined) {
      this.#wanted.add(key);
      return false;
    }
    this.#finishLink(open, target);
    if (full) this.#at = full.end;
    else if (text.startsWith('[]', after)) this.#at = after + 2;
    return true;
  }

  #finishLink(open: Bracket, target: LinkTarget | null): void {
    this.#delimiters.match(open.delimiters);
    this.#delimiters.truncate(open.delimiters);
    open.token.text = '';
    if (target) {
      open.token.opens.push({ target, isImage: open.isImage });
      this.#add('').closes = 1;
    }
    if (!open.isImage) this.#linkedBrackets = this.#brackets.length;
  }

  #end(isSettled: boolean): InlineRun {
    const text = this.#text;
    const isOpen = !isSettled && !this.#isFinal;
    if (!isSettled) this.#trimEnd(/[ \n]+$/);
    if (isOpen) {
      for (const { token, textStart } of this.#brackets.slice(this.#linkedBrackets)) {
        if (text.length - textStart <= longestHiddenBracket) token.text = '';
      }
      this.#delimiters.closeAll(this.#add(''));
    } else {
      this.#delimiters.match(0);
    }
    return { tokens: this.#tokens, end: this.#at, isSettled, wanted: this.#wanted };
  }
}

function indexBackticks(text: string): Map<number, number[]> {
  const places = new Map<number, number[]>();
  for (const found of text.matchAll(backticks)) {
    const length = found[0].length;
    const known = places.get(length);
    if (known) known.push(found.index);
    else places.set(length, [found.index]);
  }
  return places;
}
