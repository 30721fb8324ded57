import type { MarkdownModule } from './markdown/markdown-module.ts';
import type { VerificationModule } from './views/verification-module.ts';

/**
 * The parts that nobody needs before the first opening, from the package's own files: what draws answers, and the dialog in
 * which a visitor releases a transaction. The build of the classic script, which has no files of its own beside it, puts
 * `load-parts-from-relay.ts` in its place.
 */
export function loadMarkdown(_relay: string): Promise<MarkdownModule> {
  return import('./markdown/markdown-view.ts');
}

export function loadVerification(_relay: string): Promise<VerificationModule> {
  return import('./views/verification-dialog.ts');
}
