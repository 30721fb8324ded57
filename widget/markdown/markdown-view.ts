import { BlockDrawing } from './block-drawing.ts';
import { BlockParser } from './block-parser.ts';
import { cancelDraw, requestDraw } from './draw-scheduler.ts';
import type { MarkdownOptions } from './markdown-options.ts';
import { References } from './references.ts';

/** What is read in one step, in UTF-16 units; between two steps the deadline is looked at. */
const stepLength = 4096;

/** The end of a step that cannot be read without what follows: half a line end or half a character. */
const halfCharacter = /[\r\ud800-\udbff]$/;

/**
 * Draws markdown as it is written into `container`, which belongs to the view alone: append only, nodes made one by one, never from a
 * string of HTML. What is given is queued and drawn once a frame; `flush()` draws at once. What is drawn in the end depends on the text
 * alone, not on how it was cut.
 */
export class MarkdownView {
  readonly #container: ParentNode & Node;
  readonly #options: MarkdownOptions;
  #parser: BlockParser;
  /** All that was given, in the order in which it came. */
  #text = '';
  /** What of it is not read yet: reading from the whole would copy it all for each chunk. */
  #queue = '';
  #isFinished = false;
  #isSettled = false;

  constructor(container: ParentNode & Node, options: MarkdownOptions) {
    this.#container = container;
    this.#options = options;
    this.#parser = this.#createParser();
  }

  /** Adds to the end of the text. Throws after `finish()`; `setText()` begins anew. */
  append(chunk: string): void {
    if (this.#isFinished) throw new Error('the text is finished');
    this.#text += chunk;
    this.#queue += chunk;
    requestDraw(this);
  }

  /** Makes the text `fullText`: draws only the rest when it begins with what was given before, and all anew otherwise. */
  setText(fullText: string): void {
    if (fullText === this.#text) return;
    if (this.#isFinished || !fullText.startsWith(this.#text)) {
      this.#container.replaceChildren();
      this.#parser = this.#createParser();
      this.#text = this.#queue = '';
      this.#isFinished = this.#isSettled = false;
    }
    this.#queue += fullText.slice(this.#text.length);
    this.#text = fullText;
    requestDraw(this);
  }

  /** The text is complete: what was left open is settled with the next drawing. */
  finish(): void {
    if (this.#isFinished) return;
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

  /** For the scheduler: reads and draws until `deadlineMs`, at least one step; whether something is left. */
  drawUntil(deadlineMs: number): boolean {
    let isDone = this.#readStep();
    while (!isDone && performance.now() < deadlineMs) isDone = this.#readStep();
    if (this.#isSettled) return false;
    if (isDone && this.#isFinished) {
      this.#isSettled = true;
      this.#parser.finish();
    } else {
      this.#parser.draw();
    }
    return !isDone;
  }

  /** Reads the next step; whether it was the last that can be read now. */
  #readStep(): boolean {
    let step = this.#queue.slice(0, stepLength);
    const isEnd = step.length === this.#queue.length;
    if (halfCharacter.test(step) && !(isEnd && this.#isFinished)) step = step.slice(0, -1);
    this.#queue = this.#queue.slice(step.length);
    if (step) this.#parser.write(/[\r\0]/.test(step) ? step.replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd') : step);
    return isEnd;
  }

  #createParser(): BlockParser {
    const references = new References(this.#container.baseURI);
    return new BlockParser(this.#container, new BlockDrawing(references, this.#options), references);
  }
}
