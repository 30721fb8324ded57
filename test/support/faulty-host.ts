import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { chatFault } from './faulty-host/chat-faults.ts';
import { ClientGoneError, DEAD_CONNECTIONS, Exchange, type RecordedRequest } from './faulty-host/exchange.ts';
import { DELETE_FAULTS, type NewSession, REFUSAL, SESSION_FAULTS } from './faulty-host/session-faults.ts';

export { FULL_TEXT, PREFIX_TEXT } from './faulty-host/answer.ts';

/**
 * An agent host that keeps to its protocol until it is asked not to: a message `fault:<name> key=value …` or a user id
 * `fault:<name>` plays that fault (`test/cases/stream-faults.json` and more); anything else is answered with one known
 * turn.
 */
export interface FaultyHost {
  readonly url: string;
  readonly stats: FaultyHostStats;
  /** Every request, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Every session that was started, oldest first, as the host told of it. */
  readonly sessions: readonly NewSession[];
  /** The first request that fits, now or as soon as it comes. */
  nextRequest(fits: (request: RecordedRequest) => boolean): Promise<RecordedRequest>;
  /** Resolves as soon as the number of open connections fits. */
  openSockets(fits: (count: number) => boolean): Promise<void>;
  close(): Promise<void>;
}

interface FaultyHostStats {
  readonly sessionPosts: number;
  readonly chatPosts: number;
  readonly deletes: number;
  /** Requests for an address that the host does not have, such as the target of its redirects. */
  readonly strays: number;
  readonly openSockets: number;
}

interface HostedSession extends NewSession {
  readonly deleteFault: string | undefined;
  readonly messages: string[];
  deadStatus?: number;
}

const FAULT = /^fault:(\S+)(.*)$/s;

export async function startFaultyHost(): Promise<FaultyHost> {
  const requests: RecordedRequest[] = [];
  const started: NewSession[] = [];
  const sessions = new Map<string, HostedSession>();
  const sockets = new Set<Socket>();
  const socketClosed = new WeakMap<Socket, Promise<void>>();
  const counts = { sessionPosts: 0, chatPosts: 0, deletes: 0, strays: 0 };
  const watchers = new Set<() => void>();
  const changed = () => {
    for (const watcher of watchers) watcher();
  };

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const isDead = DEAD_CONNECTIONS.has(incoming.socket);
    const body = await text(incoming);
    const { method = '', url: path = '', headers } = incoming;
    const closed = socketClosed.get(incoming.socket)!;
    const sentBytes = () => incoming.socket.bytesWritten;
    const request: RecordedRequest = { method, path, headers, body, closed, sentBytes };
    requests.push(request);
    changed();
    if (isDead) {
      incoming.socket.resetAndDestroy();
      return;
    }
    const exchange = (params = '') => new Exchange(request, response, readParams(params));

    const route = /^\/stream\/[^/]+\/(session|chat)(?:\/([^/]+))?$/.exec(path);
    if (method === 'POST' && route?.[1] === 'session') {
      counts.sessionPosts++;
      await startSession(exchange(), JSON.parse(body));
    } else if (method === 'DELETE' && route?.[2]) {
      counts.deletes++;
      await endSession(exchange(), decodeURIComponent(route[2]));
    } else if (method === 'POST' && route?.[1] === 'chat') {
      counts.chatPosts++;
      const { sessionId, message } = JSON.parse(body);
      const [, name = 'ok', params = ''] = FAULT.exec(message) ?? [];
      await chat(exchange(params), name, sessionId, message);
    } else if (method === 'HEAD') {
      exchange().answer(404, {}, '');
    } else {
      counts.strays++;
      exchange().answer(404, {}, REFUSAL);
    }
  }

  async function startSession(exchange: Exchange, { userId }: { userId: string }): Promise<void> {
    const fault = FAULT.exec(userId)?.[1];
    const plain = newSession(userId, started.length);
    const sessionFault =
      fault !== undefined && Object.hasOwn(SESSION_FAULTS, fault) ? SESSION_FAULTS[fault] : undefined;
    const told = { ...plain, ...sessionFault?.change?.(plain) };
    started.push(told);
    sessions.set(told.sessionId, { ...told, deleteFault: fault, messages: [] });
    if (sessionFault?.play) await sessionFault.play(exchange, plain);
    else
      exchange.answer(
        200,
        { 'Content-Type': 'application/json' },
        JSON.stringify(sessionFault?.change?.(plain) ?? plain),
      );
  }

  async function endSession(exchange: Exchange, sessionId: string): Promise<void> {
    const session = sessions.get(sessionId);
    const fault = session?.deleteFault;
    sessions.delete(sessionId);
    if (fault !== undefined && Object.hasOwn(DELETE_FAULTS, fault)) await DELETE_FAULTS[fault]!(exchange);
    else exchange.answer(session ? 204 : 404, {}, '');
  }

  async function chat(exchange: Exchange, name: string, sessionId: string, message: string): Promise<void> {
    const session = sessions.get(sessionId);
    if (!session) return exchange.answer(404, {}, REFUSAL);
    if (session.deadStatus) return exchange.answer(session.deadStatus, {}, REFUSAL);
    if (exchange.request.headers['x-session-secret'] !== session.sessionSecret)
      return exchange.answer(401, {}, REFUSAL);
    const fault = chatFault(name);
    if (!fault) throw new Error(`the faulty host has no fault "${name}"`);
    const repeats = session.messages.filter((earlier) => earlier === message).length;
    session.messages.push(message);
    await fault(exchange, {
      sessionId,
      sessionSecret: session.sessionSecret,
      repeats,
      killSession: (status) => {
        session.deadStatus = status;
      },
    });
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      // Anything else is a mistake in a test or here, and ends the test loudly.
      if (!(error instanceof ClientGoneError)) throw error;
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    // A client that goes in the middle is what many of the tests are about.
    socket.on('error', () => {});
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    socketClosed.set(socket, closed);
    socket.once('close', () => {
      sockets.delete(socket);
      resolve();
      changed();
    });
    changed();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  async function until<T>(look: () => T | undefined): Promise<T> {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      const { promise, resolve } = Promise.withResolvers<void>();
      watchers.add(resolve);
      await promise;
      watchers.delete(resolve);
    }
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get stats() {
      return { ...counts, openSockets: sockets.size };
    },
    requests,
    sessions: started,
    nextRequest: (fits) => until(() => requests.find(fits)),
    openSockets: async (fits) => {
      await until(() => fits(sockets.size) || undefined);
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function newSession(userId: string, index: number): NewSession {
  const mark = (index + 1).toString(16).padStart(4, '0');
  return {
    sessionId: `session-192838110457-7be0${mark}`,
    userId,
    sessionSecret: `p9QzT2mX_kLr8wYVdN3s-${mark}`,
    createdAt: '2026-09-16T09:14:02.331904512Z',
    initialMessage: 'Hello! How can I assist you today?',
  };
}

function readParams(text: string): ReadonlyMap<string, string> {
  return new Map(Array.from(text.matchAll(/(\w+)=(\S+)/g), ([, name, value]) => [name!, value!]));
}
