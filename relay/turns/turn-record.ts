/** What the store keeps about a session's latest turn, and about each message id that has started one. */
import { z } from 'zod';

const turnRecordSchema = z.object({
  /** Counts up from 1 within a session. */
  turn: z.number(),
  status: z.enum(['running', 'ended']),
  /** The relay that runs or ran it. */
  relay: z.string(),
  /** All events of the turn come after this sequence of the session's log. */
  afterSequence: z.number(),
  /** When the turn has ended: the events of the next turn come after this sequence. */
  endSequence: z.number().nullable(),
  /** Someone asks the relay that runs it to stop it. */
  isStopRequested: z.boolean(),
  /**
   * Not null: events after this sequence of the log went to those who read the turn then, and were not stored first. Such a turn
   * cannot be taken up again: what the log has after it may be what a reader has already.
   */
  storedUntil: z.number().nullable().default(null),
});

export type TurnRecord = z.output<typeof turnRecordSchema>;

const messageRecordSchema = z.object({
  turn: z.number(),
  afterSequence: z.number(),
  /** SHA-256 of the message: the same id with another text is a conflict. */
  textHash: z.string(),
});

export type MessageRecord = z.output<typeof messageRecordSchema>;

export function parseTurnRecord(value: unknown): TurnRecord {
  return turnRecordSchema.parse(value);
}

export function parseMessageRecord(value: unknown): MessageRecord {
  return messageRecordSchema.parse(value);
}
