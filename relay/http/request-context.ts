/** What one request is known by while it is handled: its id, its page, and what its log line says at the end. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { Log } from '../log.ts';
import { loggable } from '../log.ts';

export interface RequestContext {
  readonly requestId: string;
  /** The page's origin in its normal form; undefined: the caller named none. */
  origin: string | undefined;
  /** For the log line. */
  sessionId: string | undefined;
  code: string | undefined;
}

const contexts = new WeakMap<ServerResponse, RequestContext>();

/** The context of a request that went through `requestContext`. */
export function contextOf(response: ServerResponse): RequestContext {
  const context = contexts.get(response);
  if (!context) throw new Error('a request has no context');
  return context;
}

/** An id from outside is taken when it cannot be anything else: so that a proxy's log and ours can be read together. */
const REQUEST_ID = /^[A-Za-z0-9_-]{8,64}$/;

/** Gives each request its id and writes one log line when its answer has ended. */
export function requestContext(log: Log): RequestHandler {
  return (request, response, next) => {
    const startedAtMs = performance.now();
    const given = request.get('x-request-id') ?? '';
    const requestId = REQUEST_ID.test(given) ? given : randomUUID();
    const context: RequestContext = { requestId, origin: undefined, sessionId: undefined, code: undefined };
    contexts.set(response, context);
    response.setHeader('X-Request-Id', requestId);
    response.once('close', () => {
      const line = {
        requestId,
        method: loggable(request.method),
        ...(request.route ? { route: String(request.route.path) } : { path: loggable(request.path) }),
        status: response.statusCode,
        ...(context.code && { code: context.code }),
        ...(context.sessionId && { sessionId: context.sessionId }),
        ...(!response.writableFinished && { isCut: true }),
        durationMs: Math.round(performance.now() - startedAtMs),
      };
      if (response.statusCode >= 500) log.warn(line, 'request');
      else log.info(line, 'request');
    });
    next();
  };
}
