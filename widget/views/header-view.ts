import { html, nothing, type TemplateResult } from 'lit';
import { fill, type Labels } from '../labels.ts';
import { iconButton } from './icon-button.ts';
import { ICONS } from './icons.ts';

export interface HeaderState {
  readonly heading: string;
  readonly domain: string | undefined;
  readonly isMenuOpen: boolean;
  /** False in a panel that is a part of the page and cannot be closed. */
  readonly isClosable: boolean;
  /** False while there is nothing that could be downloaded or left behind. */
  readonly hasTranscript: boolean;
  onMenu(): void;
  onNewConversation(): void;
  onDownload(format: 'text' | 'json'): void;
  onClose(): void;
}

export function headerView(state: HeaderState, labels: Labels): TemplateResult {
  return html`<header class="header" part="header">
    <slot name="header">
      <div class="titles">
        <h2 part="heading">${state.heading}</h2>
        ${state.domain ? html`<small part="domain">${fill(labels.domain, { domain: state.domain })}</small>` : nothing}
      </div>
    </slot>
    ${state.hasTranscript ? menuView(state, labels) : nothing}
    ${
      state.isClosable
        ? iconButton({ icon: ICONS.close, label: labels.close, part: 'close-button', onClick: state.onClose })
        : nothing
    }
  </header>`;
}

function menuView(state: HeaderState, labels: Labels): TemplateResult {
  const item = (label: string, onClick: () => void) =>
    html`<li><button part="menu-item" @click=${onClick}>${label}</button></li>`;
  return html`<div class="menu">
    ${iconButton({
      icon: ICONS.more,
      label: labels.menu,
      part: 'menu-button',
      look: 'menu-button',
      isExpanded: state.isMenuOpen,
      onClick: state.onMenu,
    })}
    <ul part="menu" ?hidden=${!state.isMenuOpen}>
      ${item(labels.newConversation, state.onNewConversation)}
      ${item(labels.downloadText, () => state.onDownload('text'))}
      ${item(labels.downloadJson, () => state.onDownload('json'))}
    </ul>
  </div>`;
}
