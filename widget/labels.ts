/**
 * All text that the widget shows, in one table. English stands here; the other languages are files of their own
 * (`labels/<language>.ts`), which a browser loads from the relay when it needs one.
 *
 * `{name}` stands for a value. Times, numbers and units are made by `Intl`, so that no label needs a plural.
 */
export const ENGLISH = {
  heading: 'Chat',
  open: 'Open chat',
  close: 'Close chat',
  unread: '{count} unread',
  menu: 'Options',
  newConversation: 'New conversation',
  downloadText: 'Download as text',
  downloadJson: 'Download as JSON',
  domain: 'Topic: {domain}',
  transcript: 'Conversation',
  you: 'You',
  assistant: 'Assistant',
  starting: 'Connecting…',
  thinking: 'Thinking…',
  toolRunning: 'Using {tool}…',
  toolDone: 'Used {tool}',
  toolFailed: '{tool} failed',
  toolUnanswered: '{tool}: no result came',
  tool: 'a tool',
  toolInput: 'Input',
  toolResult: 'Result',
  stopped: 'You stopped this answer.',
  incomplete: 'This answer is incomplete.',
  sendAgain: 'Send again',
  copy: 'Copy',
  copied: 'Copied',
  copyRefused: 'This page does not allow copying.',
  goodAnswer: 'Good answer',
  badAnswer: 'Bad answer',
  newest: 'Newest message',
  message: 'Message',
  placeholder: 'Write a message…',
  send: 'Send',
  stop: 'Stop',
  counter: '{count} of {limit} characters',
  suggestions: 'Suggestions',
  offline: 'You are offline. What you write is kept.',
  resuming: 'The connection was lost. Connecting again…',
  lost: 'The connection was lost.',
  tryAgain: 'Try again',
  wait: 'You can send again in {time}.',
  expiresSoon: 'This conversation ends in {time}.',
  expired: 'This conversation has reached its time limit.',
  ended: 'This conversation has ended.',
  startNew: 'Start a new one',
  startNewText: 'A new conversation does not know this one.',
  confirmNew: 'Start a new conversation?',
  confirmNewText: 'This conversation will be deleted.',
  cancel: 'Cancel',
  context: 'Memory used: {percent}',
  contextFull: 'Memory almost full: {percent}. Start a new conversation soon.',
  historyGone: 'Earlier messages are no longer available.',
  domainChanged: 'The topic is now {domain}.',
  privacy: 'Privacy',
  reference: 'Reference: {id}',
  problemBusy: 'The assistant is busy at the moment.',
  problemOften: 'These were too many messages in a short time.',
  problemSignIn: 'Your sign-in was not accepted.',
  problemSetup: 'The chat is not set up correctly on this site.',
  problemUnreachable: 'The assistant cannot be reached.',
  problemTimeout: 'The assistant took too long.',
  problemInterrupted: 'The connection was lost while the answer was written.',
  problemTooLarge: 'The answer became too large.',
  problemTooLong: 'The message is too long.',
  problemRefused: 'The assistant did not accept the message.',
  problemEnded: 'This conversation is no longer there.',
  problemOther: 'Something went wrong.',
};

export type LabelKey = keyof typeof ENGLISH;
export type Labels = Readonly<Record<LabelKey, string>>;

/** Puts values into a label: `fill('{count} unread', { count: 2 })`. A name without a value stays as it is. */
export function fill(label: string, values: Readonly<Record<string, string | number>>): string {
  return label.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
