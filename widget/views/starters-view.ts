import { html, nothing, type TemplateResult } from 'lit';
import type { Labels } from '../labels.ts';

/** Questions that a visitor can ask with one press, offered until he has asked his first. */
export function startersView(
  suggestions: readonly string[],
  labels: Labels,
  onPick: (text: string) => void,
): TemplateResult | typeof nothing {
  if (suggestions.length === 0) return nothing;
  return html`<ul class="starters" part="starters" aria-label=${labels.suggestions}>
    ${suggestions.map(
      (text) => html`<li><button part="starter" dir="auto" @click=${() => onPick(text)}>${text}</button></li>`,
    )}
  </ul>`;
}
