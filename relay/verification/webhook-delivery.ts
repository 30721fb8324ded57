import type { CodeDelivery, CodeToDeliver } from './code-delivery.ts';
import { type SignedPostOptions, signedPost } from './signed-post.ts';

/** The owner's own service sends the code, by text message or however it likes. */
export class WebhookDelivery implements CodeDelivery {
  readonly #options: SignedPostOptions;

  constructor(options: SignedPostOptions) {
    this.#options = options;
  }

  async deliver(code: CodeToDeliver, signal: AbortSignal): Promise<void> {
    const { expiresAtMs, ...rest } = code;
    await signedPost(this.#options, { type: 'code', ...rest, expiresAt: new Date(expiresAtMs).toISOString() }, signal);
  }

  close(): void {}
}
