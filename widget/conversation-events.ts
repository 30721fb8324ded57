import { type Answer, type Conversation, type Entry, isRunning } from './conversation.ts';
import {
  ParleyAnswerEvent,
  ParleyErrorEvent,
  ParleySendEvent,
  ParleySessionEndEvent,
  ParleySessionStartEvent,
} from './parley-chat-events.ts';

/**
 * What a page is told when one state of the conversation follows another, in the order in which it happened. A restored
 * conversation tells of its session only, not of its old messages.
 */
export function eventsBetween(before: Conversation, after: Conversation): Event[] {
  const events: Event[] = [];
  if (before.session !== after.session) events.push(...sessionEvents(before, after));
  if (before.entries !== after.entries && before.session.type === 'open') events.push(...entryEvents(before, after));
  return events;
}

function sessionEvents(before: Conversation, after: Conversation): Event[] {
  const session = after.session;
  const was = before.session;
  switch (session.type) {
    case 'open':
      return was.type === 'open' && was.sessionId === session.sessionId
        ? []
        : [new ParleySessionStartEvent(session.sessionId, session.userId)];
    case 'ended':
      return was.type === 'ended' ? [] : [new ParleySessionEndEvent(session.reason)];
    case 'failed':
      return [new ParleyErrorEvent(session.problem)];
    case 'none':
      return was.type === 'open' ? [new ParleySessionEndEvent('reset')] : [];
    case 'starting':
      return [];
  }
}

function entryEvents(before: Conversation, after: Conversation): Event[] {
  const events: Event[] = [];
  // Only the end of a transcript changes, so that the walk stops at the first entry that is the same object.
  for (let at = after.entries.length - 1; at >= 0; at--) {
    const entry = after.entries[at] as Entry;
    if (before.entries[at] === entry) break;
    const was = before.entries.findLast((old) => old.type === entry.type && old.id === entry.id);
    if (entry.type === 'question' && !was) events.unshift(new ParleySendEvent(entry.text, entry.id));
    if (entry.type === 'answer' && !isRunning(entry) && was?.type === 'answer' && isRunning(was)) {
      events.unshift(...endEvents(entry));
    }
  }
  return events;
}

function endEvents(answer: Answer): Event[] {
  const { text, id: answerId, questionId: messageId, status, problem } = answer;
  const ended = new ParleyAnswerEvent({ text, answerId, messageId, status });
  return problem ? [ended, new ParleyErrorEvent(problem)] : [ended];
}
