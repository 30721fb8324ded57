import { html, type TemplateResult } from 'lit';
import { iconButton } from './icon-button.ts';
import { ICONS } from './icons.ts';
import type { ViewContext } from './view-context.ts';

const SHOWN_MS = 2000;

/** Copies a text and says for a moment what came of it: a page may forbid copying, e.g. a frame without the permission. */
export function copyButton(text: string, { labels, announce }: ViewContext): TemplateResult {
  const onClick = async ({ currentTarget }: Event) => {
    const outcome = (currentTarget as Element).nextElementSibling as Element;
    outcome.textContent = (await copy(text)) ? labels.copied : labels.copyRefused;
    announce(outcome.textContent);
    setTimeout(() => {
      outcome.textContent = '';
    }, SHOWN_MS);
  };
  const button = iconButton({ icon: ICONS.copy, label: labels.copy, part: 'copy-button', look: 'small', onClick });
  return html`${button}<span class="outcome"></span>`;
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
