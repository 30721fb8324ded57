import { Block } from './block.ts';
import type { BlockDrawing } from './block-drawing.ts';
import { definitionStart, readDefinition } from './definition.ts';
import { unescapeText } from './entities.ts';
import { Line } from './line.ts';
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
const longestOpenLine = 1024;

const ruleLine = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const headingStart = /^(#{1,6})(?:[ \t]+|$)/;
const underline = /^(?:=+|-+)[ \t]*$/;
const fenceStart = /^(?:(`{3,})([^`]*)|(~{3,})(.*))$/;
const itemStart = /^(?:[-+*]|(\d{1,9})([.)]))(?=[ \t]|$)/;
const taskStart = /^\[([ xX])\](?=[ \t]+\S)/;

/** Marks of quotes and items at the beginning of an unfinished line, and what may follow them and still become any kind of mark. */
const containerMark = /(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))[ \t]*/y;
const onlyMarks = /^(?:[-+*=_#~`|:> \t]*|\d{1,9}[.)]?|\[[ xX]?\]?[ \t]*)$/;

interface Snapshot {
  readonly open: readonly Block[];
  readonly copies: readonly Block[];
  readonly isBlankBefore: boolean;
}

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
  #trial: Snapshot | undefined;
  /** A long unfinished line is read again when it is this long. */
  #retryLength = 0;

  constructor(container: Node, drawing: BlockDrawing, references: References) {
    const root = new Block('document', null);
    root.host = container;
    this.#open = [root];
    this.#drawing = drawing;
    this.#references = references;
  }

  /** Takes more text; line ends are `\n`. Blocks that it completes are drawn. */
  write(text: string): void {
    this.#endTrial();
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#extendLine(text.slice(start, end));
      this.#endLine();
      start = end + 1;
    }
    this.#extendLine(text.slice(start));
    if (this.#line.length > Math.max(longestOpenLine, this.#retryLength)) this.#keepLine();
    this.#drawing.settle(this.#tip);
  }

  /** Shows what is open, until more text comes. */
  draw(): void {
    this.#endTrial();
    if (this.#line.length > longestOpenLine && this.#line.length < this.#retryLength) return;
    this.#beginTrial();
    if (this.#line) this.#readLine(this.#line, false);
    this.#guessTable();
    const tip = this.#tip;
    this.#define(tip, false);
    const isHeld = !tip.text || (tip.mayDefine && definitionStart.test(tip.text));
    if (tip.kind !== 'paragraph' || !isHeld || tip.node) this.#drawing.draw(tip, false);
    for (const block of this.#open) if (!isText(block)) this.#drawing.prune(block);
    this.#drawing.isTrial = false;
    this.#drawing.drawChangedReferences();
  }

  /** The text is complete. */
  finish(): void {
    this.#endTrial();
    if (this.#isInLine || this.#line) this.#endLine();
    this.#closeTo(1);
    this.#drawing.prune(this.#tip);
    this.#drawing.drawChangedReferences();
  }

  get #tip(): Block {
    return this.#open[this.#open.length - 1] as Block;
  }

  #beginTrial(): void {
    this.#trial = {
      open: [...this.#open],
      copies: this.#open.map((block) => ({ ...block })),
      isBlankBefore: this.#isBlankBefore,
    };
    this.#drawing.isTrial = true;
  }

  #endTrial(): void {
    this.#drawing.isTrial = false;
    if (!this.#trial) return;
    const { open, copies, isBlankBefore } = this.#trial;
    this.#open = [...open];
    for (const [index, block] of open.entries()) Object.assign(block, copies[index]);
    this.#isBlankBefore = isBlankBefore;
    this.#trial = undefined;
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
    if (tip.kind === 'heading') this.#closeTo(this.#open.length - 1);
    else if (tip.kind === 'paragraph') this.#define(tip, false);
    else tip.text += '\n';
  }

  /** Makes what there is of a long unfinished line part of the block that it belongs to, if that is certain. */
  #keepLine(): void {
    this.#beginTrial();
    const isText = this.#readLine(this.#line, false) && this.#isExtensible(this.#tip);
    this.#endTrial();
    if (isText) {
      this.#readLine(this.#line, false);
      this.#line = '';
      this.#isInLine = true;
    } else {
      this.#retryLength = this.#line.length * 1.5;
    }
  }

  /** Whether the rest of the line can only be more of this block's text. */
  #isExtensible({ kind, language }: Block): boolean {
    return kind === 'paragraph' || kind === 'heading' || kind === 'indented' || (kind === 'fence' && language !== null);
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
    if (matched.kind === 'fence') return this.#readFenceLine(matched, line, isWhole);
    if (!isWhole && matched.kind !== 'indented' && mayBecomeMark(line.content)) return false;

    const begun = matched.kind === 'indented' ? undefined : this.#beginBlocks(line, depth, isWhole);
    const isLazy = !begun && depth < this.#open.length && this.#tip.kind === 'paragraph' && !line.isBlank;
    if (!begun && !isLazy) this.#closeTo(depth);
    const container = this.#tip;
    if (begun !== 'whole line') this.#addText(container, line, isWhole);
    this.#isBlankBefore = line.isBlank && container.kind !== 'quote' && !begun;
    return true;
  }

  /** Whether `block` goes on with this line; passes the marks that say so. */
  #continues(block: Block, line: Line): boolean {
    switch (block.kind) {
      case 'quote':
        return skipQuoteMark(line);
      case 'item':
        if (line.isBlank) return block.hasChildren;
        if (line.indent < block.indent) return false;
        line.skipSpace(block.indent);
        return true;
      case 'paragraph':
      case 'table':
        return !line.isBlank;
      case 'indented':
        if (line.indent < 4 && !line.isBlank) return false;
        line.skipSpace(4);
        return true;
      case 'heading':
        return false;
      case 'document':
      case 'list':
      case 'fence':
        return true;
    }
  }

  #readFenceLine(fence: Block, line: Line, isWhole: boolean): boolean {
    const mark = line.content.trimEnd();
    const isMark = line.indent < 4 && mark !== '' && mark === fence.mark.repeat(mark.length);
    if (isMark && !isWhole) return false;
    if (isMark && mark.length >= fence.size) {
      this.#closeTo(this.#open.indexOf(fence));
      this.#isBlankBefore = false;
      return true;
    }
    line.skipSpace(Math.min(fence.indent, line.indent));
    fence.text += isWhole ? `${line.rest}\n` : line.rest;
    this.#isBlankBefore = false;
    return true;
  }

  /** Begins the blocks whose marks stand here, one inside the other; gives the kind of the last. */
  #beginBlocks(line: Line, depth: number, isWhole: boolean): Block['kind'] | 'whole line' | undefined {
    let begun: Block['kind'] | 'whole line' | undefined;
    let matched = depth;
    for (;;) {
      if (line.isBlank) return begun;
      const container = this.#open[matched - 1] as Block;
      const next = this.#beginBlock(line, container, matched, isWhole);
      if (!next) return begun;
      begun = next;
      if (next !== 'quote' && next !== 'item') return begun;
      matched = this.#open.length;
    }
  }

  #beginBlock(line: Line, container: Block, depth: number, isWhole: boolean): Block['kind'] | 'whole line' | undefined {
    if (line.indent >= 4) {
      if (this.#tip.kind === 'paragraph') return undefined;
      line.skipSpace(4);
      return this.#beginLeaf('indented', depth).kind;
    }
    const content = line.content;
    const isNestable = this.#open.length < deepestNesting;
    if (isNestable && skipQuoteMark(line)) {
      this.#beginContainer('quote', depth);
      return 'quote';
    }
    const heading = headingStart.exec(content);
    if (heading) {
      line.skipMark(heading[0].length);
      this.#beginLeaf('heading', depth).size = (heading[1] as string).length;
      return 'heading';
    }
    const fence = fenceStart.exec(content);
    if (fence) return this.#beginFence(fence, line, depth, isWhole);
    if (container.kind === 'paragraph' && isWhole && this.#endParagraph(container, content)) return 'whole line';
    if (ruleLine.test(content)) {
      this.#closeForChild(depth);
      this.#drawing.placeRule(this.#prepareParent());
      return 'whole line';
    }
    return isNestable && this.#beginItem(line, container, depth) ? 'item' : undefined;
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
    if (!paragraph.text && !paragraph.node) return false;
    this.#drawing.makeHeading(paragraph, content[0] === '=' ? 1 : 2);
    this.#closeTo(this.#open.length - 1);
    return true;
  }

  #beginFence(found: RegExpExecArray, line: Line, depth: number, isWhole: boolean): 'fence' {
    const mark = (found[1] ?? found[3]) as string;
    const fence = this.#beginLeaf('fence', depth);
    fence.mark = mark.charAt(0);
    fence.size = mark.length;
    fence.indent = line.indent;
    if (isWhole) {
      const info = unescapeText((found[2] ?? found[4] ?? '').trim());
      this.#drawing.setLanguage(fence, (/^\S{1,64}/.exec(info) ?? [''])[0]);
    } else {
      fence.language = null;
    }
    return 'fence';
  }

  /** Makes the last line of `paragraph` the header of a table. `isFinal`: that line is complete. */
  #beginTable(paragraph: Block, cells: readonly string[], columns: readonly Alignment[], isFinal: boolean): void {
    this.#open.pop();
    paragraph.text = paragraph.text.slice(0, Math.max(0, paragraph.lineStart - 1));
    this.#define(paragraph, true);
    this.#drawing.close(paragraph);
    const table = this.#push('table');
    table.columns = columns;
    this.#drawing.place(table);
    this.#drawing.addRow(table, cells, true, isFinal);
  }

  /** Shows the last line as a table's header when it begins with `|`: the delimiter row is most likely to come. */
  #guessTable(): void {
    const tip = this.#tip;
    if (tip.kind !== 'paragraph' || tip.task || tip.mayDefine) return;
    const header = tip.text.slice(tip.lineStart);
    if (header[0] !== '|' || header.length > longestOpenLine) return;
    const cells = splitRow(header);
    const isWhole = this.#line === '' || !this.#line.endsWith(header);
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
    const start = found[1] === undefined ? null : Number(found[1]);
    if (container.kind === 'paragraph' && (isEmpty || (start !== null && start !== 1))) return false;

    let width = line.indent + mark.length;
    line.skipMark(mark.length);
    const space = isEmpty || line.indent > 4 ? 1 : line.indent;
    width += space;
    line.skipSpace(space);

    const kind = found[2] ?? mark;
    this.#closeForChild(depth, true);
    const list = this.#tip;
    if (list.kind !== 'list' || list.mark !== kind) {
      if (list.kind === 'list') this.#closeTo(this.#open.length - 1);
      const begun = this.#push('list');
      begun.mark = kind;
      begun.start = start;
      this.#drawing.place(begun);
    }
    const item = this.#push('item');
    item.indent = width;
    this.#drawing.place(item);
    return true;
  }

  /** Adds what is left of a line to the innermost open block. */
  #addText(tip: Block, line: Line, isWhole: boolean): void {
    switch (tip.kind) {
      case 'paragraph':
        this.#extendParagraph(tip, line.content, isWhole);
        break;
      case 'heading':
        tip.text = line.content;
        if (isWhole) this.#closeTo(this.#open.length - 1);
        break;
      case 'indented':
        addCodeLine(tip, line, isWhole);
        break;
      case 'table':
        this.#addRow(tip, line, isWhole);
        break;
      case 'fence':
        break;
      case 'document':
      case 'quote':
      case 'list':
      case 'item':
        if (!line.isBlank) this.#beginParagraph(line, isWhole);
        break;
    }
  }

  #beginParagraph(line: Line, isWhole: boolean): void {
    this.#closeForChild(this.#open.length);
    const isFirst = this.#tip.kind === 'item' && !this.#tip.hasChildren;
    const paragraph = this.#push('paragraph');
    const task = isFirst ? taskStart.exec(line.content) : null;
    if (task) paragraph.task = task[1] === ' ' ? 'open' : 'done';
    this.#extendParagraph(paragraph, task ? line.content.slice(3) : line.content, isWhole);
  }

  #extendParagraph(paragraph: Block, content: string, isWhole: boolean): void {
    const isFirst = !paragraph.text && !paragraph.node;
    if (isFirst) paragraph.mayDefine = content[0] === '[';
    paragraph.lineStart = isFirst ? 0 : paragraph.text.length + 1;
    paragraph.text += isFirst ? content : `\n${content}`;
    if (isWhole) this.#define(paragraph, false);
  }

  #addRow(table: Block, line: Line, isWhole: boolean): void {
    if (line.content.length > longestRow) {
      this.#closeTo(this.#open.length - 1);
      this.#beginParagraph(line, isWhole);
      return;
    }
    this.#drawing.addRow(table, splitRow(line.content), false, isWhole);
  }

  /** Takes the link reference definitions from the beginning of a paragraph. `isFinal`: it has no more lines. */
  #define(paragraph: Block, isFinal: boolean): void {
    while (paragraph.mayDefine) {
      const found = paragraph.text[0] === '[' ? readDefinition(paragraph.text, isFinal) : undefined;
      if (found === 'open') return;
      paragraph.mayDefine = found !== undefined;
      if (!found) return;
      if (!this.#drawing.isTrial) this.#references.define(found.key, found.destination, found.title);
      paragraph.text = paragraph.text.slice(found.end);
      paragraph.lineStart = Math.max(0, paragraph.lineStart - found.end);
    }
  }

  #beginLeaf(kind: 'heading' | 'fence' | 'indented', depth: number): Block {
    this.#closeForChild(depth);
    const leaf = this.#push(kind);
    if (kind !== 'heading') this.#drawing.place(leaf);
    return leaf;
  }

  #beginContainer(kind: 'quote', depth: number): void {
    this.#closeForChild(depth);
    this.#drawing.place(this.#push(kind));
  }

  /** Closes what the line does not continue and what cannot hold another block. `isItem`: a list can. */
  #closeForChild(depth: number, isItem = false): void {
    this.#closeTo(depth);
    while (isLeaf(this.#tip) || (this.#tip.kind === 'list' && !isItem)) this.#closeTo(this.#open.length - 1);
  }

  #closeTo(depth: number): void {
    while (this.#open.length > depth) {
      const block = this.#open.pop() as Block;
      if (block.kind === 'paragraph') this.#define(block, true);
      this.#drawing.close(block);
    }
  }

  #push(kind: Block['kind']): Block {
    const block = new Block(kind, this.#prepareParent());
    this.#open.push(block);
    return block;
  }

  /** The block that gets another child; a blank line before that makes its list loose. */
  #prepareParent(): Block {
    const parent = this.#tip;
    if (this.#isBlankBefore && parent.hasChildren) {
      const list = parent.kind === 'item' ? parent.parent : parent;
      if (list) list.isLoose = true;
    }
    parent.hasChildren = true;
    return parent;
  }
}

function skipQuoteMark(line: Line): boolean {
  if (line.indent > 3 || line.text[line.next] !== '>') return false;
  line.skipMark(1);
  line.skipSpace(1);
  return true;
}

function addCodeLine(code: Block, line: Line, isWhole: boolean): void {
  if (line.isBlank) {
    code.blankLines += `${line.rest}\n`;
    return;
  }
  code.text += isWhole ? `${code.blankLines}${line.rest}\n` : code.blankLines + line.rest;
  code.blankLines = '';
}

function mayBecomeMark(content: string): boolean {
  let at = 0;
  for (containerMark.lastIndex = 0; containerMark.test(content); ) at = containerMark.lastIndex;
  return onlyMarks.test(at > 0 ? content.slice(at) : content);
}

function isText({ kind }: Block): boolean {
  return kind === 'paragraph' || kind === 'heading' || kind === 'fence' || kind === 'indented';
}

function isLeaf(block: Block): boolean {
  return isText(block) || block.kind === 'table';
}
