import { createPart } from './dom-cursor.ts';
import type { MarkdownLabels } from './markdown-options.ts';

/** How long the button says that the text was copied. */
const copiedMs = 2000;

/** A code block: a bar with its language and a copy button, and below it the text, which scrolls sideways. */
export interface CodeBlock {
  readonly node: HTMLElement;
  readonly language: HTMLElement;
  readonly code: HTMLElement;
}

export function createCodeBlock(
  page: Document,
  labels: MarkdownLabels,
  copyText: (text: string) => Promise<void>,
): CodeBlock {
  const node = createPart(page, 'div', 'codeBlock');
  const bar = createPart(page, 'div', 'codeBar');
  const button = createCopyButton(page, labels);
  const pre = createPart(page, 'pre');
  // Code is read from left to right in every language; the block scrolls, so a keyboard must reach it.
  pre.setAttribute('dir', 'ltr');
  pre.setAttribute('tabindex', '0');
  const code = createPart(page, 'code', 'codeText');
  bar.appendChild(createPart(page, 'span', 'codeLanguage'));
  bar.appendChild(button);
  pre.appendChild(code);
  node.appendChild(bar);
  node.appendChild(pre);
  button.addEventListener('click', () => {
    copyText(code.textContent ?? '').then(
      () => showCopied(button, labels),
      // Copying was refused (no permission, no focus): the label that stays says that nothing was copied.
      () => {},
    );
  });
  return codeBlockOf(node);
}

/** The parts of a code block that is already drawn. */
export function codeBlockOf(node: HTMLElement): CodeBlock {
  return {
    node,
    language: node.firstChild?.firstChild as HTMLElement,
    code: node.lastChild?.firstChild as HTMLElement,
  };
}

function createCopyButton(page: Document, labels: MarkdownLabels): HTMLElement {
  const button = createPart(page, 'button', 'copyButton');
  button.setAttribute('type', 'button');
  button.setAttribute('data-own', '');
  button.textContent = labels.copy;
  return button;
}

function showCopied(button: HTMLElement, labels: MarkdownLabels): void {
  button.textContent = labels.copied;
  setTimeout(() => {
    button.textContent = labels.copy;
  }, copiedMs);
}
