import { html, render, type TemplateResult } from 'lit';
import type { FeedbackValue } from '../parley-chat-events.ts';
import { ICONS } from './icons.ts';
import type { ViewContext } from './view-context.ts';

/** Two buttons that judge an answer. A second press on the same one takes the judgement back. */
export class FeedbackButtons {
  #value: FeedbackValue = 'none';
  readonly #element = document.createElement('span');

  constructor() {
    this.#element.className = 'feedback';
  }

  view(answerId: string, context: ViewContext): TemplateResult {
    this.#draw(answerId, context);
    return html`${this.#element}`;
  }

  #draw(answerId: string, context: ViewContext): void {
    const button = (value: FeedbackValue, label: string) => html`<button
      class="icon small ${value}"
      part="feedback-button"
      aria-label=${label}
      title=${label}
      aria-pressed=${this.#value === value}
      @click=${() => {
        this.#value = this.#value === value ? 'none' : value;
        context.onFeedback(answerId, this.#value);
        this.#draw(answerId, context);
      }}
    >
      ${ICONS.thumb}
    </button>`;
    render(html`${button('good', context.labels.goodAnswer)}${button('bad', context.labels.badAnswer)}`, this.#element);
  }
}
