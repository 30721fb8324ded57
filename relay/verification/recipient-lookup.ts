import { z } from 'zod';
import type { Recipient } from './code-delivery.ts';
import { type SignedPostOptions, signedPost } from './signed-post.ts';

/** The visitor as the relay knows him. Nothing here comes from the agent or from a call's arguments. */
export interface Visitor {
  readonly sessionId: string;
  readonly application: string;
  /** A label that the page gave and nobody has checked. */
  readonly userId: string;
  /** The credential of a visitor who is logged in. */
  readonly authorization?: string;
}

export interface RecipientLookup {
  /** Where this visitor's codes go; undefined: nowhere. Rejects when the look-up itself fails, or with the signal's reason. */
  find(visitor: Visitor, signal: AbortSignal): Promise<Recipient | undefined>;
}

const answerSchema = z.union([
  z.object({ address: z.string().min(1).max(320), language: z.string().max(35).optional() }),
  z.object({ address: z.null() }),
]);

/** Asks the owner's service: `{type: "recipient", sessionId, application, userId, authorization?}` → `{address, language?}`. */
export class WebhookLookup implements RecipientLookup {
  readonly #options: SignedPostOptions;

  constructor(options: SignedPostOptions) {
    this.#options = options;
  }

  async find(visitor: Visitor, signal: AbortSignal): Promise<Recipient | undefined> {
    const answer = answerSchema.parse(await signedPost(this.#options, { type: 'recipient', ...visitor }, signal));
    if (answer.address === null) return undefined;
    const { address, language } = answer;
    return { address, ...(language !== undefined && { language }) };
  }
}

/** For deliveries that know where to send by the visitor alone: the console, and a service that does its own look-up. */
export class VisitorItself implements RecipientLookup {
  async find({ application, userId }: Visitor): Promise<Recipient> {
    return { address: `${application}/${userId}` };
  }
}
