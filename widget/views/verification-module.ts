import type { VerificationDialog } from './verification-dialog.ts';

/** What a page loads when there is a transaction to release. */
export interface VerificationModule {
  readonly VerificationDialog: typeof VerificationDialog;
}
