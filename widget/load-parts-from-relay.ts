import type { MarkdownModule } from './markdown/markdown-module.ts';
import { VERSION } from './version.ts';
import type { VerificationModule } from './views/verification-module.ts';

/** From the files that the relay serves beside the widget. Rejects when the file cannot be loaded. */
export function loadMarkdown(relay: string): Promise<MarkdownModule> {
  return load(relay, 'markdown') as Promise<MarkdownModule>;
}

export function loadVerification(relay: string): Promise<VerificationModule> {
  return load(relay, 'verification') as Promise<VerificationModule>;
}

function load(relay: string, part: string): Promise<unknown> {
  const url = `${relay}/widget@${VERSION}/${part}.js`;
  return import(/* @vite-ignore */ url);
}
