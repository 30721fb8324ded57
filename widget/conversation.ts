/**
 * The state of one conversation as a visitor sees it; `reduce` (reduce.ts) makes the next state from an event. Everything is
 * immutable; an unchanged part keeps its identity, so that a view can skip it.
 */
import type { Problem } from '../relay/protocol/error-codes.ts';
import type { SessionEndReason } from '../relay/protocol/events.ts';

export interface Conversation {
  readonly session: SessionState;
  /** The transcript, oldest first. */
  readonly entries: readonly Entry[];
  readonly line: LineState;
  /** The last event that is part of this state: where reading goes on. */
  readonly position: Position;
  readonly context?: ContextUsage;
  /** The session's active domain, where the relay has domains. */
  readonly domain?: string;
  readonly verification?: PendingVerification;
  /** Unix time in milliseconds before which the relay refuses to be asked again (`Retry-After`). */
  readonly busyUntilMs?: number;
}

/** A place in the session's log, the two numbers of an event's id; 0 and 0 is the start. */
export interface Position {
  readonly turn: number;
  readonly sequence: number;
}

export type SessionState =
  | { readonly type: 'none' }
  | { readonly type: 'starting' }
  | { readonly type: 'open'; readonly sessionId: string; readonly userId: string; readonly expiresAtMs: number }
  | { readonly type: 'ended'; readonly reason: SessionEndReason }
  | { readonly type: 'failed'; readonly problem: ShownProblem };

/** Whether events can reach this page now. `lost`: trying has ended; the visitor can ask for another try. */
export type LineState = 'online' | 'offline' | 'resuming' | 'lost';

export type Entry = Greeting | Question | Answer | Notice;

/** The application's initial message. */
export interface Greeting {
  readonly type: 'greeting';
  readonly id: string;
  readonly text: string;
}

export interface Question {
  readonly type: 'question';
  /** The turn's message id. */
  readonly id: string;
  readonly text: string;
  /** He pressed "continue": the text is the relay's. */
  readonly isContinuation?: true;
  readonly sentAtMs: number;
}

export interface Answer {
  readonly type: 'answer';
  readonly id: string;
  /** The message id of the question that it answers. */
  readonly questionId: string;
  /** The relay's number of the turn, once the relay has told it. */
  readonly turn?: number;
  readonly status: AnswerStatus;
  readonly text: string;
  /** The host's last word on what it is doing, while no text has come since. */
  readonly thinking?: string;
  readonly toolCalls: readonly ToolCall[];
  /** Why it failed or is incomplete. Stands already while the rest of a failed answer is still being written. */
  readonly problem?: ShownProblem;
  /** A part inside the text is missing, because the relay no longer keeps it. */
  readonly hasGap?: true;
  readonly startedAtMs: number;
  readonly endedAtMs?: number;
}

/**
 * `waiting`: sent, nothing came yet. `writing`: events come. `complete`: `done` without an error. `stopped`: by the visitor.
 * `incomplete`: the end is missing and will not come. `failed`: an error was told.
 */
export type AnswerStatus = 'waiting' | 'writing' | 'complete' | 'stopped' | 'incomplete' | 'failed';

export interface ToolCall {
  /** The host's id. Two calls of one answer may carry the same: no key for a view. */
  readonly id: string;
  /** Empty when the host's words could not be read. */
  readonly name: string;
  /** `unanswered`: the answer ended before a result came; what the tool did stands. */
  readonly status: 'running' | 'done' | 'failed' | 'unanswered';
  /** JSON text, only where the relay shows tool calls in full. */
  readonly input?: string;
  readonly result?: string;
}

/** A line of the transcript that nobody said: history gone, domain changed, conversation ended. */
export interface Notice {
  readonly type: 'notice';
  readonly id: string;
  readonly notice: 'history-gone' | 'domain-changed' | 'session-ended';
  readonly detail?: string;
}

export interface ContextUsage {
  readonly tokensUsed?: number;
  readonly maxTokens?: number;
  /** 0–100 */
  readonly percentage: number;
}

export interface PendingVerification {
  readonly transactionId: string;
  readonly tool: string;
  readonly domain: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly expiresAtMs: number;
  readonly attemptsLeft: number;
  /** Absent: the code that he was sent. `consent`: his yes to entering the domain. */
  readonly needs?: 'consent';
  readonly status: VerificationStatus;
  /** Why the visitor's last answer was not taken. */
  readonly problem?: ShownProblem;
}

/**
 * `asked`: waits for the visitor. `released`: he has said yes, and what he has released has not started yet. The others are ends
 * that he is told of.
 */
export type VerificationStatus = 'asked' | 'released' | 'locked' | 'expired' | 'undelivered';

/** `detail` (English, for developers) and `requestId` are empty when the widget found the problem itself. */
export type ShownProblem = Pick<
  Problem,
  'code' | 'detail' | 'retryable' | 'retryAfterMs' | 'requestId' | 'attemptsLeft'
>;

/** Before anything was asked of the relay. */
export const NO_CONVERSATION: Conversation = {
  session: { type: 'none' },
  entries: [],
  line: 'online',
  position: { turn: 0, sequence: 0 },
};

/** The answer that is still to come or being written. While there is one, another message has to wait. */
export function runningAnswer(conversation: Conversation): Answer | undefined {
  const last = conversation.entries.findLast((entry) => entry.type === 'answer');
  return last !== undefined && isRunning(last) ? last : undefined;
}

/** True while a turn runs, so that another message has to wait. */
export function isTurnRunning(conversation: Conversation): boolean {
  return runningAnswer(conversation) !== undefined;
}

export function isRunning(answer: Answer): boolean {
  return answer.status === 'waiting' || answer.status === 'writing';
}
