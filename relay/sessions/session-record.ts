/** What the store keeps of a session, and the keys under which everything that belongs to a session is kept. */
import { createHash } from 'node:crypto';
import { z } from 'zod';

const sessionRecordSchema = z.object({
  tokenHash: z.string(),
  /** The page's origin, which the token is bound to; null: started by something that is not a page. */
  origin: z.string().nullable(),
  application: z.string(),
  hostSessionId: z.string(),
  /** The session secret, sealed for this session. */
  sealedSecret: z.string(),
  userId: z.string(),
  createdAtMs: z.number(),
  /** By the relay's clock. The record itself is kept longer, so that an ended session can be told from an unknown one. */
  expiresAtMs: z.number(),
  initialMessage: z.string(),
  startedBy: z.enum(['key', 'visitor']),
});

export type SessionRecord = z.output<typeof sessionRecordSchema>;

/** Throws when the store holds something that no relay of this version wrote. */
export function parseSessionRecord(value: unknown): SessionRecord {
  return sessionRecordSchema.parse(value);
}

/** A session lasts an hour, as the host's own does. */
export const SESSION_LIFETIME_MS = 3_600_000;

/** For how long after its end a session is still known, so that `session_expired` can be told. */
const RETENTION_AFTER_END_MS = 3_600_000;

/** For a turn that began in a session's last minute, so that it has its log to its end. */
const HISTORY_AFTER_END_MS = 600_000;

/** When the store forgets that there was the session: Unix time in milliseconds. */
export function keptUntilMs(record: Pick<SessionRecord, 'expiresAtMs'>): number {
  return record.expiresAtMs + RETENTION_AFTER_END_MS;
}

/** When the store forgets what was said in it, and its turns. */
export function historyKeptUntilMs(record: Pick<SessionRecord, 'expiresAtMs'>): number {
  return record.expiresAtMs + HISTORY_AFTER_END_MS;
}

export const sessionKey = (sessionId: string) => `session:${sessionId}`;

/** The numbered events of a session, and the topic that is woken by each append. */
export const sessionLog = (sessionId: string) => `log:${sessionId}`;

/** The session's latest turn, and the topic that is woken when someone asks that turn to end. */
export const turnKey = (sessionId: string) => `turn:${sessionId}`;

/** The turn that a message id started. The id is the browser's and is therefore hashed. */
export const messageKey = (sessionId: string, messageId: string) => `message:${sessionId}:${sha256(messageId)}`;

/** The conversation's active domain, and the domains that the visitor has consented to. */
export const domainKey = (sessionId: string) => `domain:${sessionId}`;

/** The conversation's transactions, and the topic that is woken when one of them changes. */
export const transactionsKey = (sessionId: string) => `transactions:${sessionId}`;

/** A log of the session's message keys, so that they can be deleted with it. */
export const messageKeysLog = (sessionId: string) => `messages:${sessionId}`;

/**
 * How many appends the running turn has made. Each append writes it and requires it unwritten since the one before, so that
 * one whose answer was lost cannot happen twice. Apart from the turn's record, which others write while it runs.
 */
export const appendsKey = (sessionId: string) => `appends:${sessionId}`;

/** Finds the session by the host's id, for the tool gateway. */
export const hostSessionKey = (hostSessionId: string) => `host-session:${sha256(hostSessionId)}`;

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
