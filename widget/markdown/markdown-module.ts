import type { MarkdownView } from './markdown-view.ts';

/** What a page loads to draw answers. */
export interface MarkdownModule {
  readonly MarkdownView: typeof MarkdownView;
}
