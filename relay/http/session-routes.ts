/** `POST /session`, `GET /session/{sessionId}`, `DELETE /session/{sessionId}`. */
import { type Request, type Response, Router } from 'express';
import { RelayError } from '../errors.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Store } from '../store/store.ts';
import { takeSnapshot } from '../turns/snapshot.ts';
import type { Turns } from '../turns/turns.ts';
import { invalidField, jsonBody, parseBody, startSessionBody } from './bodies.ts';
import { claimSession } from './claimed-session.ts';
import { signalOfLeaving } from './leaving.ts';
import type { RateLimits } from './rate-limits.ts';
import { contextOf } from './request-context.ts';

export function sessionRoutes(parts: {
  readonly sessions: Sessions;
  readonly turns: Turns;
  readonly store: Store;
  readonly limits: RateLimits;
  readonly applications: readonly string[];
  readonly maxMessageBytes: number;
  readonly isShuttingDown: () => boolean;
}): Router {
  const { sessions, turns, store, limits, applications } = parts;
  const routes = Router();

  routes.post('/session', jsonBody(parts.maxMessageBytes), async (request: Request, response: Response) => {
    if (parts.isShuttingDown()) throw new RelayError('shutting_down', { retryAfterMs: 5_000 });
    await limits.countAddress('sessions', request);
    const { userId, application = applications[0] ?? '' } = parseBody(startSessionBody, request.body);
    if (!applications.includes(application)) throw invalidField('application', application);
    const { origin } = contextOf(response);
    const { authorization } = request.headers;
    const started = await sessions.start({ userId, application, origin, authorization }, signalOfLeaving(response));
    contextOf(response).sessionId = started.sessionId;
    response.status(201).json(started);
  });

  routes.get('/session/:sessionId', async (request, response) => {
    const session = await claimSession(parts, request, response, request.params.sessionId);
    response.json(await takeSnapshot(store, turns, session));
  });

  routes.delete('/session/:sessionId', async (request, response) => {
    const { sessionId } = request.params;
    const session = await claimSession(parts, request, response, sessionId, { mayBeExpired: true });
    await sessions.end(session, request.headers.authorization);
    response.status(204).end();
  });

  return routes;
}
