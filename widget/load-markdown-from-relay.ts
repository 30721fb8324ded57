import type { MarkdownModule } from './markdown/markdown-module.ts';
import { VERSION } from './version.ts';

/** The part that draws answers, from the file that the relay serves beside the widget. Rejects when it cannot be loaded. */
export function loadMarkdown(relay: string): Promise<MarkdownModule> {
  const url = `${relay}/widget@${VERSION}/markdown.js`;
  return import(/* @vite-ignore */ url);
}
