import { html, type TemplateResult } from 'lit';
import { iconButton } from './icon-button.ts';
import { ICONS } from './icons.ts';
import type { ViewContext } from './view-context.ts';

const SHOWN_MS = 2000;

/** Copies a text and says so on the button for two seconds. A page may forbid copying (a frame without permission): then it says that. */
export class CopyButton {
  view(text: string, { labels, announce }: ViewContext): TemplateResult {
    const onClick = async (event: Event) => {
      const button = event.currentTarget as HTMLElement;
      const isCopied = await copy(text);
      const outcome = button.nextElementSibling as HTMLElement;
      button.classList.toggle('copied', isCopied);
      outcome.textContent = isCopied ? labels.copied : labels.copyRefused;
      announce(outcome.textContent);
      setTimeout(() => {
        button.classList.remove('copied');
        outcome.textContent = '';
      }, SHOWN_MS);
    };
    return html`${iconButton({
      icon: html`${ICONS.copy}${ICONS.done}`,
      label: labels.copy,
      part: 'copy-button',
      look: 'small copy',
      onClick,
    })}<span class="outcome"></span>`;
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
