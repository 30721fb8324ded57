import { html, type TemplateResult } from 'lit';
import type { Labels } from '../labels.ts';
import type { FeedbackValue } from '../parley-chat-events.ts';
import { iconButton } from './icon-button.ts';
import { ICONS } from './icons.ts';

/** Two buttons that judge an answer. A second press on the same one takes the judgement back. */
export function feedbackView(
  value: FeedbackValue,
  { goodAnswer, badAnswer }: Labels,
  onChange: (value: FeedbackValue) => void,
): TemplateResult {
  const button = (own: FeedbackValue, label: string) =>
    iconButton({
      icon: ICONS.thumb,
      label,
      part: 'feedback-button',
      look: `small ${own}`,
      isPressed: value === own,
      onClick: () => onChange(value === own ? 'none' : own),
    });
  return html`${button('good', goodAnswer)}${button('bad', badAnswer)}`;
}
