import { MarkdownView } from '../markdown/markdown-view.ts';
import type { ViewContext } from './view-context.ts';

/**
 * The element for a text of the agent, and the view that draws its markdown into it. `context` is asked for what holds when a
 * piece is drawn, so that words drawn later are in the language of then.
 */
export function answerText(context: () => ViewContext): { readonly element: HTMLElement; readonly view: MarkdownView } {
  const element = document.createElement('div');
  element.className = 'text';
  element.part.add('answer-text');
  const { imageHosts } = context();
  return { element, view: new MarkdownView(element, { imageHosts, labels: () => context().labels }) };
}
