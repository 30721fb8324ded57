import { Block } from './block.ts';
import type { BlockDrawing } from './block-drawing.ts';
import { unescapeText } from './entities.ts';
import { Line } from './line.ts';
import { isProse, readDefinition } from './link-syntax.ts';
import type { References } from './references.ts';
import {
  type Alignment,
  headerMarkWithin,
  longestRow,
  mayBeHeader,
  readDelimiterRow,
  splitRow,
} from './table-syntax.ts';

/** Quotes and lists inside each other beyond this are text. */
const deepestNesting = 100;

/** When an unfinished line is this long and certain to be text, what there is of it is kept and not read again. */
const longestOpenLine = 256;
/** A longer paragraph is no heading, whatever stands below it: of a long one the beginning is settled. */
const longestHeading = 1000;
/** A table's row is read again as a whole until it is this long. */
const longestOpenRow = 1024;

const ruleLine = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const headingStart = /^(#{1,6})(?:[ \t]+|$)/;
const underline = /^(?:=+|-+)[ \t]*$/;
const fenceStart = /^(?:(`{3,})([^`]*)|(~{3,})(.*))$/;
const itemStart = /^(?:[-+*]|(\d{1,9})([.)]))(?=[ \t]|$)/;
const taskStart = /^\[([ xX])\](?=[ \t]+\S)/;

/** Marks of quotes and items at the beginning of an unfinished line, and what may follow them and still become any kind of mark. */
const containerMark = /(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))[ \t]*/y;
const onlyMarks = /^(?:[-+*=_#~`|:> \t]*|\d{1,9}[.)]?|\[[ xX]?\]?[ \t]*)$/;

/** Whether a line began a block: one that holds others, one that takes the rest of the line, one that took all of it. */
type Begun = 'container' | 'leaf' | 'whole line' | undefined;

/**
 * Reads markdown line by line (CommonMark 0.31 with GFM's tables, task items and strikethrough) and has each block drawn as it comes. Only
 * the blocks that are still open are kept. `draw` shows the unfinished last line as it would be if the text ended there; the next `write`
 * takes that back. So what is drawn in the end depends on the text alone.
 */
export class BlockParser {
  readonly #drawing: BlockDrawing;
  readonly #references: References;
  /** From the document down to the block that takes the next line. */
  #open: Block[];
  /** What has come of the last line. */
  #line = '';
  /** The last line's beginning is already part of the innermost open block. */
  #isInLine = false;
  #isBlankBefore = false;
  /** Takes back what `draw` did with the unfinished line. */
  #undo: (() => void) | undefined;
  /** A long unfinished line is read again when it is this long. */
  #retryLength = 0;

  constructor(container: Node, drawing: BlockDrawing, references: References) {
    const root = new Block('', null);
    root.host = container;
    this.#open = [root];
    this.#drawing = drawing;
    this.#references = references;
  }

  /** Takes more text; line ends are `\n`. Blocks that it completes are drawn. */
  write(text: string): void {
    this.#undo?.();
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#extendLine(text.slice(start, end));
      this.#endLine();
      start = end + 1;
    }
    this.#extendLine(text.slice(start));
    if (this.#line.length > Math.max(this.#longestOpenLine, this.#retryLength)) this.#keepLine();
    const tip = this.#tip;
    if (this.#isInLine && tip.mayDefine) tip.mayDefine = readDefinition(tip.text, false) !== undefined;
    this.#drawing.settle(tip);
  }

  /** Shows what is open, until more text comes. */
  draw(): void {
    this.#undo?.();
    if (this.#line.length > this.#longestOpenLine && this.#line.length < this.#retryLength) return;
    this.#try();
    if (this.#line) this.#readLine(this.#line, false);
    this.#guessTable();
    const tip = this.#tip;
    this.#define(tip, false);
    const rest = tip.text.indexOf(']:') + 2;
    const isHeld = !tip.text || (tip.mayDefine && rest > 2 && !isProse(tip.text.slice(rest)));
    if (tip.tag !== 'p' || !isHeld || tip.node) this.#drawing.draw(tip, false);
    for (const block of this.#open) if (!block.isText && block.tag !== 'code') this.#drawing.prune(block);
    this.#drawing.isTrial = false;
    this.#drawing.drawChangedReferences();
  }

  /** The text is complete. */
  finish(): void {
    this.#undo?.();
    if (this.#isInLine || this.#line) this.#endLine();
    this.#closeTo(1);
    this.#drawing.prune(this.#tip);
    this.#drawing.drawChangedReferences();
  }

  get #tip(): Block {
    return this.#open[this.#open.length - 1] as Block;
  }

  get #longestOpenLine(): number {
    return this.#tip.tag === 'table' ? longestOpenRow : longestOpenLine;
  }

  /** What comes from here on is taken back by `#undo`. */
  #try(): void {
    const open = this.#open;
    const copies = open.map((block) => ({ ...block }));
    const isBlankBefore = this.#isBlankBefore;
    this.#open = [...open];
    this.#drawing.isTrial = true;
    this.#undo = () => {
      this.#open = open;
      for (const [index, block] of open.entries()) Object.assign(block, copies[index]);
      this.#isBlankBefore = isBlankBefore;
      this.#drawing.isTrial = false;
      this.#undo = undefined;
    };
  }

  #extendLine(text: string): void {
    if (this.#isInLine) this.#tip.text += text;
    else this.#line += text;
  }

  #endLine(): void {
    const line = this.#line;
    this.#line = '';
    this.#retryLength = 0;
    if (!this.#isInLine) {
      this.#readLine(line, true);
      return;
    }
    this.#isInLine = false;
    const tip = this.#tip;
    if (tip.tag === 'code') tip.text += '\n';
    else if (tip.tag === 'p') this.#define(tip, false);
    else this.#closeTip();
  }

  /** Makes what there is of a long unfinished line part of the block that it belongs to, if that is certain. */
  #keepLine(): void {
    this.#try();
    const isText = this.#readLine(this.#line, false) && isExtensible(this.#tip);
    this.#undo?.();
    if (isText) {
      this.#readLine(this.#line, false);
      this.#line = '';
      this.#isInLine = true;
    } else {
      this.#retryLength = this.#line.length * 1.5;
    }
  }

  /**
   * Reads one line. `isWhole`: its end has come; otherwise a beginning that may still become a mark changes nothing, and the answer is
   * false.
   */
  #readLine(text: string, isWhole: boolean): boolean {
    const line = new Line(text);
    let depth = 1;
    while (depth < this.#open.length && this.#continues(this.#open[depth] as Block, line)) depth++;
    const matched = this.#open[depth - 1] as Block;
    if (matched.fenceLength > 0) return this.#readFenceLine(matched, line, isWhole);
    const isCode = matched.tag === 'code';
    if (!isWhole && !isCode && mayBecomeMark(line.content)) return false;

    const begun = isCode ? undefined : this.#beginBlocks(line, depth, isWhole);
    const isLazy = !begun && depth < this.#open.length && this.#tip.tag === 'p' && !line.isBlank;
    if (!begun && !isLazy) this.#closeTo(depth);
    const container = this.#tip;
    if (begun !== 'whole line') this.#addText(container, line, isWhole);
    this.#isBlankBefore = line.isBlank && container.tag !== 'blockquote' && !begun;
    return true;
  }

  /** Whether `block` goes on with this line; passes the marks that say so. */
  #continues(block: Block, line: Line): boolean {
    if (block.fenceLength > 0 || block.isList) return true;
    switch (block.tag) {
      case 'blockquote':
        return skipQuoteMark(line);
      case 'li':
        return line.isBlank ? block.hasChildren : skipIndent(line, block.indent);
      case 'code':
        return line.isBlank ? line.skipSpace(4) : skipIndent(line, 4);
      default:
        return !line.isBlank && !/^h/.test(block.tag);
    }
  }

  #readFenceLine(fence: Block, line: Line, isWhole: boolean): boolean {
    const mark = line.content.trimEnd();
    const isMark = line.indent < 4 && mark !== '' && mark === fence.mark.repeat(mark.length);
    if (isMark && !isWhole) return false;
    this.#isBlankBefore = false;
    if (isMark && mark.length >= fence.fenceLength) {
      this.#closeTip();
    } else {
      line.skipSpace(Math.min(fence.indent, line.indent));
      fence.text += line.rest + (isWhole ? '\n' : '');
    }
    return true;
  }

  /** Begins the blocks whose marks stand here, one inside the other; says whether any, and whether they took the whole line. */
  #beginBlocks(line: Line, depth: number, isWhole: boolean): Begun {
    let begun: Begun;
    for (let matched = depth; !line.isBlank; matched = this.#open.length) {
      const next = this.#beginBlock(line, matched, isWhole);
      begun = next ?? begun;
      if (next !== 'container') break;
    }
    return begun;
  }

  #beginBlock(line: Line, depth: number, isWhole: boolean): Begun {
    const container = this.#open[depth - 1] as Block;
    if (line.indent > 3) {
      if (this.#tip.tag === 'p') return undefined;
      line.skipSpace(4);
      this.#drawing.place(this.#begin('code', depth));
      return 'leaf';
    }
    const content = line.content;
    const isNestable = this.#open.length < deepestNesting;
    if (isNestable && skipQuoteMark(line)) {
      this.#drawing.place(this.#begin('blockquote', depth));
      return 'container';
    }
    const heading = headingStart.exec(content);
    if (heading) {
      line.skipMark(heading[0].length);
      this.#begin(`h${(heading[1] as string).length}`, depth).mark = '#';
      return 'leaf';
    }
    const fence = fenceStart.exec(content);
    if (fence) {
      this.#beginFence(fence, line.indent, depth, isWhole);
      return 'whole line';
    }
    if (container.tag === 'p' && isWhole && this.#endParagraph(container, content)) return 'whole line';
    if (ruleLine.test(content)) {
      this.#closeForChild(depth);
      this.#drawing.addChild(this.#prepareParent(), 'hr');
      return 'whole line';
    }
    return isNestable && this.#beginItem(line, container, depth) ? 'container' : undefined;
  }

  /** A line below a paragraph that makes it, or its last line, something else. */
  #endParagraph(paragraph: Block, content: string): boolean {
    const columns = readDelimiterRow(content);
    const header = columns && paragraph.text.slice(paragraph.lineStart);
    if (columns && header && mayBeHeader(header) && header.slice(0, headerMarkWithin).includes('|')) {
      const cells = splitRow(header);
      if (cells.length === columns.length) {
        this.#beginTable(paragraph, cells, columns, true);
        return true;
      }
    }
    if (!underline.test(content)) return false;
    this.#define(paragraph, true);
    if (!paragraph.text || paragraph.node || paragraph.text.length > longestHeading) return false;
    paragraph.tag = content[0] === '=' ? 'h1' : 'h2';
    this.#closeTip();
    return true;
  }

  #beginFence(found: RegExpExecArray, indent: number, depth: number, isWhole: boolean): void {
    const mark = (found[1] ?? found[3]) as string;
    const fence = this.#begin('code', depth);
    fence.mark = mark.charAt(0);
    fence.fenceLength = mark.length;
    fence.indent = indent;
    fence.language = isWhole ? (/\S{0,64}/.exec(unescapeText((found[2] ?? found[4] ?? '').trim()))?.[0] ?? '') : null;
    this.#drawing.place(fence);
  }

  /** Makes the last line of `paragraph` the header of a table. `isFinal`: that line is complete. */
  #beginTable(paragraph: Block, cells: readonly string[], columns: readonly Alignment[], isFinal: boolean): void {
    paragraph.text = paragraph.text.slice(0, Math.max(0, paragraph.lineStart - 1));
    this.#closeTip();
    const table = this.#push('table');
    table.columns = columns;
    this.#drawing.place(table);
    this.#drawing.addRow(table, cells, isFinal);
  }

  /** Shows the last line as a table's header when it begins with `|`: the delimiter row is most likely to come. */
  #guessTable(): void {
    const tip = this.#tip;
    const header = tip.text.slice(tip.lineStart);
    if (tip.tag !== 'p' || tip.isDone !== null || header[0] !== '|' || header.length > longestOpenRow) return;
    const cells = splitRow(header);
    const isWhole = !this.#isInLine && !this.#line.endsWith(header);
    this.#beginTable(
      tip,
      cells,
      cells.map(() => null),
      isWhole,
    );
  }

  #beginItem(line: Line, container: Block, depth: number): boolean {
    const found = itemStart.exec(line.content);
    if (!found) return false;
    const mark = found[0];
    const isEmpty = !line.content.slice(mark.length).trim();
    if (container.tag === 'p' && (isEmpty || (found[1] && Number(found[1]) !== 1))) return false;

    const width = line.indent + mark.length;
    line.skipMark(mark.length);
    const space = isEmpty || line.indent > 4 ? 1 : line.indent;
    line.skipSpace(space);

    this.#closeForChild(depth, true);
    const kind = found[2] ?? mark;
    if (this.#tip.isList && this.#tip.mark !== kind) this.#closeTip();
    if (!this.#tip.isList) {
      const list = this.#push(found[1] ? 'ol' : 'ul');
      list.mark = kind;
      list.start = Number(found[1] ?? 1);
      this.#drawing.place(list);
    }
    const item = this.#push('li');
    item.indent = width + space;
    this.#drawing.place(item);
    return true;
  }

  /** Adds what is left of a line to the innermost open block. */
  #addText(tip: Block, line: Line, isWhole: boolean): void {
    if (tip.tag === 'p') {
      this.#extendParagraph(tip, line.content, isWhole);
    } else if (tip.tag === 'code') {
      addCodeLine(tip, line, isWhole);
    } else if (tip.isText) {
      tip.text = line.content;
      if (isWhole) this.#closeTip();
    } else if (tip.tag === 'table' && line.content.length <= longestRow) {
      this.#drawing.addRow(tip, splitRow(line.content), isWhole);
    } else if (!line.isBlank) {
      this.#beginParagraph(line, isWhole);
    }
  }

  #beginParagraph(line: Line, isWhole: boolean): void {
    this.#closeForChild(this.#open.length);
    const isFirst = this.#tip.tag === 'li' && !this.#tip.hasChildren;
    const paragraph = this.#push('p');
    const task = isFirst ? taskStart.exec(line.content) : null;
    if (task) paragraph.isDone = task[1] !== ' ';
    this.#extendParagraph(paragraph, line.content.slice(task?.[0].length), isWhole);
  }

  #extendParagraph(paragraph: Block, content: string, isWhole: boolean): void {
    if (paragraph.text || paragraph.node) {
      paragraph.lineStart = paragraph.text.length + 1;
      paragraph.text += `\n${content}`;
    } else {
      paragraph.mayDefine = content[0] === '[';
      paragraph.text = content;
    }
    if (isWhole) this.#define(paragraph, false);
  }

  /** Takes the link reference definitions from the beginning of a paragraph. `isFinal`: it has no more lines. */
  #define(paragraph: Block, isFinal: boolean): void {
    while (paragraph.mayDefine) {
      const found = readDefinition(paragraph.text, isFinal);
      if (found === 'open') return;
      paragraph.mayDefine = found !== undefined;
      if (!found) return;
      if (!this.#drawing.isTrial) this.#references.define(found.key, found.destination, found.title);
      paragraph.text = paragraph.text.slice(found.end);
      paragraph.lineStart = Math.max(0, paragraph.lineStart - found.end);
    }
  }

  #begin(tag: string, depth: number): Block {
    this.#closeForChild(depth);
    return this.#push(tag);
  }

  /** Closes what the line does not continue and what cannot hold another block. `isItem`: a list can. */
  #closeForChild(depth: number, isItem = false): void {
    this.#closeTo(depth);
    while (this.#tip.isLeaf || (this.#tip.isList && !isItem)) this.#closeTip();
  }

  #closeTo(depth: number): void {
    while (this.#open.length > depth) this.#closeTip();
  }

  #closeTip(): void {
    const block = this.#open.pop() as Block;
    this.#define(block, true);
    this.#drawing.close(block);
  }

  #push(tag: string): Block {
    const block = new Block(tag, this.#prepareParent());
    this.#open.push(block);
    return block;
  }

  /** The block that gets another child; a blank line before that makes its list loose. */
  #prepareParent(): Block {
    const parent = this.#tip;
    if (this.#isBlankBefore && parent.hasChildren) {
      const list = parent.tag === 'li' ? parent.parent : parent;
      if (list) list.isLoose = true;
    }
    parent.hasChildren = true;
    return parent;
  }
}

/** Whether the rest of an unfinished line can only be more of this block's text: not a row, nor what stands behind a fence. */
function isExtensible({ isText, tag, fenceLength, language }: Block): boolean {
  return isText || (tag === 'code' && (fenceLength === 0 || language !== null));
}

function skipIndent(line: Line, columns: number): boolean {
  return line.indent >= columns && line.skipSpace(columns);
}

function skipQuoteMark(line: Line): boolean {
  return line.indent < 4 && line.text[line.next] === '>' && line.skipMark(1) && line.skipSpace(1);
}

function addCodeLine(code: Block, line: Line, isWhole: boolean): void {
  if (line.isBlank) {
    code.blankLines += `${line.rest}\n`;
  } else {
    code.text += code.blankLines + line.rest + (isWhole ? '\n' : '');
    code.blankLines = '';
  }
}

function mayBecomeMark(content: string): boolean {
  let at = 0;
  for (containerMark.lastIndex = 0; containerMark.test(content); ) at = containerMark.lastIndex;
  return onlyMarks.test(content.slice(at));
}
