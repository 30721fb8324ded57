import type { Conversation } from './conversation.ts';

/** What the views may ask of a conversation; the controller does it. No method throws: what goes wrong shows in the state. */
export interface ConversationActions {
  readonly conversation: Conversation;
  /** Starts the session if there is none. Called at the first opening, never before. */
  start(): void;
  /**
   * One call is one turn; starts the session if there is none. Ignored (false) while a turn runs, before `busyUntilMs`, when
   * the text is blank, or after the session has ended. How long a text may be is the relay's to say.
   */
  send(text: string): boolean;
  /** Sends the question of a failed or incomplete answer again, as a new turn with a message id of its own. */
  sendAgain(answerId: string): boolean;
  stop(): void;
  /** Tries the line again after `lost`. */
  resume(): void;
  /** Ends this conversation here, at the relay and at the host, and forgets it; the next `start` begins a new one. */
  reset(): void;
  verify(transactionId: string, code: string): void;
  /** Says yes where no code is asked for. */
  approve(transactionId: string): void;
  decline(transactionId: string): void;
  /** Lets the transaction go on that was released after its call had ended: a turn of its own. False like `send`. */
  continueTransaction(transactionId: string): boolean;
}
