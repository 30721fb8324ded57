/** The events that `<parley-chat>` fires. All bubble and are composed; none can be cancelled. */
import type { SessionEndReason } from '../relay/protocol/events.ts';
import type { AnswerStatus, ShownProblem } from './conversation.ts';

const OUTWARD: EventInit = { bubbles: true, composed: true };

/** The panel was opened, by the visitor, the page or an attribute. */
export class ParleyOpenEvent extends Event {
  constructor() {
    super('parley-open', OUTWARD);
  }
}

/** The panel was closed. The conversation and a running answer go on. */
export class ParleyCloseEvent extends Event {
  constructor() {
    super('parley-close', OUTWARD);
  }
}

/** A message was sent. `messageId` names its turn. */
export class ParleySendEvent extends Event {
  declare readonly text: string;
  declare readonly messageId: string;

  constructor(text: string, messageId: string) {
    super('parley-send', OUTWARD);
    this.text = text;
    this.messageId = messageId;
  }
}

/** An answer has ended. Only `status: 'complete'` means that it is whole. `text` is its markdown. */
export class ParleyAnswerEvent extends Event {
  declare readonly text: string;
  declare readonly answerId: string;
  declare readonly messageId: string;
  declare readonly status: AnswerStatus;

  constructor(answer: { text: string; answerId: string; messageId: string; status: AnswerStatus }) {
    super('parley-answer', OUTWARD);
    this.text = answer.text;
    this.answerId = answer.answerId;
    this.messageId = answer.messageId;
    this.status = answer.status;
  }
}

/** Something failed; the visitor sees it too. `code` is one of the relay's error codes. */
export class ParleyErrorEvent extends Event {
  declare readonly code: ShownProblem['code'];
  declare readonly detail: string;
  declare readonly retryable: boolean;
  declare readonly retryAfterMs: number | undefined;
  declare readonly requestId: string;

  constructor(problem: ShownProblem) {
    super('parley-error', OUTWARD);
    this.code = problem.code;
    this.detail = problem.detail;
    this.retryable = problem.retryable;
    this.retryAfterMs = problem.retryAfterMs;
    this.requestId = problem.requestId;
  }
}

/** A conversation has begun or was taken up again. `sessionId` is the relay's, and no secret. */
export class ParleySessionStartEvent extends Event {
  declare readonly sessionId: string;
  declare readonly userId: string;

  constructor(sessionId: string, userId: string) {
    super('parley-session-start', OUTWARD);
    this.sessionId = sessionId;
    this.userId = userId;
  }
}

/** The conversation has ended: its time was up, or it was deleted here, in another tab or at the relay. */
export class ParleySessionEndEvent extends Event {
  declare readonly reason: SessionEndReason;

  constructor(reason: SessionEndReason) {
    super('parley-session-end', OUTWARD);
    this.reason = reason;
  }
}

/** The visitor judged an answer; `none` takes a judgement back. The relay is not told: what follows is the page's affair. */
export class ParleyFeedbackEvent extends Event {
  declare readonly answerId: string;
  declare readonly messageId: string;
  declare readonly value: FeedbackValue;

  constructor(feedback: { answerId: string; messageId: string; value: FeedbackValue }) {
    super('parley-feedback', OUTWARD);
    this.answerId = feedback.answerId;
    this.messageId = feedback.messageId;
    this.value = feedback.value;
  }
}

export type FeedbackValue = 'good' | 'bad' | 'none';

declare global {
  interface GlobalEventHandlersEventMap {
    'parley-open': ParleyOpenEvent;
    'parley-close': ParleyCloseEvent;
    'parley-send': ParleySendEvent;
    'parley-answer': ParleyAnswerEvent;
    'parley-error': ParleyErrorEvent;
    'parley-session-start': ParleySessionStartEvent;
    'parley-session-end': ParleySessionEndEvent;
    'parley-feedback': ParleyFeedbackEvent;
  }
}
