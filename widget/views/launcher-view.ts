import { html, nothing, type TemplateResult } from 'lit';
import { fill, type Labels } from '../labels.ts';
import { ICONS } from './icons.ts';

export interface LauncherState {
  readonly isOpen: boolean;
  /** Answers that ended while the panel was closed. */
  readonly unread: number;
  /** The owner's own words on the button, shown beside the icon. */
  readonly label: string;
  onClick(): void;
}

export function launcherView({ isOpen, unread, label, onClick }: LauncherState, labels: Labels): TemplateResult {
  const action = isOpen ? labels.close : label || labels.open;
  const hasBadge = unread > 0 && !isOpen;
  const name = hasBadge ? `${action}, ${fill(labels.unread, { count: unread })}` : action;
  return html`<button
    class="launcher ${isOpen ? 'open' : ''} ${label && !isOpen ? 'wide' : ''}"
    part="launcher"
    aria-label=${name}
    aria-expanded=${isOpen}
    aria-haspopup="dialog"
    @click=${onClick}
  >
    <slot name="launcher">${isOpen ? ICONS.down : ICONS.chat}${label && !isOpen ? html`<span>${label}</span>` : nothing}</slot>
    ${hasBadge ? html`<span class="badge" part="badge" aria-hidden="true">${unread}</span>` : nothing}
  </button>`;
}
