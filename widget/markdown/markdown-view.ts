import { cancelDraw, requestDraw } from './draw-scheduler.ts';
import type { MarkdownOptions } from './markdown-options.ts';

/**
 * Draws markdown as it is written into `container`, which belongs to the view alone: append only, nodes made one by one, never from a
 * string of HTML. What is given is queued and drawn once a frame; `flush()` draws at once.
 */
export class MarkdownView {
  readonly #container: ParentNode & Node;
  readonly #document: Document;
  /** All that was given, in the order in which it came. */
  #text = '';
  /** How much of it is drawn, in UTF-16 units. */
  #drawnLength = 0;
  #isFinished = false;

  constructor(container: ParentNode & Node, options: MarkdownOptions = {}) {
    this.#container = container;
    this.#document = options.ownerDocument ?? (container.ownerDocument as Document);
  }

  /** Adds to the end of the text. After `finish()` it throws. */
  append(chunk: string): void {
    if (this.#isFinished) throw new Error('append() after finish(): call setText() to begin anew');
    this.#text += chunk;
    requestDraw(this);
  }

  /** Makes the text `fullText`: draws only the rest when it begins with what was given before, and all anew otherwise. */
  setText(fullText: string): void {
    if (fullText === this.#text) return;
    if (this.#isFinished || !fullText.startsWith(this.#text)) {
      this.#container.replaceChildren();
      this.#drawnLength = 0;
      this.#isFinished = false;
    }
    this.#text = fullText;
    requestDraw(this);
  }

  /** The text is complete: what was left open is settled with the next drawing. */
  finish(): void {
    this.#isFinished = true;
    requestDraw(this);
  }

  /** Draws all that was given, now. */
  flush(): void {
    cancelDraw(this);
    this.drawUntil(Number.POSITIVE_INFINITY);
  }

  /** Drops what is queued; what is drawn stays. */
  dispose(): void {
    cancelDraw(this);
  }

  drawUntil(_deadlineMs: number): boolean {
    const lines = this.#text.slice(this.#drawnLength).split('\n');
    this.#drawnLength = this.#text.length;
    for (const [index, line] of lines.entries()) {
      if (index > 0 || this.#container.lastChild === null) this.#container.append(this.#document.createElement('p'));
      (this.#container.lastChild as Node).appendChild(this.#document.createTextNode(line));
    }
    return false;
  }
}
