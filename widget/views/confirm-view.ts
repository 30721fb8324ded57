import { html, type TemplateResult } from 'lit';
import type { Labels } from '../labels.ts';

/** Asks before a conversation is deleted. In the browser's top layer: nothing of the page can lie over it. */
export function confirmNewView(labels: Labels, onConfirm: () => void, onClosed: () => void): TemplateResult {
  const close = (event: Event) => (event.currentTarget as Element).closest('dialog')?.close();
  return html`<dialog class="confirm" part="dialog" aria-labelledby="confirm-heading" aria-describedby="confirm-text" @close=${onClosed}>
    <h2 id="confirm-heading">${labels.confirmNew}</h2>
    <p id="confirm-text">${labels.confirmNewText}</p>
    <div class="choices">
      <button class="plain" part="cancel-button" @click=${close}>${labels.cancel}</button>
      <button
        class="plain strong"
        part="confirm-button"
        @click=${(event: Event) => {
          close(event);
          onConfirm();
        }}
      >
        ${labels.startNew}
      </button>
    </div>
  </dialog>`;
}
