import type { Block } from './block.ts';
import { codeBlockOf, createCodeBlock } from './code-block.ts';
import { createPart, DomCursor, removeAfter } from './dom-cursor.ts';
import { drawTokens } from './inline-drawing.ts';
import { rescanInline, scanInline } from './inline-scanner.ts';
import { defaultLabels, type MarkdownLabels, type MarkdownOptions } from './markdown-options.ts';
import type { References } from './references.ts';
import { mayBeHeader } from './table-syntax.ts';

/** A text node of a code block ends behind the first line end from the one on, and at the other in any case. */
const shortestCodeText = 1024;
const longestCodeText = 2048;

/** Unsettled text is looked at again whenever it has grown by this much. */
const settleStep = 2048;

/** As many cells are added to the short rows of a table; after that they stay short. */
const mostFilledCells = 5000;

/** Draws blocks at the end of their parents. What an earlier drawing left behind the end is used again where it fits. */
export class BlockDrawing {
  /** What is drawn now is undone before more is drawn: nothing is remembered of it. */
  isTrial = false;
  readonly #page: Document;
  readonly #references: References;
  readonly #options: MarkdownOptions;

  constructor(page: Document, references: References, options: MarkdownOptions) {
    this.#page = page;
    this.#references = references;
    this.#options = options;
  }

  /** Gives `block` its element behind what its parent already has. */
  place(block: Block): void {
    if (block.node) return;
    switch (block.kind) {
      case 'document':
        break;
      case 'paragraph':
        this.#placeAs(block, 'p');
        if (block.task) this.#placeTaskBox(block, block.task);
        break;
      case 'heading':
        this.#placeAs(block, `h${block.size}`);
        break;
      case 'quote':
        this.#placeAs(block, 'blockquote');
        break;
      case 'item':
        this.#placeAs(block, 'li').removeAttribute('class');
        break;
      case 'list':
        this.#placeList(block);
        break;
      case 'fence':
      case 'indented':
        this.#placeCode(block);
        break;
      case 'table':
        this.#placeTable(block);
        break;
    }
  }

  placeRule(parent: Block): void {
    this.#element(parent, 'hr', 'hr', () => createPart(this.#page, 'hr'));
  }

  /** Draws all of a leaf's text. `isFinal`: nothing will be added to it. */
  draw(leaf: Block, isFinal: boolean): void {
    this.place(leaf);
    if (leaf.kind === 'paragraph' || leaf.kind === 'heading') this.#drawText(leaf, isFinal, false);
    else if (leaf.kind === 'fence' || leaf.kind === 'indented') this.#drawCode(leaf, false);
  }

  /** Draws what can be settled of a leaf's text, when it has become long. */
  settle(leaf: Block): void {
    if (leaf.text.length < Math.max(settleStep, leaf.settleLength)) return;
    if (leaf.mayDefine) return;
    this.place(leaf);
    if (leaf.kind === 'paragraph' || leaf.kind === 'heading') this.#drawText(leaf, false, true);
    else this.#drawCode(leaf, true);
    leaf.settleLength = leaf.text.length + settleStep;
  }

  /** Adds a row to a table; the first is its header. `isFinal`: the last of `cells` is complete. */
  addRow(table: Block, cells: readonly string[], isHeader: boolean, isFinal: boolean): void {
    if (!isHeader && table.host === table.node?.firstChild) {
      table.host = this.#element(table, 'tbody', 'tbody', () => this.#page.createElement('tbody'));
      table.last = null;
    }
    const cursor = new DomCursor(this.#page, table.host as Node, table.last);
    if (isHeader) cursor.open('thead');
    cursor.open('tr');
    for (const [index, align] of table.columns.entries()) {
      const cell = cells[index];
      if (cell === undefined && table.filledCells++ >= mostFilledCells) break;
      cursor.open(isHeader ? 'th' : 'td', { align });
      this.#drawStretches(cursor, cell ?? '', isFinal || index < cells.length - 1, Number.POSITIVE_INFINITY, false);
      cursor.close();
    }
    cursor.close();
    if (isHeader) cursor.close();
    table.last = cursor.previous;
  }

  /** Makes a paragraph that turns out to be a heading one, with what is drawn of it. */
  makeHeading(paragraph: Block, size: number): void {
    const { node: old, parent } = paragraph;
    paragraph.kind = 'heading';
    paragraph.size = size;
    if (!old || !parent) return;
    const heading = this.#createBlock(`h${size}`, parent);
    while (old.firstChild) heading.appendChild(old.firstChild);
    old.parentNode?.replaceChild(heading, old);
    paragraph.node = parent.last = heading;
    paragraph.host = heading;
  }

  /** The language of a code block, known when its first line is complete. */
  setLanguage(fence: Block, language: string): void {
    fence.language = language;
    const { language: label, code } = codeBlockOf(fence.node as HTMLElement);
    label.textContent = language;
    if (language) code.setAttribute('class', `language-${language}`);
    else code.removeAttribute('class');
  }

  /** Nothing is added to `block` any more. */
  close(block: Block): void {
    if (block.kind === 'paragraph' || block.kind === 'heading') {
      if (block.text || block.node || block.kind === 'heading') this.draw(block, true);
    } else if (block.kind === 'fence' || block.kind === 'indented') {
      this.#drawCode(block, false);
      if (block.language && !this.isTrial) this.#options.highlight?.(block.host as HTMLElement, block.language);
    } else {
      this.prune(block);
    }
  }

  /** Removes what an earlier drawing left behind the end of a block with children or rows. */
  prune(block: Block): void {
    if (block.host) removeAfter(block.host, block.last);
    if (block.kind === 'list') setClass(block.node as HTMLElement, block.isLoose ? '' : 'md-tight');
  }

  /** Draws again where a label that has been defined since makes a link. */
  drawChangedReferences(): void {
    for (const stretch of this.#references.takeChanged()) {
      const parent = stretch.first.parentNode as Node;
      const before = stretch.first.previousSibling;
      const after = stretch.last.nextSibling;
      const cursor = new DomCursor(this.#page, parent, before, after);
      const run = rescanInline(stretch.text, this.#references, stretch.end);
      drawTokens(cursor, run.tokens, this.#options.imageHosts ?? []);
      cursor.finish();
      stretch.first = (before ? before.nextSibling : parent.firstChild) as Node;
      stretch.last = (after ? after.previousSibling : parent.lastChild) as Node;
      this.#references.wait(stretch, run.wanted);
    }
  }

  get #labels(): MarkdownLabels {
    return this.#options.labels?.() ?? defaultLabels;
  }

  /** The element behind what `parent` has: the one that is there when it is of this kind, a new one otherwise. */
  #element(parent: Block, tag: string, use: string, create: () => HTMLElement): HTMLElement {
    const host = parent.host as Node;
    const next = (parent.last ? parent.last.nextSibling : host.firstChild) as HTMLElement | null;
    const part = next?.localName === tag ? next.getAttribute('part') : undefined;
    const isKept =
      next && part !== undefined && (tag !== 'div' || part === createPart(this.#page, tag, use).getAttribute('part'));
    const element = isKept ? next : host.insertBefore(create(), next);
    parent.last = element;
    return element;
  }

  #createBlock(tag: string, parent: Block): HTMLElement {
    const element = createPart(this.#page, tag);
    // Blocks at the top find their own direction; what is inside them follows.
    if (parent.kind === 'document') element.setAttribute('dir', 'auto');
    return element;
  }

  #placeAs(block: Block, tag: string): HTMLElement {
    const parent = block.parent as Block;
    block.node = this.#element(parent, tag, tag, () => this.#createBlock(tag, parent));
    block.host = block.node;
    return block.node;
  }

  #placeTaskBox(paragraph: Block, task: 'done' | 'open'): void {
    setClass(paragraph.parent?.node as HTMLElement, 'md-task');
    const box = this.#element(paragraph, 'input', 'input', () => {
      const input = createPart(this.#page, 'input');
      input.setAttribute('type', 'checkbox');
      input.setAttribute('disabled', '');
      return input;
    });
    box.toggleAttribute('checked', task === 'done');
    box.setAttribute('aria-label', task === 'done' ? this.#labels.taskDone : this.#labels.taskOpen);
  }

  #placeList(list: Block): void {
    const node = this.#placeAs(list, list.start === null ? 'ul' : 'ol');
    if (list.start !== null && list.start !== 1) node.setAttribute('start', `${list.start}`);
    else node.removeAttribute('start');
    setClass(node, list.isLoose ? '' : 'md-tight');
  }

  #placeCode(block: Block): void {
    const node = this.#element(block.parent as Block, 'div', 'codeBlock', () => this.#createCode());
    block.node = node;
    block.host = codeBlockOf(node).code;
    this.setLanguage(block, '');
  }

  #createCode(): HTMLElement {
    const copyText = this.#options.copyText ?? (async (text: string) => navigator.clipboard.writeText(text));
    return createCodeBlock(this.#page, this.#labels, copyText).node;
  }

  #placeTable(table: Block): void {
    const parent = table.parent as Block;
    table.node = this.#element(parent, 'div', 'tableScroll', () => {
      const scroll = createPart(this.#page, 'div', 'tableScroll');
      scroll.setAttribute('tabindex', '0');
      scroll.appendChild(this.#createBlock('table', parent));
      return scroll;
    });
    table.host = table.node.firstChild;
  }

  #drawText(leaf: Block, isFinal: boolean, isSettling: boolean): void {
    const isHeading = leaf.kind === 'heading';
    const text = isHeading ? leaf.text.replace(/(^|[ \t]+)#+[ \t]*$/, '') : leaf.text;
    const isHeaderPossible = !isHeading && !isFinal && mayBeHeader(leaf.text.slice(leaf.lineStart));
    const limit = isHeaderPossible ? leaf.lineStart : Number.POSITIVE_INFINITY;
    const cursor = new DomCursor(this.#page, leaf.host as Node, leaf.last);
    const drawn = this.#drawStretches(cursor, text, isFinal, limit, isSettling);
    if (!isSettling) cursor.finish();
    leaf.last = drawn.last;
    leaf.text = leaf.text.slice(drawn.end);
    leaf.lineStart = Math.max(0, leaf.lineStart - drawn.end);
  }

  /** Draws stretch after stretch; gives the last node and the place in `text` up to which nothing can change any more. */
  #drawStretches(
    cursor: DomCursor,
    text: string,
    isFinal: boolean,
    settleLimit: number,
    isSettling: boolean,
  ): { last: Node | null; end: number } {
    let last = cursor.previous;
    let end = 0;
    for (;;) {
      const rest = end > 0 ? text.slice(end) : text;
      const run = scanInline(rest, this.#references, isFinal, settleLimit - end);
      if (isSettling && !run.isSettled) break;
      drawTokens(cursor, run.tokens, this.#options.imageHosts ?? []);
      const drawn = cursor.previous;
      if (run.wanted.size > 0 && (run.isSettled || isFinal) && !this.isTrial && drawn && drawn !== last) {
        const first = (last ? last.nextSibling : drawn.parentNode?.firstChild) as Node;
        const stretch = { first, last: drawn, text: rest.slice(0, run.end + 2), end: run.end };
        this.#references.wait(stretch, run.wanted);
      }
      if (!run.isSettled) break;
      last = drawn;
      end += run.end;
    }
    return { last, end };
  }

  #drawCode(block: Block, isSettling: boolean): void {
    const cursor = new DomCursor(this.#page, block.host as Node, block.last);
    let text = block.text;
    for (let end = codeTextEnd(text); end > 0; end = codeTextEnd(text)) {
      cursor.text(text.slice(0, end));
      block.last = cursor.previous;
      text = text.slice(end);
    }
    if (!isSettling) {
      cursor.text(text);
      cursor.finish();
    }
    block.text = text;
  }
}

/** Where the first text node of `text` ends, 0 when that is not decided. */
function codeTextEnd(text: string): number {
  const lineEnd = text.indexOf('\n', shortestCodeText);
  if (lineEnd >= 0 && lineEnd < longestCodeText) return lineEnd + 1;
  if (text.length < longestCodeText) return 0;
  return longestCodeText - (/[\ud800-\udbff]/.test(text.charAt(longestCodeText - 1)) ? 1 : 0);
}

function setClass(element: HTMLElement, name: string): void {
  if ((element.getAttribute('class') ?? '') === name) return;
  if (name) element.setAttribute('class', name);
  else element.removeAttribute('class');
}
