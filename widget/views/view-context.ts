import type { ConversationActions } from '../conversation-actions.ts';
import type { Labels } from '../labels.ts';
import type { MarkdownModule } from '../markdown/markdown-module.ts';
import type { FeedbackValue } from '../parley-chat-events.ts';

/** How much of a tool call is shown: nothing, its name, or its arguments and result where the relay sends them. */
export type ToolCallDetail = 'none' | 'names' | 'full';

/**
 * What every view needs beside the state that it shows. A new object is made when anything in it changes, so that a view
 * can tell by identity whether it has to draw again.
 */
export interface ViewContext {
  readonly labels: Labels;
  /** BCP 47, for `Intl`. */
  readonly language: string;
  readonly toolCalls: ToolCallDetail;
  /** Hosts whose images an answer may load. */
  readonly imageHosts: readonly string[];
  /** The part that draws answers, loaded at the first opening. Rejects when it cannot be had. */
  markdown(): Promise<MarkdownModule>;
  readonly actions: Pick<ConversationActions, 'sendAgain'>;
  /** Tells a screen reader, once. */
  announce(text: string): void;
  onFeedback(answerId: string, value: FeedbackValue): void;
}
