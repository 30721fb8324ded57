/** Draws the text of one answer into a container, piece by piece. Finished parts keep their nodes. */
export interface AnswerRenderer {
  /** The whole text so far. Text that continues the former one is appended; another one replaces it. */
  setText(fullText: string): void;
  /** No more text will come. */
  finish(): void;
}

/** Paragraphs of plain text, parted by blank lines. */
export class PlainParagraphs implements AnswerRenderer {
  readonly #container: HTMLElement;
  #text = '';
  #last: HTMLElement | undefined;

  constructor(container: HTMLElement) {
    this.#container = container;
  }

  setText(fullText: string): void {
    let added = fullText.slice(this.#text.length);
    if (!fullText.startsWith(this.#text)) {
      this.#container.replaceChildren();
      this.#last = undefined;
      added = fullText;
    }
    this.#text = fullText;
    for (const [at, part] of added.split(/\n{2,}/).entries()) {
      if (at > 0) this.#last = undefined;
      if (part) this.#paragraph().append(part);
    }
  }

  finish(): void {}

  #paragraph(): HTMLElement {
    if (!this.#last) {
      this.#last = document.createElement('p');
      this.#last.dir = 'auto';
      this.#container.append(this.#last);
    }
    return this.#last;
  }
}
