import { html, nothing, type TemplateResult } from 'lit';
import type { ContextUsage } from '../conversation.ts';
import { fill, type Labels } from '../labels.ts';

/** From here on a visitor is told that the conversation is nearly full. In percent. */
const WARNING_PERCENTAGE = 80;

/** How much of what the agent can remember this conversation has used. */
export function contextMeterView(
  context: ContextUsage | undefined,
  labels: Labels,
  language: string,
): TemplateResult | typeof nothing {
  if (!context) return nothing;
  const share = Math.min(1, Math.max(0, context.percentage / 100));
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(share);
  const isNearlyFull = context.percentage >= WARNING_PERCENTAGE;
  const text = fill(isNearlyFull ? labels.contextFull : labels.context, { percent });
  return html`<span class="context ${isNearlyFull ? 'warning' : ''}" part="context"
    ><meter min="0" max="1" .value=${share} aria-label=${text}></meter><span aria-hidden="true">${text}</span></span
  >`;
}
