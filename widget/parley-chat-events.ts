/** The events that `<parley-chat>` fires. All bubble and are composed; none can be cancelled. */
import type { SessionEndReason } from '../relay/protocol/events.ts';
import type { AnswerStatus, ShownProblem } from './conversation.ts';

class ParleyEvent extends Event {
  constructor(type: string, details?: object) {
    super(type, { bubbles: true, composed: true });
    Object.assign(this, details);
  }
}

/** The panel was opened, by the visitor, the page or an attribute. */
export class ParleyOpenEvent extends ParleyEvent {
  constructor() {
    super('parley-open');
  }
}

/** The panel was closed. The conversation and a running answer go on. */
export class ParleyCloseEvent extends ParleyEvent {
  constructor() {
    super('parley-close');
  }
}

/** A message was sent. `messageId` names its turn. */
export class ParleySendEvent extends ParleyEvent {
  declare readonly text: string;
  declare readonly messageId: string;

  constructor(text: string, messageId: string) {
    super('parley-send', { text, messageId });
  }
}

/** An answer has ended. Only `status: 'complete'` means that it is whole. `text` is its markdown. */
export class ParleyAnswerEvent extends ParleyEvent {
  declare readonly text: string;
  declare readonly answerId: string;
  declare readonly messageId: string;
  declare readonly status: AnswerStatus;

  constructor(answer: { text: string; answerId: string; messageId: string; status: AnswerStatus }) {
    super('parley-answer', answer);
  }
}

/** Something failed; the visitor sees it too. `code` is one of the relay's error codes. */
export class ParleyErrorEvent extends ParleyEvent {
  declare readonly code: ShownProblem['code'];
  declare readonly detail: string;
  declare readonly retryable: boolean;
  declare readonly retryAfterMs: number | undefined;
  declare readonly requestId: string;

  constructor(problem: ShownProblem) {
    super('parley-error', problem);
  }
}

/** A conversation has begun or was taken up again. `sessionId` is the relay's, and no secret. */
export class ParleySessionStartEvent extends ParleyEvent {
  declare readonly sessionId: string;
  declare readonly userId: string;

  constructor(sessionId: string, userId: string) {
    super('parley-session-start', { sessionId, userId });
  }
}

/** The conversation has ended: its time was up, or it was deleted here, in another tab or at the relay. */
export class ParleySessionEndEvent extends ParleyEvent {
  declare readonly reason: SessionEndReason;

  constructor(reason: SessionEndReason) {
    super('parley-session-end', { reason });
  }
}

/** The visitor judged an answer; `none` takes a judgement back. The relay is not told: what follows is the page's affair. */
export class ParleyFeedbackEvent extends ParleyEvent {
  declare readonly answerId: string;
  declare readonly messageId: string;
  declare readonly value: FeedbackValue;

  constructor(feedback: { answerId: string; messageId: string; value: FeedbackValue }) {
    super('parley-feedback', feedback);
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
