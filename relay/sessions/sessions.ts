/** Starts, finds and ends sessions. Knows tokens, origins, credentials and the sealed secret; knows nothing of HTTP or turns. */
import { randomUUID } from 'node:crypto';
import type { AgentHost, Credential } from '../agent-host/agent-host.ts';
import { RelayError } from '../errors.ts';
import { failureForLog, type Log } from '../log.ts';
import type { StartedSession } from '../protocol/requests.ts';
import type { Sealer } from '../sealing/sealer.ts';
import type { Store } from '../store/store.ts';
import type { CredentialDigests } from './credential-digests.ts';
import {
  appendsKey,
  domainKey,
  hostSessionKey,
  keptUntilMs,
  messageKeysLog,
  parseSessionRecord,
  SESSION_LIFETIME_MS,
  type SessionRecord,
  sessionKey,
  sessionLog,
  transactionsKey,
  turnKey,
} from './session-record.ts';
import { drawSessionId, drawToken, hashToken, isSessionId, isTokenOf } from './tokens.ts';

/** A session that the caller has shown to be his. */
export interface Session {
  readonly id: string;
  readonly record: SessionRecord;
}

export interface StartSession {
  readonly userId: string | undefined;
  readonly application: string;
  /** The page's origin in its normal form; undefined: the caller is not a page. */
  readonly origin: string | undefined;
  /** The visitor's own `Authorization` value. */
  readonly authorization: string | undefined;
}

export interface SessionClaim {
  readonly sessionId: string;
  readonly token: string | undefined;
  readonly origin: string | undefined;
}

export class Sessions {
  readonly #store: Store;
  readonly #sealer: Sealer;
  readonly #host: AgentHost;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #digests: CredentialDigests | undefined;

  /** `digests`: where tools are called through this relay, so that such a call can be told to be a session's. */
  constructor(parts: {
    store: Store;
    sealer: Sealer;
    agentHost: AgentHost;
    log: Log;
    now: () => number;
    digests?: CredentialDigests;
  }) {
    this.#store = parts.store;
    this.#sealer = parts.sealer;
    this.#host = parts.agentHost;
    this.#log = parts.log;
    this.#now = parts.now;
    this.#digests = parts.digests;
  }

  /** Starts a session at the host and here. Throws `AgentHostError`, `StoreUnavailableError`. */
  async start(request: StartSession, signal: AbortSignal): Promise<StartedSession> {
    const { application, authorization } = request;
    const userId = request.userId ?? randomUUID();
    const credential: Credential = authorization === undefined ? { type: 'key' } : { type: 'visitor', authorization };
    const hosted = await this.#host.startSession({ application, userId, credential }, signal);
    const sessionId = drawSessionId();
    const token = drawToken();
    // The relay's own clock, read after the host's answer: the host's `createdAt` is not relied on.
    const createdAtMs = this.#now();
    const record: SessionRecord = {
      tokenHash: hashToken(token),
      origin: request.origin ?? null,
      application,
      hostSessionId: hosted.hostSessionId,
      sealedSecret: this.#sealer.seal(hosted.sessionSecret, secretOwner(sessionId)),
      userId,
      createdAtMs,
      expiresAtMs: createdAtMs + SESSION_LIFETIME_MS,
      initialMessage: hosted.initialMessage,
      startedBy: credential.type,
    };
    const expiresAtMs = keptUntilMs(record);
    try {
      await this.#store.commit(
        [],
        [
          { type: 'put', key: sessionKey(sessionId), value: record, expiresAtMs },
          { type: 'put', key: hostSessionKey(hosted.hostSessionId), value: sessionId, expiresAtMs },
        ],
      );
      if (authorization !== undefined) await this.#digests?.note(this.#store, sessionId, authorization, expiresAtMs);
    } catch (failure) {
      this.#endAtHost({ id: sessionId, record }, credential);
      throw failure;
    }
    return {
      sessionId,
      token,
      userId,
      createdAt: new Date(createdAtMs).toISOString(),
      expiresAt: new Date(record.expiresAtMs).toISOString(),
      initialMessage: hosted.initialMessage,
    };
  }

  /**
   * The session, if the caller holds its token. An unknown session, another's session, a wrong or missing token and a token
   * from another page are one answer: `unknown_session`. Throws `session_expired` after the hour, unless `mayBeExpired`.
   */
  async claim(claim: SessionClaim, options: { mayBeExpired?: boolean } = {}): Promise<Session> {
    const record = isSessionId(claim.sessionId) ? await this.#record(claim.sessionId) : undefined;
    const isTokenRight = isTokenOf(record?.tokenHash, claim.token ?? '');
    // Browsers name the page's origin in every request to another origin; a caller without one is no page or the relay's own.
    const isOriginRight = claim.origin === undefined || claim.origin === record?.origin;
    if (!record || !isTokenRight || !isOriginRight) throw new RelayError('unknown_session');
    if (record.expiresAtMs <= this.#now() && !options.mayBeExpired) throw new RelayError('session_expired');
    return { id: claim.sessionId, record };
  }

  /** Whether the session is still there: false once it was ended by anyone or forgotten. */
  async isThere(sessionId: string): Promise<boolean> {
    return (await this.#store.get(sessionKey(sessionId))) !== undefined;
  }

  /**
   * Who speaks to the host for this session. A session that was begun with a visitor's credential never falls back to the
   * key: without one it throws `credential_rejected`. Throws `StoreUnavailableError`.
   */
  async credentialFor(session: Session, authorization: string | undefined): Promise<Credential> {
    if (authorization !== undefined) {
      await this.#digests?.note(this.#store, session.id, authorization, keptUntilMs(session.record));
      return { type: 'visitor', authorization };
    }
    if (session.record.startedBy === 'key') return { type: 'key' };
    throw new RelayError('credential_rejected', {
      field: 'authorization',
      expected: 'the visitor’s credential, as at the start of this conversation',
      received: 'nothing',
    });
  }

  /** The host's secret for this session. Throws `SealedTextError` when it was sealed for another one or under another key. */
  secretOf({ id, record }: Session): string {
    return this.#sealer.open(record.sealedSecret, secretOwner(id));
  }

  /**
   * Ends the session here, for every tab and relay, then at the host. The host not being reachable, or the visitor's
   * credential not being there any more, changes nothing for the caller. Ending twice is ending once.
   */
  async end(session: Session, authorization: string | undefined): Promise<void> {
    if (!(await this.#delete(session))) return;
    if (authorization !== undefined) this.#endAtHost(session, { type: 'visitor', authorization });
    else if (session.record.startedBy === 'key') this.#endAtHost(session, { type: 'key' });
  }

  /** Deletes all that the store has of the session. False: it was not there any more. */
  async #delete({ id, record }: Session): Promise<boolean> {
    const log = messageKeysLog(id);
    for (;;) {
      const turn = await this.#store.get(turnKey(id));
      const { entries } = await this.#store.readLog(log, 0, MAX_MESSAGES);
      const result = await this.#store.commit(
        [
          { type: 'present', key: sessionKey(id) },
          // A turn that has begun since then has a message key which is not among those.
          turn ? { type: 'version', key: turnKey(id), version: turn.version } : { type: 'absent', key: turnKey(id) },
        ],
        [
          { type: 'delete', key: sessionKey(id) },
          { type: 'delete', key: hostSessionKey(record.hostSessionId) },
          { type: 'delete', key: turnKey(id) },
          { type: 'delete', key: appendsKey(id) },
          { type: 'delete', key: domainKey(id) },
          { type: 'delete', key: transactionsKey(id) },
          ...entries.map(({ entry }) => ({ type: 'delete', key: entry }) as const),
          { type: 'delete-log', log },
          { type: 'delete-log', log: sessionLog(id) },
          { type: 'wake', topic: sessionLog(id) },
          { type: 'wake', topic: turnKey(id) },
          { type: 'wake', topic: transactionsKey(id) },
        ],
      );
      if (result.isCommitted) return true;
      if (result.failed.type === 'present') return false;
    }
  }

  async #record(sessionId: string): Promise<SessionRecord | undefined> {
    const stored = await this.#store.get(sessionKey(sessionId));
    return stored && parseSessionRecord(stored.value);
  }

  /** Not waited for: the visitor's session has ended, whatever the host says. */
  #endAtHost({ id, record }: Session, credential: Credential): void {
    const reference = { application: record.application, hostSessionId: record.hostSessionId, credential };
    this.#host.endSession(reference, AbortSignal.timeout(END_AT_HOST_MS)).catch((failure: unknown) => {
      this.#log.warn({ sessionId: id, ...failureForLog(failure) }, 'a session could not be ended at the host');
    });
  }
}

const secretOwner = (sessionId: string) => `session-secret:${sessionId}`;

/** More than a session's hour can hold. */
const MAX_MESSAGES = 100_000;
const END_AT_HOST_MS = 10_000;
