import type { Block } from './block.ts';
import { buildCodeBlock } from './code-block.ts';
import { DomCursor, elementAt, nodeAfter, removeFrom, setAttributes } from './dom-cursor.ts';
import { drawTokens } from './inline-drawing.ts';
import { scanInline } from './inline-scanner.ts';
import type { MarkdownOptions } from './markdown-options.ts';
import type { References } from './references.ts';
import { mayBeHeader } from './table-syntax.ts';

/** A text node of a code block ends behind the first line end from the one on, and at the other in any case. */
const shortestCodeText = 1024;
const longestCodeText = 2048;

/** Unsettled text is looked at again whenever it has grown by this much. */
const settleStep = 1280;

/** As many cells are added to the short rows of a table; after that they stay short. */
const mostFilledCells = 5000;

/** Draws blocks at the end of their parents. What an earlier drawing left behind the end is used again where it fits. */
export class BlockDrawing {
  /** What is drawn now is undone before more is drawn: nothing is remembered of it. */
  isTrial = false;
  readonly #references: References;
  readonly #options: MarkdownOptions;

  constructor(references: References, options: MarkdownOptions) {
    this.#references = references;
    this.#options = options;
  }

  /** Gives `block` its element behind what its parent already has. */
  place(block: Block): void {
    const { tag, parent } = block;
    if (block.node || !parent) return;
    if (tag === 'code') {
      const copyText = this.#options.copyText ?? (async (text: string) => navigator.clipboard.writeText(text));
      block.node = this.addChild(parent, 'div', 'code-block');
      block.host = buildCodeBlock(block.node, block.language ?? '', this.#options.labels(), copyText);
      return;
    }
    if (tag === 'table') {
      block.node = this.addChild(parent, 'div', 'table-scroll');
      // It scrolls sideways, so a keyboard must reach it.
      setAttributes(block.node, { tabindex: '0' });
      block.host = elementAt(block.node, block.node.firstChild, tag);
      return;
    }
    block.host = block.node = this.addChild(parent, tag);
    if (tag === 'li') setAttributes(block.node, { class: null });
    if (tag === 'ol') setAttributes(block.node, { start: block.start === 1 ? null : `${block.start}` });
    if (block.isDone !== null) this.#placeTaskBox(block, parent);
  }

  /** Adds an element to what `parent` has. */
  addChild(parent: Block, tag: string, use?: string): HTMLElement {
    const host = parent.host as Node;
    const element = elementAt(host, nodeAfter(host, parent.last), tag, use);
    // Blocks at the top find their own direction; what is inside them follows.
    if (!parent.parent) setAttributes(element, { dir: 'auto' });
    parent.last = element;
    return element;
  }

  /** Draws all of a leaf's text. `isFinal`: nothing will be added to it. */
  draw(leaf: Block, isFinal: boolean): void {
    this.place(leaf);
    if (leaf.isText) this.#drawText(leaf, isFinal, false);
    else if (leaf.tag === 'code') this.#drawCode(leaf, false);
  }

  /** Draws what can be settled of a leaf's text, when it has become long. */
  settle(leaf: Block): void {
    if (leaf.mayDefine || leaf.text.length < Math.max(settleStep, leaf.settleLength)) return;
    this.place(leaf);
    if (leaf.isText) this.#drawText(leaf, false, true);
    else this.#drawCode(leaf, true);
    leaf.settleLength = leaf.text.length + settleStep;
  }

  /** Adds a row to a table; the first is its header. `isFinal`: the last of `cells` is complete. */
  addRow(table: Block, cells: readonly string[], isFinal: boolean): void {
    const node = table.host as HTMLElement;
    const isHeader = table.last === null && node.localName === 'table';
    if (!isHeader && node.localName === 'table') {
      table.host = elementAt(node, nodeAfter(node, table.last), 'tbody');
      table.last = null;
    }
    const cursor = new DomCursor(table.host as Node, table.last);
    if (isHeader) cursor.open('thead');
    cursor.open('tr');
    for (const [index, align] of table.columns.entries()) {
      const cell = cells[index];
      if (cell === undefined && table.filledCells++ >= mostFilledCells) break;
      const tag = isHeader ? 'th' : 'td';
      cursor.open(tag, tag, { align });
      this.#drawStretches(cursor, cell ?? '', isFinal || index < cells.length - 1, false);
      cursor.close();
    }
    cursor.close();
    if (isHeader) cursor.close();
    table.last = cursor.previous;
  }

  /** Nothing is added to `block` any more. */
  close(block: Block): void {
    if (block.tag !== 'p' || block.text || block.node) this.draw(block, true);
    if (!block.isText && block.tag !== 'code') this.prune(block);
    if (block.language && !this.isTrial) this.#options.highlight?.(block.host as HTMLElement, block.language);
  }

  /** Removes what an earlier drawing left behind the end of a block with children or rows. */
  prune(block: Block): void {
    const host = block.host as HTMLElement;
    removeFrom(host, nodeAfter(host, block.last));
    if (block.isList) setAttributes(host, { class: block.isLoose ? null : 'md-tight' });
  }

  /** Draws again where a label that has been defined since makes a link. */
  drawChangedReferences(): void {
    for (const stretch of this.#references.takeChanged()) {
      const parent = stretch.first.parentNode as Node;
      const before = stretch.first.previousSibling;
      // Nodes behind the stretch are others': the mark keeps the cursor from taking them.
      const mark = (parent.ownerDocument as Document).createComment('');
      parent.insertBefore(mark, stretch.last.nextSibling);
      const cursor = new DomCursor(parent, before);
      const run = scanInline(stretch.text, this.#references, true);
      drawTokens(cursor, run.tokens, this.#options.imageHosts);
      cursor.finish(mark);
      stretch.first = nodeAfter(parent, before) as Node;
      stretch.last = mark.previousSibling as Node;
      parent.removeChild(mark);
      this.#references.wait(stretch, run.wanted);
    }
  }

  #placeTaskBox(paragraph: Block, item: Block): void {
    const labels = this.#options.labels();
    setAttributes(item.node as HTMLElement, { class: 'md-task' });
    const host = paragraph.host as Node;
    paragraph.last = elementAt(host, host.firstChild, 'input', 'task', {
      type: 'checkbox',
      disabled: '',
      checked: paragraph.isDone ? '' : null,
      'aria-label': paragraph.isDone ? labels.taskDone : labels.taskOpen,
    });
  }

  #drawText(leaf: Block, isFinal: boolean, isSettling: boolean): void {
    let text = leaf.mark ? leaf.text.replace(/(^|[ \t]+)#+[ \t]*$/, '') : leaf.text;
    // What may become the header of a table must not be settled.
    if (isSettling && leaf.tag === 'p' && mayBeHeader(text.slice(leaf.lineStart))) text = text.slice(0, leaf.lineStart);
    const cursor = new DomCursor(leaf.host as Node, leaf.last);
    const length = this.#drawStretches(cursor, text, isFinal, isSettling, (last) => {
      leaf.last = last;
    });
    if (!isSettling) cursor.finish();
    leaf.text = leaf.text.slice(length);
    leaf.lineStart = Math.max(0, leaf.lineStart - length);
  }

  /** Draws stretch after stretch, only settled ones if `isSettling`; gives the length of these and, with each, its last node. */
  #drawStretches(
    cursor: DomCursor,
    text: string,
    isFinal: boolean,
    isSettling: boolean,
    onSettled?: (last: Node | null) => void,
  ): number {
    for (let end = 0; ; ) {
      const rest = text.slice(end);
      const run = scanInline(rest, this.#references, isFinal);
      if (isSettling && !run.isSettled) return end;
      const before = cursor.previous;
      drawTokens(cursor, run.tokens, this.#options.imageHosts);
      const last = cursor.previous;
      if (run.wanted.size > 0 && (run.isSettled || isFinal) && !this.isTrial && last && last !== before) {
        const first = nodeAfter(last.parentNode as Node, before) as Node;
        this.#references.wait({ first, last, text: rest.slice(0, run.end) }, run.wanted);
      }
      if (!run.isSettled) return end;
      end += run.end;
      onSettled?.(last);
    }
  }

  #drawCode(block: Block, isSettling: boolean): void {
    const cursor = new DomCursor(block.host as Node, block.last);
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
