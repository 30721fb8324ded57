/** The relay's HTTP interface as the widget calls it. Each method is one request; nothing here tries again by itself. */
import {
  type ChatRequest,
  SESSION_TOKEN_HEADER,
  type StartedSession,
  type StartSessionRequest,
} from '../relay/protocol/requests.ts';
import type { Position, ShownProblem } from './conversation.ts';
import { problemOf, readProblem } from './problem.ts';
import type { ReceivedEvent, ReceivedSnapshot } from './reduce.ts';
import { RelayEventReader, readEvent } from './relay-events.ts';

/** The `Authorization` value of a visitor who is logged in at the page, or where to ask for it. */
export type Authorization = string | (() => string | undefined | Promise<string | undefined>);

/** What opens one session at the relay. */
export interface SessionAccess {
  readonly sessionId: string;
  readonly token: string;
}

export type VerificationAnswer =
  | { readonly transactionId: string; readonly code: string }
  | { readonly transactionId: string; readonly approve: true }
  | { readonly transactionId: string; readonly decline: true };

/** Events as they came off the wire, one batch a read. An empty batch is a sign of life. */
export type EventBatches = AsyncIterable<readonly ReceivedEvent[]>;

/** The relay has answered, and refused. */
export class RelayProblemError extends Error {
  override readonly name = 'RelayProblemError';
  readonly problem: ShownProblem;

  constructor(problem: ShownProblem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** No answer of the relay came, or not all of it: what it did with the request is not known. */
export class RelayUnreachableError extends Error {
  override readonly name = 'RelayUnreachableError';
}

/** A short call has to be answered within this time, a stream has to begin. */
const ANSWER_LIMIT_MS = 20_000;
/** The relay has nothing to tell and nothing to come. */
const NOTHING: EventBatches = { async *[Symbol.asyncIterator]() {} };

interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly session?: SessionAccess;
  readonly body?: unknown;
  /** The answer is a stream of the events after this place. */
  readonly after?: Position;
}

/**
 * All methods throw `RelayProblemError` when the relay refused, `RelayUnreachableError` when no answer of it came, and the
 * signal's reason when that aborted the call.
 */
export class RelayClient {
  readonly #relay: string;
  readonly #authorization: () => Authorization | undefined;
  readonly #fetch: typeof fetch;

  /** `relay`: the relay's address, without a slash at its end. `authorization`: what the page says of it now. */
  constructor(relay: string, authorization: () => Authorization | undefined, fetchLike: typeof fetch) {
    this.#relay = relay;
    this.#authorization = authorization;
    this.#fetch = fetchLike;
  }

  async startSession(request: StartSessionRequest, signal: AbortSignal): Promise<StartedSession> {
    const started = await this.#ask({ method: 'POST', path: '/session', body: request }, signal);
    if (typeof started.sessionId !== 'string' || typeof started.token !== 'string') throw notTheRelay();
    return started as unknown as StartedSession;
  }

  async readSession(session: SessionAccess, signal: AbortSignal): Promise<ReceivedSnapshot> {
    const { events, ...snapshot } = await this.#ask({ method: 'GET', path: pathOf(session), session }, signal);
    if (!Array.isArray(events)) throw notTheRelay();
    return { ...snapshot, events: events.map(readEvent) } as unknown as ReceivedSnapshot;
  }

  /** Starts the turn of this message id, or joins it. Resolves when the relay has taken it and begins to answer. */
  sendMessage(
    session: SessionAccess,
    request: Omit<ChatRequest, 'sessionId'>,
    after: Position,
    signal: AbortSignal,
  ): Promise<EventBatches> {
    const body: ChatRequest = { sessionId: session.sessionId, ...request };
    return this.#call({ method: 'POST', path: '/chat', session, body, after }, signal, readStream);
  }

  /** The events after a position, to the end of the running turn. */
  readEvents(session: SessionAccess, after: Position, signal: AbortSignal): Promise<EventBatches> {
    return this.#call({ method: 'GET', path: `${pathOf(session)}/events`, session, after }, signal, readStream);
  }

  async stop(session: SessionAccess, signal: AbortSignal): Promise<void> {
    await this.#call({ method: 'POST', path: `${pathOf(session)}/stop`, session, body: {} }, signal, readNothing);
  }

  async verify(session: SessionAccess, body: VerificationAnswer, signal: AbortSignal): Promise<void> {
    await this.#call({ method: 'POST', path: `${pathOf(session)}/verification`, session, body }, signal, readNothing);
  }

  /** Ends the session at the relay and the host; also while the page is being left. */
  async endSession(session: SessionAccess, signal: AbortSignal): Promise<void> {
    await this.#call({ method: 'DELETE', path: pathOf(session), session }, signal, readNothing);
  }

  #ask(call: Call, signal: AbortSignal): Promise<Record<string, unknown>> {
    return this.#call(call, signal, (response) => response.json().then(Object));
  }

  async #call<Answer>(
    call: Call,
    signal: AbortSignal,
    read: (response: Response, signal: AbortSignal) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const request = new AbortController();
    const abort = () => request.abort();
    const timer = setTimeout(abort, ANSWER_LIMIT_MS);
    let isStreaming = false;
    try {
      signal.throwIfAborted();
      signal.addEventListener('abort', abort, { signal: request.signal });
      const answer = await read(await this.#send(call, request.signal), signal);
      isStreaming = call.after !== undefined;
      return answer;
    } catch (cause) {
      throw failureOf(cause, signal);
    } finally {
      clearTimeout(timer);
      if (!isStreaming) abort();
    }
  }

  /** A rejected credential is asked for once more: the relay says by it that the call had no effect. */
  async #send({ method, path, session, body, after }: Call, signal: AbortSignal): Promise<Response> {
    for (let tries = 1; ; tries++) {
      const authorization = await this.#askAuthorization();
      const response = await this.#fetch(this.#relay + path, {
        method,
        headers: {
          ...(session && { [SESSION_TOKEN_HEADER]: session.token }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(after?.sequence && { 'last-event-id': `${after.turn}:${after.sequence}` }),
          ...(authorization && { authorization }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        // What changes something goes out even when the page is being left.
        keepalive: method !== 'GET' && after === undefined,
        credentials: 'omit',
        cache: 'no-store',
        // A redirect would carry the token somewhere else.
        redirect: 'error',
        referrerPolicy: 'strict-origin',
        signal,
      });
      if (response.ok) return response;
      const said = Object(await response.json());
      // A proxy's page says nothing of what became of the request.
      if (typeof said.code !== 'string' || typeof said.requestId !== 'string') throw notTheRelay();
      const mayHaveAnother = said.code === 'credential_rejected' && typeof this.#authorization() === 'function';
      if (!mayHaveAnother || tries > 1) throw new RelayProblemError(readProblem(said, 'internal_error'));
    }
  }

  async #askAuthorization(): Promise<string | undefined> {
    const authorization = this.#authorization();
    try {
      return typeof authorization === 'function' ? await authorization() : authorization;
    } catch {
      // The page's own function failed: the page has no credential to give, and nothing is sent without it.
      throw new RelayProblemError(problemOf('credential_rejected'));
    }
  }
}

function readNothing(): void {}

function readStream(response: Response, signal: AbortSignal): EventBatches {
  if (response.status === 204) return NOTHING;
  if (response.body === null || !response.headers.get('content-type')?.includes('event-stream')) throw notTheRelay();
  return readBatches(response.body.getReader(), signal);
}

async function* readBatches(bytes: ReadableStreamDefaultReader<Uint8Array>, signal: AbortSignal): EventBatches {
  const events = new RelayEventReader();
  try {
    for (;;) {
      const { done, value } = await bytes.read();
      if (done) return;
      yield events.push(value);
    }
  } catch (cause) {
    throw failureOf(cause, signal);
  } finally {
    bytes.cancel().catch(() => {
      // It was lost already.
    });
  }
}

/** What a browser says of a lost line differs and changes: that no answer of the relay came is all that counts. */
function failureOf(cause: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (cause instanceof RangeError) return new RelayProblemError(problemOf('limit_exceeded', false));
  return cause instanceof RelayProblemError
    ? cause
    : new RelayUnreachableError('No answer of the relay came.', { cause });
}

function pathOf(session: SessionAccess): string {
  return `/session/${encodeURIComponent(session.sessionId)}`;
}

function notTheRelay(): RelayUnreachableError {
  return new RelayUnreachableError('This is not an answer of the relay.');
}
