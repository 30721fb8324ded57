/** How a conversation gets its session: the one that this tab or device remembers, or a new one. */

import { holdLock } from './lock.ts';
import { endReasonOf } from './problem.ts';
import type { ConversationAction } from './reduce.ts';
import { type Authorization, type RelayClient, RelayProblemError, type SessionAccess } from './relay-client.ts';
import type { OpenSession } from './session-line.ts';
import type { SessionStorage } from './session-storage.ts';

export interface ConversationOptions {
  /** The relay's address, without a slash at its end. */
  readonly relay: string;
  readonly application?: string | undefined;
  readonly userId?: string | undefined;
  readonly authorization?: Authorization | undefined;
  /** How long a page remembers its session: until the tab is closed, on this device, or not at all. */
  readonly persist: 'tab' | 'device' | 'none';
}

export interface BegunSession {
  readonly session: OpenSession;
  /** What this means for the conversation. */
  readonly action: ConversationAction;
}

/** What the agent host promises of a session's life, for a relay whose times cannot be read. */
const SESSION_LIFE_MS = 3_600_000;
const MOST_END_TRIES = 3;
/** Tells pages apart where each keeps a session of its own. */
const PAGE_ID = Math.random();

/**
 * Two tabs or elements that would share a session and start at once do it one after the other, so that the second finds what
 * the first has started. Throws what `RelayClient` throws.
 */
export async function beginSession(
  options: ConversationOptions,
  client: RelayClient,
  storage: SessionStorage,
  locks: LockManager | undefined,
  signal: AbortSignal,
): Promise<BegunSession> {
  const turn = new AbortController();
  const release = () => turn.abort();
  signal.addEventListener('abort', release, { signal: turn.signal });
  try {
    const scope = options.persist === 'device' ? '' : PAGE_ID;
    if (options.persist !== 'none') {
      await holdLock(locks, `parley-start-${storageKeyOf(options)}-${scope}`, turn.signal).catch(() => {
        // A page that may not lock starts all the same.
      });
    }
    return (
      (await restoreSession(options, client, storage, signal)) ?? (await startSession(options, client, storage, signal))
    );
  } finally {
    release();
  }
}

/** Where the key to the session is kept. */
export function storageKeyOf({ relay, application = '' }: ConversationOptions): string {
  return `parley ${relay} ${application}`;
}

/** A conversation belongs to one visitor, by the page's name for him and by his being logged in or not. */
export function ownerOf({ userId = '', authorization }: ConversationOptions): string {
  return `${authorization === undefined ? 'visitor' : 'user'} ${userId}`;
}

/** Undefined when nothing is remembered, or it is over, or it is somebody else's, whose conversation is ended. */
async function restoreSession(
  options: ConversationOptions,
  client: RelayClient,
  storage: SessionStorage,
  signal: AbortSignal,
): Promise<BegunSession | undefined> {
  const session = storage.load();
  if (session === undefined) return undefined;
  try {
    if (session.owner === ownerOf(options) && session.expiresAtMs > Date.now()) {
      const snapshot = await client.readSession(session, signal);
      return { session, action: { type: 'restored', snapshot, expiresAtMs: session.expiresAtMs } };
    }
    storage.clear(session.sessionId);
    void endEverywhere(client, session);
  } catch (error) {
    if (!(error instanceof RelayProblemError) || !endReasonOf(error.problem)) throw error;
    storage.clear(session.sessionId);
  }
  return undefined;
}

async function startSession(
  options: ConversationOptions,
  client: RelayClient,
  storage: SessionStorage,
  signal: AbortSignal,
): Promise<BegunSession> {
  const { userId, application } = options;
  const request = { ...(userId !== undefined && { userId }), ...(application !== undefined && { application }) };
  const started = await client.startSession(request, signal);
  const { sessionId, token, createdAt, expiresAt } = started;
  // Only the length of the life is taken from the relay: its clock need not be this device's.
  const expiresAtMs = Date.now() + (Date.parse(expiresAt) - Date.parse(createdAt) || SESSION_LIFE_MS);
  const session = { sessionId, token, expiresAtMs };
  storage.save({ ...session, owner: ownerOf(options) });
  return { session, action: { type: 'started', session: started, expiresAtMs } };
}

/** Ends a session at the relay and the host, as far as they can be reached: it ends by itself within the hour. */
export async function endEverywhere(client: RelayClient, session: SessionAccess): Promise<void> {
  for (let tries = 0; tries < MOST_END_TRIES; tries++) {
    try {
      return await client.endSession(session, new AbortController().signal);
    } catch (error) {
      if (error instanceof RelayProblemError && !error.problem.retryable) return;
    }
  }
}
