import type { MarkdownModule } from './markdown/markdown-module.ts';

/**
 * The part that draws answers, from the package's own files. Nobody needs it before the first opening, so it is loaded then.
 * The build of the classic script, which has no files of its own beside it, puts `load-markdown-from-relay.ts` in its place.
 */
export function loadMarkdown(_relay: string): Promise<MarkdownModule> {
  return import('./markdown/markdown-view.ts');
}
