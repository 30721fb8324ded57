/**
 * The next state of a conversation. Pure: no DOM, no network, no clock. Numbered events may come twice, by several ways and
 * together with what this page did itself: the sequence decides what is new.
 */
import type {
  CompleteEvent,
  DomainEvent,
  NumberedEvent,
  QuestionEvent,
  SessionEndReason,
  VerificationEvent,
  VerificationOutcome,
} from '../relay/protocol/events.ts';
import type { SessionSnapshot, StartedSession } from '../relay/protocol/requests.ts';
import {
  type Answer,
  type ContextUsage,
  type Conversation,
  type Entry,
  isRunning,
  type LineState,
  NO_CONVERSATION,
  type Notice,
  type PendingVerification,
  runningAnswer,
  type ShownProblem,
} from './conversation.ts';
import { problemOf, readProblem } from './problem.ts';
import { endToolCalls, readToolCalls, settleToolCall } from './tool-calls.ts';

/** An event of a type that this widget does not know: it only counts. */
export interface UnknownEvent {
  readonly type: 'unknown';
  readonly turn: number;
  readonly sequence: number;
}

/** What a stream brings. Sequence 0: the relay could not number it; it is taken as it comes, for the running answer. */
export type ReceivedEvent = NumberedEvent | UnknownEvent;

export type ReceivedSnapshot = Omit<SessionSnapshot, 'events'> & { readonly events: readonly ReceivedEvent[] };

/** Times are Unix milliseconds by this page's clock. */
export type ConversationAction =
  | { readonly type: 'starting' }
  | { readonly type: 'started'; readonly session: StartedSession; readonly expiresAtMs: number }
  | { readonly type: 'start-failed'; readonly problem: ShownProblem }
  /** What the relay knows of the session; brings an empty state or an older one up to it. */
  | { readonly type: 'restored'; readonly snapshot: ReceivedSnapshot; readonly expiresAtMs: number }
  | {
      readonly type: 'sent';
      readonly messageId: string;
      readonly text: string;
      readonly isContinuation?: true;
      readonly atMs: number;
    }
  | { readonly type: 'received'; readonly events: readonly ReceivedEvent[] }
  /** A running answer has ended in another way than by an event. */
  | {
      readonly type: 'broken-off';
      readonly questionId: string;
      readonly status: 'failed' | 'incomplete' | 'stopped';
      readonly problem?: ShownProblem;
      readonly atMs: number;
    }
  | { readonly type: 'line'; readonly line: LineState }
  | { readonly type: 'busy'; readonly untilMs: number }
  | { readonly type: 'verification-refused'; readonly transactionId: string; readonly problem: ShownProblem }
  | { readonly type: 'ended'; readonly reason: SessionEndReason; readonly atMs: number }
  | { readonly type: 'forgotten' };

export function reduce(conversation: Conversation, action: ConversationAction): Conversation {
  switch (action.type) {
    case 'starting':
      return { ...conversation, session: { type: 'starting' } };
    case 'started':
      return open(conversation, action.session, action.expiresAtMs);
    case 'start-failed':
      return { ...conversation, session: { type: 'failed', problem: action.problem } };
    case 'restored':
      return restore(conversation, action.snapshot, action.expiresAtMs);
    case 'sent': {
      const { busyUntilMs: _, ...rest } = conversation;
      return ask(rest, action.messageId, action.text, action.atMs, undefined, action.isContinuation);
    }
    case 'received':
      return action.events.reduce(receive, conversation);
    case 'broken-off': {
      const { questionId, status, problem, atMs } = action;
      const answer = findLastAnswer(conversation, (answer) => answer.questionId === questionId && isRunning(answer));
      if (answer === undefined) return conversation;
      return replace(conversation, answer, end(problem === undefined ? answer : fail(answer, problem), status, atMs));
    }
    case 'line':
      return conversation.line === action.line ? conversation : { ...conversation, line: action.line };
    case 'busy':
      return { ...conversation, busyUntilMs: action.untilMs };
    case 'verification-refused':
      return refuseVerification(conversation, action.transactionId, action.problem);
    case 'ended':
      return endSession(conversation, action.reason, action.atMs);
    case 'forgotten':
      return NO_CONVERSATION;
  }
}

/** True when an event between the state and these events is missing, so that the reader has to ask for it. */
export function isGapBefore(conversation: Conversation, events: readonly ReceivedEvent[]): boolean {
  let sequence = conversation.position.sequence;
  for (const event of events) {
    if (event.sequence > sequence + 1) return true;
    sequence = Math.max(sequence, event.sequence);
  }
  return false;
}

function open(
  conversation: Conversation,
  session: Pick<StartedSession, 'sessionId' | 'userId' | 'initialMessage'>,
  expiresAtMs: number,
): Conversation {
  const { sessionId, userId, initialMessage } = session;
  const isGreeted = initialMessage === '' || conversation.entries.some((entry) => entry.type === 'greeting');
  return {
    ...conversation,
    session: { type: 'open', sessionId, userId, expiresAtMs },
    entries: isGreeted
      ? conversation.entries
      : [{ type: 'greeting', id: 'greeting', text: initialMessage }, ...conversation.entries],
  };
}

/** A message that was written before the session was found stands after what had been said in it. */
function restore(conversation: Conversation, snapshot: ReceivedSnapshot, expiresAtMs: number): Conversation {
  if (conversation.session.type === 'open') return replay(open(conversation, snapshot, expiresAtMs), snapshot);
  const restored = replay(open({ ...conversation, entries: [] }, snapshot, expiresAtMs), snapshot);
  return { ...restored, entries: [...restored.entries, ...conversation.entries] };
}

/**
 * Takes what is new in a snapshot. It has neighbouring chunks as one, under the last one's number, so that the running answer
 * is read again from its start.
 */
function replay(conversation: Conversation, { events, isHistoryGone }: ReceivedSnapshot): Conversation {
  const seen = conversation.position.sequence;
  const isCut = isHistoryGone && (events[0]?.sequence ?? Number.POSITIVE_INFINITY) > seen + 1;
  if (!isCut && (events.at(-1)?.sequence ?? 0) <= seen) return conversation;
  const told = isCut ? loseHistory(conversation) : conversation;
  const running = runningAnswer(told);
  const turn = running?.turn;
  if (running === undefined || turn === undefined) {
    return events.filter((event) => event.sequence > seen).reduce(takeNumbered, told);
  }
  const hasStart = events.some((event) => event.type === 'question' && event.turn === turn);
  const emptied = waitingAnswer(running.questionId, running.startedAtMs, turn);
  return events
    .filter((event) => event.sequence > seen || event.turn === turn)
    .reduce(takeNumbered, replace(told, running, hasStart ? emptied : { ...emptied, hasGap: true }));
}

function receive(conversation: Conversation, event: ReceivedEvent): Conversation {
  if (conversation.session.type !== 'open') return conversation;
  if (event.sequence === 0) return take(conversation, event);
  if (event.sequence <= conversation.position.sequence) return conversation;
  return takeNumbered(conversation, event);
}

function takeNumbered(conversation: Conversation, event: ReceivedEvent): Conversation {
  return take({ ...conversation, position: { turn: event.turn, sequence: event.sequence } }, event);
}

function take(conversation: Conversation, event: ReceivedEvent): Conversation {
  switch (event.type) {
    case 'question':
      return hearQuestion(conversation, event.data, event.turn);
    case 'thinking':
      return updateAnswer(conversation, event.turn, (answer) => ({
        ...answer,
        status: 'writing',
        thinking: event.data.message,
      }));
    case 'chunk':
      return updateAnswer(conversation, event.turn, (answer) => write(answer, answer.text + event.data.chunk));
    case 'tool-call':
      return updateAnswer(conversation, event.turn, (answer) => ({
        ...answer,
        status: 'writing',
        toolCalls: [...answer.toolCalls, ...readToolCalls(event)],
      }));
    case 'tool-result':
      return updateAnswer(conversation, event.turn, (answer) => ({
        ...answer,
        status: 'writing',
        toolCalls: settleToolCall(answer.toolCalls, event),
      }));
    case 'complete': {
      const context = readContext(event.data.response);
      return updateAnswer(context ? { ...conversation, context } : conversation, event.turn, (answer) =>
        makeWhole(answer, event.data.response.content),
      );
    }
    case 'error':
      return updateAnswer(conversation, event.turn, (answer) => ({
        ...fail(answer, readProblem({ ...event.data, detail: event.data.message }, 'upstream_error')),
        status: 'writing',
      }));
    case 'done':
      return updateAnswer(conversation, event.turn, (answer) =>
        end(
          answer.hasGap && !answer.problem ? fail(answer, problemOf('stream_incomplete')) : answer,
          answer.problem ? 'failed' : answer.hasGap ? 'incomplete' : 'complete',
          timeOf(event.data, answer.startedAtMs),
        ),
      );
    case 'stopped':
      return updateAnswer(conversation, event.turn, (answer) =>
        end(answer, 'stopped', timeOf(event.data, answer.startedAtMs)),
      );
    case 'interrupted':
      return updateAnswer(conversation, event.turn, (answer) =>
        end(
          fail(answer, readProblem({ code: event.data.code }, 'stream_interrupted')),
          'incomplete',
          timeOf(event.data, answer.startedAtMs),
        ),
      );
    case 'history-gone':
      return loseHistory(conversation);
    case 'session-ended':
      return endSession(conversation, event.data.reason, timeOf(event.data, 0));
    case 'verification':
      return { ...conversation, verification: readVerification(event, conversation.verification) };
    case 'verification-settled':
      return settleVerification(conversation, event.data.transactionId, event.data.outcome);
    case 'domain':
      return changeDomain(conversation, event);
    case 'unknown':
      return conversation;
  }
}

function ask(
  conversation: Conversation,
  messageId: string,
  text: string,
  atMs: number,
  turn?: number,
  isContinuation?: true,
): Conversation {
  const question: Entry = {
    type: 'question',
    id: messageId,
    text,
    ...(isContinuation && { isContinuation }),
    sentAtMs: atMs,
  };
  return { ...conversation, entries: [...conversation.entries, question, waitingAnswer(messageId, atMs, turn)] };
}

function waitingAnswer(questionId: string, startedAtMs: number, turn?: number): Answer {
  return {
    type: 'answer',
    id: `answer-${questionId}`,
    questionId,
    status: 'waiting',
    text: '',
    toolCalls: [],
    startedAtMs,
    ...(turn !== undefined && { turn }),
  };
}

function hearQuestion(conversation: Conversation, data: QuestionEvent['data'], turn: number): Conversation {
  const asked = findLastAnswer(conversation, (answer) => answer.questionId === data.messageId);
  if (asked === undefined) {
    return ask(conversation, data.messageId, data.message, timeOf(data, 0), turn, data.isContinuation);
  }
  if (asked.turn !== undefined) return conversation;
  // An answer that was given up here runs all the same: its events tell how it ends.
  const restarted = isRunning(asked) ? asked : waitingAnswer(asked.questionId, asked.startedAtMs);
  return replace(conversation, asked, { ...restarted, turn });
}

/** Thinking ends where text begins. */
function write(answer: Answer, text: string): Answer {
  const { thinking: _, ...rest } = answer;
  return { ...rest, status: 'writing', text };
}

/** The whole answer heals a gap, and replaces chunks that differ; equal text keeps its identity. */
function makeWhole(answer: Answer, content: string): Answer {
  const { hasGap: _, ...rest } = answer;
  return content === '' ? answer : write(rest, content === answer.text ? answer.text : content);
}

function fail(answer: Answer, problem: ShownProblem): Answer {
  return { ...answer, problem };
}

function end(answer: Answer, status: Exclude<Answer['status'], 'waiting' | 'writing'>, atMs: number): Answer {
  const { thinking: _, ...rest } = answer;
  return {
    ...rest,
    status,
    toolCalls: endToolCalls(answer.toolCalls),
    // The relay's clock may be behind this page's.
    endedAtMs: Math.max(atMs, answer.startedAtMs),
  };
}

function endSession(conversation: Conversation, reason: SessionEndReason, atMs: number): Conversation {
  if (conversation.session.type === 'ended') return conversation;
  const {
    verification: _,
    busyUntilMs: __,
    ...rest
  } = updateRunning(conversation, (answer) =>
    end(fail(answer, problemOf('session_expired', false)), 'incomplete', atMs),
  );
  const notice: Notice = { type: 'notice', id: 'session-ended', notice: 'session-ended', detail: reason };
  return { ...rest, session: { type: 'ended', reason }, entries: [...rest.entries, notice], line: 'online' };
}

function loseHistory(conversation: Conversation): Conversation {
  const id = `history-gone-${conversation.position.sequence}`;
  return updateRunning(insertBeforeRunning(conversation, { type: 'notice', id, notice: 'history-gone' }), (answer) =>
    answer.turn === undefined ? answer : { ...answer, hasGap: true },
  );
}

function changeDomain(conversation: Conversation, event: DomainEvent & { readonly sequence: number }): Conversation {
  const { active } = event.data;
  if (conversation.domain === active) return conversation;
  const changed = { ...conversation, domain: active };
  if (conversation.domain === undefined && event.data.previous === undefined) return changed;
  const id = `domain-changed-${event.sequence}`;
  return insertBeforeRunning(changed, { type: 'notice', id, notice: 'domain-changed', detail: active });
}

/** The running answer stays the last entry, where it grows without moving another. */
function insertBeforeRunning(conversation: Conversation, notice: Notice): Conversation {
  const running = runningAnswer(conversation);
  const index = running === undefined ? conversation.entries.length : conversation.entries.lastIndexOf(running);
  return { ...conversation, entries: conversation.entries.toSpliced(index, 0, notice) };
}

/**
 * Changes the answer of a turn while it runs; what comes for an ended one changes nothing. An answer that was asked for here
 * and has no number yet is the turn's; where there is none (its beginning is no longer kept), it begins here.
 */
function updateAnswer(conversation: Conversation, turn: number, change: (answer: Answer) => Answer): Conversation {
  if (turn === 0) return updateRunning(conversation, change);
  const known = findLastAnswer(conversation, (answer) => answer.turn === turn);
  if (known !== undefined) return isRunning(known) ? replace(conversation, known, change(known)) : conversation;
  const running = runningAnswer(conversation);
  if (running !== undefined && running.turn === undefined) {
    return replace(conversation, running, change({ ...running, turn }));
  }
  const begun: Answer = { ...waitingAnswer(`turn-${turn}`, 0, turn), hasGap: true };
  return { ...conversation, entries: [...conversation.entries, change(begun)] };
}

function updateRunning(conversation: Conversation, change: (answer: Answer) => Answer): Conversation {
  const running = runningAnswer(conversation);
  return running === undefined ? conversation : replace(conversation, running, change(running));
}

function findLastAnswer(conversation: Conversation, isWanted: (answer: Answer) => boolean): Answer | undefined {
  return conversation.entries.findLast((entry): entry is Answer => entry.type === 'answer' && isWanted(entry));
}

function replace(conversation: Conversation, former: Answer, answer: Answer): Conversation {
  return { ...conversation, entries: conversation.entries.with(conversation.entries.lastIndexOf(former), answer) };
}

function readContext(response: CompleteEvent['data']['response']): ContextUsage | undefined {
  const { tokensUsed, maxTokens, contextPercentage } = response;
  const percentage = contextPercentage ?? (tokensUsed && maxTokens ? (100 * tokensUsed) / maxTokens : undefined);
  if (percentage === undefined) return undefined;
  return {
    percentage: Math.min(100, Math.max(0, percentage)),
    ...(tokensUsed !== undefined && { tokensUsed }),
    ...(maxTokens !== undefined && { maxTokens }),
  };
}

/** The same transaction again says how many attempts are left; what the visitor was told of the last one stays. */
function readVerification(event: VerificationEvent, former: PendingVerification | undefined): PendingVerification {
  const { expiresAt, timestamp: _, arguments: args, ...rest } = event.data;
  const isSame = former?.transactionId === rest.transactionId;
  return {
    ...rest,
    // What is no object has no members to show.
    arguments: Object(args),
    expiresAtMs: Date.parse(expiresAt),
    status: isSame ? former.status : 'asked',
    ...(isSame && former.problem && { problem: former.problem }),
  };
}

function settleVerification(
  conversation: Conversation,
  transactionId: string,
  outcome: VerificationOutcome,
): Conversation {
  const { verification, ...rest } = conversation;
  if (verification?.transactionId !== transactionId) return conversation;
  const { problem: _, ...settled } = verification;
  switch (outcome) {
    case 'verified':
      return { ...rest, verification: { ...settled, status: 'released' } };
    case 'locked':
    case 'expired':
    case 'undelivered':
      return { ...rest, verification: { ...settled, status: outcome } };
    case 'started':
    case 'declined':
    case 'replaced':
      return rest;
  }
  // An outcome that is newer than this widget is an end.
  return rest;
}

function refuseVerification(conversation: Conversation, transactionId: string, problem: ShownProblem): Conversation {
  const { verification } = conversation;
  if (verification?.transactionId !== transactionId || verification.status !== 'asked') return conversation;
  const { attemptsLeft = verification.attemptsLeft } = problem;
  const status = problem.code === 'verification_locked' ? 'locked' : 'asked';
  return { ...conversation, verification: { ...verification, attemptsLeft, status, problem } };
}

function timeOf(data: { readonly timestamp: string }, fallbackMs: number): number {
  return Date.parse(data.timestamp) || fallbackMs;
}
