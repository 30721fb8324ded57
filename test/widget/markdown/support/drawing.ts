import type { MarkdownOptions } from '../../../../widget/markdown/markdown-options.ts';
import { MarkdownView } from '../../../../widget/markdown/markdown-view.ts';
import { Page, type PageNode } from './page.ts';

/** A view on a page of its own. */
export interface Drawing {
  readonly page: Page;
  readonly root: PageNode;
  readonly view: MarkdownView;
}

/** The words of a view whose owner sets nothing. */
export const defaults: MarkdownOptions = {
  imageHosts: [],
  labels: () => ({ copy: 'Copy', copied: 'Copied', taskDone: 'Done', taskOpen: 'Not done' }),
};

export function createDrawing(options: Partial<MarkdownOptions> = {}): Drawing {
  const page = new Page();
  const root = page.createElement('div');
  const view = new MarkdownView(root as unknown as HTMLElement, { ...defaults, ...options });
  return { page, root, view };
}

/** Draws `chunks` one after the other, each before the next comes, and finishes. */
export function drawChunks(chunks: Iterable<string>, options?: Partial<MarkdownOptions>): Drawing {
  const drawing = createDrawing(options);
  for (const chunk of chunks) {
    drawing.view.append(chunk);
    drawing.view.flush();
  }
  drawing.view.finish();
  drawing.view.flush();
  return drawing;
}

/** `text` in pieces of `length` UTF-16 units. */
export function inSteps(text: string, length: number): string[] {
  const steps: string[] = [];
  for (let at = 0; at < text.length; at += length) steps.push(text.slice(at, at + length));
  return steps;
}

/** Every node with its attributes, text nodes apart: two drawings with the same outline have the same DOM. */
export function outline(node: PageNode): string {
  if (node.nodeType === 3) return JSON.stringify(node.data);
  const attributes = [...node.attributes].sort().map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
  return `<${node.localName}${attributes.join('')}>${node.childNodes.map(outline).join('')}</>`;
}
