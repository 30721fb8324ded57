import { html, nothing, render, type TemplateResult } from 'lit';
import type { Labels } from '../labels.ts';
import { iconButton } from './icon-button.ts';
import { ICONS } from './icons.ts';

const SHOWN_MS = 2000;

/** Copies a text and says so on the button for two seconds. A page may forbid copying (a frame without permission): then it says that. */
export class CopyButton {
  view(text: string, labels: Labels): TemplateResult {
    const onClick = async (event: Event) => {
      const button = event.currentTarget as HTMLElement;
      const isCopied = await copy(text);
      const outcome = button.nextElementSibling as HTMLElement;
      button.classList.toggle('copied', isCopied);
      render(html`${isCopied ? labels.copied : labels.copyRefused}`, outcome);
      setTimeout(() => {
        button.classList.remove('copied');
        render(nothing, outcome);
      }, SHOWN_MS);
    };
    return html`${iconButton({
      icon: html`${ICONS.copy}${ICONS.done}`,
      label: labels.copy,
      part: 'copy-button',
      look: 'small copy',
      onClick,
    })}<span class="outcome" role="status"></span>`;
  }
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Absent without a secure context, refused by a permissions policy: both mean that this page may not copy.
    return false;
  }
}
