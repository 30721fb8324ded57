/**
 * A relay whose every word a test decides: it speaks the relay's interface over HTTP, numbers events and keeps them, but runs
 * no turn by itself. For the faults that a real relay does not have on demand: cut lines, silence, junk, late answers.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ErrorCode } from '../../relay/protocol/error-codes.ts';
import type { NumberedEvent } from '../../relay/protocol/events.ts';
import { writeFrame } from '../../relay/protocol/frame-writer.ts';
import { TurnEvents } from './turn-events.ts';

export interface Call {
  /** Method and path with the session's id left out: `POST /chat`, `GET /session/:id/events`. */
  readonly route: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
  readonly response: ServerResponse;
}

interface Session {
  readonly token: string;
  readonly events: NumberedEvent[];
  readonly readers: Set<Reader>;
  readonly turnOfMessage: Map<string, number>;
  runningTurn: number | undefined;
}

interface Reader {
  readonly response: ServerResponse;
  sequence: number;
}

export class ScriptedRelay {
  readonly calls: Call[] = [];
  readonly sessions = new Map<string, Session>();
  initialMessage = 'Hello!';
  lifeMs = 3_600_000;
  /** Answers a call in its own way when it returns true. */
  intercept: (call: Call) => boolean | Promise<boolean> = () => false;
  readonly #server: Server;
  readonly #waiting = new Set<() => void>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<ScriptedRelay> {
    const server = createServer((request, response) => void relay.#answer(request, response));
    const relay = new ScriptedRelay(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return relay;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  count(route: string): number {
    return this.calls.filter((call) => call.route === route).length;
  }

  /** Resolves when so many calls of the route have come. */
  async called(route: string, times = 1): Promise<Call> {
    await this.#until(() => this.count(route) >= times);
    return this.calls.filter((call) => call.route === route)[times - 1]!;
  }

  /** Streams that are open now, of all sessions. */
  get openStreams(): number {
    return [...this.sessions.values()].reduce((sum, session) => sum + session.readers.size, 0);
  }

  /** Resolves when exactly so many streams are open. */
  async streams(count: number): Promise<void> {
    await this.#until(() => this.openStreams === count);
  }

  /** The session that was started last. */
  get session(): Session {
    return [...this.sessions.values()].at(-1)!;
  }

  /** Events of the running turn; the log numbers them. `done` ends the turn and the streams. */
  say(write: (events: TurnEvents) => readonly NumberedEvent[], session = this.session): void {
    const turn = session.runningTurn ?? session.turnOfMessage.size;
    session.events.push(...write(new TurnEvents(turn, session.events.at(-1)?.sequence ?? 0)));
    const isDone = session.events.at(-1)?.type === 'done';
    if (isDone) session.runningTurn = undefined;
    for (const reader of session.readers) this.#catchUp(session, reader, isDone);
  }

  /** Breaks every connection, as a lost network does. */
  cutLines(): void {
    for (const { readers } of this.sessions.values()) for (const { response } of readers) response.destroy();
  }

  refuse(response: ServerResponse, status: number, code: ErrorCode, more: object = {}): true {
    response.writeHead(status, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ code, detail: 'Refused.', retryable: true, requestId: 'request-1', ...more }));
    return true;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    try {
      for await (const piece of request.setEncoding('utf8')) text += piece;
    } catch {
      return;
    }
    const id = /^\/session\/([^/]+)/.exec(request.url ?? '')?.[1];
    const path = id === undefined ? request.url : request.url?.replace(id, ':id');
    const body = text === '' ? {} : JSON.parse(text);
    const call = { route: `${request.method} ${path}`, headers: request.headers, body, response };
    this.calls.push(call);
    this.#notify();
    if (!(await this.intercept(call))) this.#serve(call, id ?? body.sessionId);
  }

  #serve({ route, headers, body, response }: Call, id: string | undefined): void {
    const session = this.sessions.get(id ?? '');
    if (route === 'POST /session') this.#startSession(response);
    else if (id === undefined || session === undefined || headers['x-session-token'] !== session.token) {
      this.refuse(response, 404, 'unknown_session', { retryable: false });
    } else if (route === 'POST /chat') this.#chat(session, body, headers, response);
    else if (route === 'GET /session/:id') this.#snapshot(id, session, response);
    else if (route === 'GET /session/:id/events') this.#stream(session, sequenceOf(headers) ?? 0, response);
    else if (route === 'DELETE /session/:id') {
      this.sessions.delete(id);
      for (const reader of session.readers) reader.response.end();
      response.writeHead(204).end();
    } else {
      response.writeHead(204).end();
      if (route === 'POST /session/:id/stop' && session.runningTurn !== undefined) {
        this.say((events) => [events.event('stopped', {}), events.done()], session);
      }
    }
  }

  #startSession(response: ServerResponse): void {
    const sessionId = crypto.randomUUID();
    const token = crypto.randomUUID();
    this.sessions.set(sessionId, {
      token,
      events: [],
      readers: new Set(),
      turnOfMessage: new Map(),
      runningTurn: undefined,
    });
    response.writeHead(201, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...this.#facts(sessionId), token }));
  }

  #facts(sessionId: string): object {
    // An hour ahead of the browser: only the length of a session's life may count.
    const createdAtMs = Date.now() + 3_600_000;
    return {
      sessionId,
      userId: 'visitor-1',
      createdAt: new Date(createdAtMs).toISOString(),
      expiresAt: new Date(createdAtMs + this.lifeMs).toISOString(),
      initialMessage: this.initialMessage,
    };
  }

  #chat(session: Session, body: Call['body'], headers: IncomingMessage['headers'], response: ServerResponse): void {
    const messageId = String(body.messageId);
    if (!session.turnOfMessage.has(messageId)) {
      if (session.runningTurn !== undefined) {
        this.refuse(response, 409, 'turn_running');
        return;
      }
      session.runningTurn = session.turnOfMessage.size + 1;
      session.turnOfMessage.set(messageId, session.runningTurn);
      this.say((events) => [events.question(messageId, String(body.message))], session);
    }
    const turn = session.turnOfMessage.get(messageId);
    const first = session.events.find((event) => event.turn === turn)?.sequence ?? 1;
    this.#stream(session, sequenceOf(headers) ?? first - 1, response);
  }

  #snapshot(id: string, session: Session, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    const { events, runningTurn } = session;
    response.end(JSON.stringify({ ...this.#facts(id), events, isHistoryGone: false, runningTurn }));
  }

  #stream(session: Session, afterSequence: number, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    const reader = { response, sequence: afterSequence };
    session.readers.add(reader);
    response.on('close', () => {
      session.readers.delete(reader);
      this.#notify();
    });
    this.#notify();
    this.#catchUp(session, reader, session.runningTurn === undefined);
  }

  #catchUp(session: Session, reader: Reader, isEnd: boolean): void {
    const events = session.events.filter((event) => event.sequence > reader.sequence);
    reader.sequence = session.events.at(-1)?.sequence ?? 0;
    reader.response.write(events.map(frameOf).join(''));
    if (isEnd) reader.response.end();
  }

  async #until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
    }
  }

  #notify(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

export function frameOf({ type, data, turn, sequence }: NumberedEvent): string {
  return writeFrame(type, JSON.stringify(data), `${turn}:${sequence}`);
}

function sequenceOf(headers: IncomingMessage['headers']): number | undefined {
  const [, sequence] = String(headers['last-event-id']).split(':');
  return sequence === undefined ? undefined : Number(sequence);
}
