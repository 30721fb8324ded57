/** The relay's HTTP interface as the widget calls it. Each method is one request; nothing here tries again by itself. */
import { FrameLimitError, FrameReader } from '../relay/protocol/frame-reader.ts';
import {
  type ChatRequest,
  SESSION_TOKEN_HEADER,
  type StartedSession,
  type StartSessionRequest,
} from '../relay/protocol/requests.ts';
import type { Position, ShownProblem } from './conversation.ts';
import { problemOf, readProblem } from './problem.ts';
import { readEvent, readFrame } from './read-event.ts';
import type { ReceivedEvent, ReceivedSnapshot } from './reduce.ts';

/** The `Authorization` value of a visitor who is logged in at the page, or where to ask for it. */
export type Authorization = string | (() => string | undefined | Promise<string | undefined>);

/** What opens one session at the relay. */
export interface SessionAccess {
  readonly sessionId: string;
  readonly token: string;
}

export type VerificationAnswer =
  | { readonly transactionId: string; readonly code: string }
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

/** A short call has to be answered within this time. */
const ANSWER_LIMIT_MS = 20_000;
/** The relay holds an event to less; this only keeps a broken proxy from filling the page's memory. */
const FRAME_LIMITS = { maxLineBytes: 16_000_000, maxEventBytes: 16_000_000 };

interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly session?: SessionAccess;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Goes out even when the page is being left. */
  readonly keepalive?: boolean;
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
    if (!hasTexts(started, ['sessionId', 'token', 'userId', 'createdAt', 'expiresAt'])) throw notTheRelay();
    return { initialMessage: '', ...(started as object) } as StartedSession;
  }

  async readSession(session: SessionAccess, signal: AbortSignal): Promise<ReceivedSnapshot> {
    const snapshot = await this.#ask({ method: 'GET', path: pathOf(session), session }, signal);
    const events = Object(snapshot).events;
    if (!hasTexts(snapshot, ['sessionId', 'userId', 'expiresAt']) || !Array.isArray(events)) throw notTheRelay();
    return {
      initialMessage: '',
      ...(snapshot as object),
      events: events.map(readEvent),
    } as unknown as ReceivedSnapshot;
  }

  /** Starts the turn of this message id, or joins it. Resolves when the relay has taken it and begins to answer. */
  async sendMessage(
    session: SessionAccess,
    request: Omit<ChatRequest, 'sessionId'>,
    after: Position,
    signal: AbortSignal,
  ): Promise<EventBatches> {
    const body: ChatRequest = { sessionId: session.sessionId, ...request };
    return this.#stream({ method: 'POST', path: '/chat', session, body, headers: lastEvent(after) }, signal);
  }

  /** The events after a position, to the end of the running turn. */
  async readEvents(session: SessionAccess, after: Position, signal: AbortSignal): Promise<EventBatches> {
    return this.#stream(
      { method: 'GET', path: `${pathOf(session)}/events`, session, headers: lastEvent(after) },
      signal,
    );
  }

  async stop(session: SessionAccess, signal: AbortSignal): Promise<void> {
    await this.#settle({ method: 'POST', path: `${pathOf(session)}/stop`, session, body: {}, keepalive: true }, signal);
  }

  async verify(session: SessionAccess, answer: VerificationAnswer, signal: AbortSignal): Promise<void> {
    await this.#settle({ method: 'POST', path: `${pathOf(session)}/verification`, session, body: answer }, signal);
  }

  /** Ends the session at the relay and the host. One that the relay no longer knows counts as ended. */
  async endSession(session: SessionAccess, signal: AbortSignal): Promise<void> {
    await this.#settle({ method: 'DELETE', path: pathOf(session), session, keepalive: true }, signal);
  }

  async #ask(call: Call, signal: AbortSignal): Promise<unknown> {
    return this.#withinLimit(signal, async (limited) => {
      const response = await this.#call(call, limited);
      return parse(await this.#orUnreachable(response.text(), limited));
    });
  }

  async #settle(call: Call, signal: AbortSignal): Promise<void> {
    await this.#withinLimit(signal, async (limited) => {
      await (await this.#call(call, limited)).body?.cancel();
    });
  }

  async #stream(call: Call, signal: AbortSignal): Promise<EventBatches> {
    const response = await this.#call(call, signal);
    if (response.body === null || !response.headers.get('content-type')?.includes('event-stream')) throw notTheRelay();
    return this.#readBatches(response.body.getReader(), signal);
  }

  async *#readBatches(bytes: ReadableStreamDefaultReader<Uint8Array>, signal: AbortSignal): EventBatches {
    const frames = new FrameReader(FRAME_LIMITS);
    try {
      for (;;) {
        const { done, value } = await this.#orUnreachable(bytes.read(), signal);
        yield (value === undefined ? frames.end() : frames.push(value)).map(readFrame);
        if (done) return;
      }
    } catch (error) {
      throw error instanceof FrameLimitError ? new RelayProblemError(problemOf('limit_exceeded', false)) : error;
    } finally {
      bytes.cancel().catch(() => {
        // It was lost already.
      });
    }
  }

  /** A rejected credential is asked for once more: the relay says by it that the call had no effect. */
  async #call(call: Call, signal: AbortSignal): Promise<Response> {
    const response = await this.#callOnce(call, signal);
    if (response.ok) return response;
    const problem = await this.#readProblem(response, signal);
    if (problem.code !== 'credential_rejected' || typeof this.#authorization() !== 'function') {
      throw new RelayProblemError(problem);
    }
    const second = await this.#callOnce(call, signal);
    if (second.ok) return second;
    throw new RelayProblemError(await this.#readProblem(second, signal));
  }

  async #callOnce(call: Call, signal: AbortSignal): Promise<Response> {
    const { method, path, session, body, headers, keepalive = false } = call;
    const authorization = await this.#askAuthorization(signal);
    return this.#orUnreachable(
      this.#fetch(this.#relay + path, {
        method,
        headers: {
          ...headers,
          ...(session && { [SESSION_TOKEN_HEADER]: session.token }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(authorization && { authorization }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        keepalive,
        credentials: 'omit',
        cache: 'no-store',
        // A redirect would carry the token somewhere else.
        redirect: 'error',
        referrerPolicy: 'strict-origin',
        signal,
      }),
      signal,
    );
  }

  async #askAuthorization(signal: AbortSignal): Promise<string | undefined> {
    const authorization = this.#authorization();
    if (typeof authorization !== 'function') return authorization;
    let value: string | undefined;
    try {
      value = await authorization();
    } catch {
      // The page's own function failed: the page has no credential to give, and nothing is sent without it.
      throw new RelayProblemError(problemOf('credential_rejected'));
    }
    signal.throwIfAborted();
    return value;
  }

  /** Only what the relay itself has said counts; a proxy's page says nothing of what became of the request. */
  async #readProblem(response: Response, signal: AbortSignal): Promise<ShownProblem> {
    const said = Object(parse(await this.#orUnreachable(response.text(), signal))) as Record<string, unknown>;
    if (typeof said.code !== 'string' || typeof said.requestId !== 'string') throw notTheRelay();
    return readProblem(said, 'internal_error');
  }

  /** What a browser says of a lost line differs and changes: that it was lost is all that counts. */
  async #orUnreachable<Result>(step: Promise<Result>, signal: AbortSignal): Promise<Result> {
    try {
      return await step;
    } catch (cause) {
      signal.throwIfAborted();
      throw new RelayUnreachableError('The relay did not answer.', { cause });
    }
  }

  async #withinLimit<Result>(signal: AbortSignal, step: (limited: AbortSignal) => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    const call = new AbortController();
    const abort = () => call.abort(signal.reason);
    const timer = setTimeout(
      () => call.abort(new RelayUnreachableError('The relay did not answer in time.')),
      ANSWER_LIMIT_MS,
    );
    signal.addEventListener('abort', abort);
    try {
      return await step(call.signal);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }
}

function pathOf(session: SessionAccess): string {
  return `/session/${encodeURIComponent(session.sessionId)}`;
}

function lastEvent({ turn, sequence }: Position): Record<string, string> {
  return sequence === 0 ? {} : { 'last-event-id': `${turn}:${sequence}` };
}

function notTheRelay(): RelayUnreachableError {
  return new RelayUnreachableError('The answer is not the relay’s.');
}

function hasTexts(value: unknown, names: readonly string[]): boolean {
  return names.every((name) => typeof Object(value)[name] === 'string');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notTheRelay();
  }
}
