import type { MarkdownModule } from '../markdown/markdown-module.ts';
import type { MarkdownView } from '../markdown/markdown-view.ts';
import type { ViewContext } from './view-context.ts';

/**
 * The element for a text of the agent, and its markdown drawn into it. `context` is asked for what holds when a piece is drawn,
 * so that words drawn later are in the language of then. Where the part that draws markdown cannot be had, the text stands as it
 * is.
 */
export class AnswerText {
  readonly element = document.createElement('div');
  readonly #context: () => ViewContext;
  #view: MarkdownView | undefined;
  #isPlain = false;
  #text = '';
  #isFinished = false;

  constructor(part: string, context: () => ViewContext) {
    this.#context = context;
    this.element.className = 'text';
    this.element.part.add(part);
    context()
      .markdown()
      .then(
        (module) => this.#drawWith(module),
        () => this.#drawPlain(),
      );
  }

  setText(text: string): void {
    this.#text = text;
    this.#view?.setText(text);
    if (this.#isPlain) this.#drawPlain();
  }

  finish(): void {
    this.#isFinished = true;
    this.#view?.finish();
  }

  #drawWith({ MarkdownView }: MarkdownModule): void {
    const { imageHosts } = this.#context();
    this.#view = new MarkdownView(this.element, { imageHosts, labels: () => this.#context().labels });
    this.#view.setText(this.#text);
    if (this.#isFinished) this.#view.finish();
  }

  #drawPlain(): void {
    this.#isPlain = true;
    this.element.classList.add('plain-text');
    this.element.dir = 'auto';
    this.element.textContent = this.#text;
  }
}
