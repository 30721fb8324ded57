import type { Exchange } from './exchange.ts';

/** What the host has made for a session that is to be started. */
export interface NewSession {
  readonly sessionId: string;
  readonly userId: string;
  readonly sessionSecret: string;
  readonly createdAt: string;
  readonly initialMessage: string;
}

/** Either changes what is told about the session, or answers by itself. */
type SessionFault = {
  readonly change?: (session: NewSession) => Readonly<Record<string, unknown>>;
  readonly play?: (exchange: Exchange, session: NewSession) => void | Promise<void>;
};

/** Faults of `POST …/session`, chosen by the user id `fault:<name>`. */
export const SESSION_FAULTS: Readonly<Record<string, SessionFault>> = {
  's-no-id': { change: ({ sessionId: _, ...rest }) => rest },
  's-secret-crlf': { change: (session) => ({ ...session, sessionSecret: `${session.sessionSecret}\r\nX-Evil: 1` }) },
  's-id-traversal': { change: (session) => ({ ...session, sessionId: `../../admin/${session.sessionId}?a=b#c` }) },
  's-id-dots': { change: (session) => ({ ...session, sessionId: '..' }) },
  's-id-proto': { change: (session) => ({ ...session, sessionId: '__proto__' }) },
  's-id-huge': { change: (session) => ({ ...session, sessionId: 'x'.repeat(2_000) }) },
  's-initial-huge': { change: (session) => ({ ...session, initialMessage: 'hello '.repeat(200_000) }) },
  's-initial-missing': { change: ({ initialMessage: _, ...rest }) => rest },
  's-initial-number': { change: (session) => ({ ...session, initialMessage: 7 }) },
  's-created-future': { change: (session) => ({ ...session, createdAt: '2999-01-01T00:00:00Z' }) },
  's-created-junk': { change: (session) => ({ ...session, createdAt: { when: 'yesterday' } }) },
  's-extra-fields': { change: (session) => ({ ...session, constructor: 1, apiKeys: ['other-canary'] }) },
  's-array': { play: (exchange) => exchange.answer(200, JSON_TYPE, '[]') },
  's-html': { play: (exchange) => exchange.answer(200, { 'Content-Type': 'text/html' }, '<h1>body-canary</h1>') },
  's-trunc-json': {
    play: (exchange, session) => exchange.answer(200, JSON_TYPE, JSON.stringify(session).slice(0, -20)),
  },
  's-cut': {
    async play(exchange, session) {
      await exchange.head(200, { ...JSON_TYPE, 'Content-Length': 10_000 });
      await exchange.piece(JSON.stringify(session));
      exchange.fin();
    },
  },
  's-403': { play: (exchange) => exchange.answer(403, JSON_TYPE, REFUSAL) },
  's-404': { play: (exchange) => exchange.answer(404, JSON_TYPE, REFUSAL) },
  's-429': { play: (exchange) => exchange.answer(429, { ...JSON_TYPE, 'Retry-After': '1' }, REFUSAL) },
  's-redirect': { play: (exchange) => exchange.answer(307, { Location: '/trap' }, '') },
  /** The connection is kept, and dead: the next request over it is read and never answered. */
  's-then-dead-connection': {
    play(exchange, session) {
      exchange.answer(200, JSON_TYPE, JSON.stringify(session));
      exchange.killConnection();
    },
  },
  's-hang': { play: (exchange) => exchange.hang() },
  's-endless': {
    async play(exchange) {
      await exchange.head(200, JSON_TYPE);
      for (;;) await exchange.piece('x'.repeat(65_536));
    },
  },
};

/** Faults of `DELETE …/session/{id}`, chosen by the user id that the session was started with. */
export const DELETE_FAULTS: Readonly<Record<string, (exchange: Exchange) => void | Promise<void>>> = {
  'd-500': (exchange) => exchange.answer(500, JSON_TYPE, REFUSAL),
  'd-404': (exchange) => exchange.answer(404, JSON_TYPE, REFUSAL),
  'd-401': (exchange) => exchange.answer(401, JSON_TYPE, REFUSAL),
  'd-hang': (exchange) => exchange.hang(),
  'd-200-body': (exchange) => exchange.answer(200, JSON_TYPE, '{"deleted":true}'),
};

const JSON_TYPE = { 'Content-Type': 'application/json' };
/** The body of every refusal: a test looks for its canary in whatever comes out at the other end. */
export const REFUSAL = '{"error":"body-canary: internal address 10.0.0.7"}';
