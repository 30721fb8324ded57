/** The package's entry: the element's class and its types. Importing it does nothing, in a browser and on a server. */
export type { AnswerStatus } from './conversation.ts';
export { ENGLISH, type LabelKey, type Labels } from './labels.ts';
export { type Mode, ParleyChat, type Persist, type Position, type Theme } from './parley-chat.ts';
export {
  type FeedbackValue,
  ParleyAnswerEvent,
  ParleyCloseEvent,
  ParleyErrorEvent,
  ParleyFeedbackEvent,
  ParleyOpenEvent,
  ParleySendEvent,
  ParleySessionEndEvent,
  ParleySessionStartEvent,
} from './parley-chat-events.ts';
export type { Authorization } from './relay-client.ts';
export type { Speak } from './views/announcer.ts';
export type { ToolCallDetail } from './views/view-context.ts';
