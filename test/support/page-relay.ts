/**
 * A relay inside the test's page, played by the test: it takes the place of `fetch` for its own address and answers as the
 * relay's HTTP interface says. A turn goes on when the test says so, so that every moment of an answer can be looked at.
 */
import type { ErrorCode } from '../../relay/protocol/error-codes.ts';
import type { NumberedEvent } from '../../relay/protocol/events.ts';
import { TurnEvents } from './turn-events.ts';

export interface RelayCall {
  readonly method: string;
  readonly path: string;
  readonly body: Record<string, unknown>;
}

/** One running answer. `events` numbers what is sent. */
export class RelayTurn {
  readonly message: string;
  readonly events: TurnEvents;
  readonly #controller: ReadableStreamDefaultController<Uint8Array>;
  readonly #log: NumberedEvent[];

  constructor(
    message: string,
    events: TurnEvents,
    controller: ReadableStreamDefaultController<Uint8Array>,
    log: NumberedEvent[],
  ) {
    this.#log = log;
    this.message = message;
    this.events = events;
    this.#controller = controller;
  }

  send(...events: readonly NumberedEvent[]): void {
    this.#log.push(...events);
    for (const { type, data, turn, sequence } of events) {
      const frame = `id: ${turn}:${sequence}\nevent: ${type}\ntype: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
      this.#controller.enqueue(new TextEncoder().encode(frame));
    }
  }

  /** Ends it as a whole answer. */
  complete(text: string, contextPercentage?: number): void {
    this.send(
      this.events.complete(text, contextPercentage === undefined ? {} : { contextPercentage }),
      this.events.done(),
    );
    this.#controller.close();
  }

  fail(code: ErrorCode): void {
    this.send(this.events.error(code), this.events.done());
    this.#controller.close();
  }
}

export class PageRelay {
  readonly address = 'https://relay.example';
  readonly calls: RelayCall[] = [];
  initialMessage = 'Hello! How can I help?';
  sessionLifeMs = 3_600_000;
  /** Refuses the next call of that path. */
  refusal: { path: string; code: ErrorCode; status: number; retryAfterMs?: number; attemptsLeft?: number } | undefined;
  /** What the conversation's log has, as a page that asks for it gets it. */
  readonly log: NumberedEvent[] = [];
  /** Happens when the visitor's answer to a verification has come and before it is answered. */
  onVerification = (_body: Record<string, unknown>): void => {};
  readonly #pageFetch = window.fetch;
  readonly #events = new TurnEvents(0);
  #sessions = 0;
  #awaited: ((turn: RelayTurn) => void)[] = [];
  #turns: RelayTurn[] = [];

  constructor() {
    window.fetch = (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input, location.href);
      return url.origin === this.address ? this.#answer(url, init) : this.#pageFetch.call(window, input, init);
    };
  }

  close(): void {
    window.fetch = this.#pageFetch;
  }

  callsTo(method: string, path: string): readonly RelayCall[] {
    return this.calls.filter((call) => call.method === method && call.path === path);
  }

  /** The next message that arrives, or has arrived and was not asked for yet. */
  turn(): Promise<RelayTurn> {
    const turn = this.#turns.shift();
    return turn ? Promise.resolve(turn) : new Promise((resolve) => this.#awaited.push(resolve));
  }

  async #answer(url: URL, init: RequestInit = {}): Promise<Response> {
    const { method = 'GET' } = init;
    const body = JSON.parse(String(init.body ?? '{}')) as Record<string, unknown>;
    this.calls.push({ method, path: url.pathname, body });
    // As over a network: the answer is not there before the caller goes on.
    await new Promise((resolve) => setTimeout(resolve));
    const { refusal } = this;
    if (refusal?.path === url.pathname) {
      this.refusal = undefined;
      return problem(refusal);
    }
    if (method === 'POST' && url.pathname === '/session') return Response.json(this.#startSession(), { status: 201 });
    if (method === 'POST' && url.pathname === '/chat')
      return this.#startTurn(String(body.message), String(body.messageId));
    if (method === 'DELETE' || url.pathname.endsWith('/stop')) return new Response(null, { status: 204 });
    if (method === 'POST' && url.pathname.endsWith('/verification')) {
      this.onVerification(body);
      return Response.json({ transactionId: body.transactionId, outcome: 'verified' });
    }
    if (method === 'GET' && /^\/session\/[^/]+$/.test(url.pathname)) {
      return Response.json({ ...this.#session(), events: this.log, isHistoryGone: false });
    }
    return problem({ code: 'unknown_session', status: 404 });
  }

  #startSession() {
    this.#sessions += 1;
    return this.#session();
  }

  #session() {
    return {
      sessionId: `session-${this.#sessions}`,
      token: 'token',
      userId: 'visitor',
      createdAt: new Date().toISOString(),
      expiresAt: new Date(Date.now() + this.sessionLifeMs).toISOString(),
      initialMessage: this.initialMessage,
    };
  }

  #startTurn(message: string, messageId: string): Response {
    this.#events.turn += 1;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const turn = new RelayTurn(message, this.#events, controller, this.log);
        turn.send(this.#events.question(messageId, message));
        const waiter = this.#awaited.shift();
        if (waiter) waiter(turn);
        else this.#turns.push(turn);
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  }
}

function problem(refusal: { code: ErrorCode; status: number; retryAfterMs?: number; attemptsLeft?: number }): Response {
  const { code, status, retryAfterMs, attemptsLeft } = refusal;
  const details = {
    title: code,
    detail: code,
    retryable: true,
    requestId: 'request-1',
    ...(retryAfterMs && { retryAfterMs }),
    ...(attemptsLeft && { attemptsLeft }),
  };
  return Response.json(
    { type: 'about:blank', status, code, ...details },
    { status, headers: { 'content-type': 'application/problem+json' } },
  );
}
