import { html, render, type TemplateResult } from 'lit';
import type { FeedbackValue } from '../parley-chat-events.ts';
import { iconButton } from './icon-button.ts';
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
    const { labels } = context;
    const button = (value: FeedbackValue, label: string) =>
      iconButton({
        icon: ICONS.thumb,
        label,
        part: 'feedback-button',
        look: `small ${value}`,
        isPressed: this.#value === value,
        onClick: () => {
          this.#value = this.#value === value ? 'none' : value;
          context.onFeedback(answerId, this.#value);
          this.#draw(answerId, context);
        },
      });
    render([button('good', labels.goodAnswer), button('bad', labels.badAnswer)], this.#element);
  }
}
