import { elementAt, nodeAfter, setAttributes } from './dom-cursor.ts';
import type { MarkdownLabels } from './markdown-options.ts';

/** How long the button says that the text was copied. */
const copiedMs = 2000;

/**
 * Builds a code block in `node`, or gives it another language: a bar with the language and a copy button, and below it the text, which
 * scrolls sideways. Gives the element of the text.
 */
export function buildCodeBlock(
  node: HTMLElement,
  language: string,
  labels: MarkdownLabels,
  copyText: (text: string) => Promise<void>,
): HTMLElement {
  const bar = elementAt(node, node.firstChild, 'div', 'code-bar');
  const label = elementAt(bar, bar.firstChild, 'span', 'code-language');
  label.textContent = language;
  const button = elementAt(bar, nodeAfter(bar, label), 'button', 'copy', { type: 'button', 'data-own': '' });
  button.textContent = labels.copy;
  // Code is read from left to right in every language; the block scrolls, so a keyboard must reach it.
  const pre = elementAt(node, nodeAfter(node, bar), 'pre', 'pre', { dir: 'ltr', tabindex: '0' });
  const code = elementAt(pre, pre.firstChild, 'code', 'code-text');
  setAttributes(code, { class: language ? `language-${language}` : null });
  button.onclick = async () => {
    await copyText(code.textContent ?? '');
    button.textContent = labels.copied;
    setTimeout(() => {
      button.textContent = labels.copy;
    }, copiedMs);
  };
  return code;
}
