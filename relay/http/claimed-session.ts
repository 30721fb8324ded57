/** Finds the session that a request is about, and counts the attempts that find none. */
import type { Request, Response } from 'express';
import { RelayError } from '../errors.ts';
import { SESSION_TOKEN_HEADER } from '../protocol/requests.ts';
import type { Session, Sessions } from '../sessions/sessions.ts';
import type { RateLimits } from './rate-limits.ts';
import { contextOf } from './request-context.ts';

/**
 * The session of `sessionId`, if the request carries its token. Throws `unknown_session`, `session_expired`, and `rate_limited`
 * in place of `unknown_session` for an address that has failed too often: a right token is still a right one.
 */
export async function claimSession(
  parts: { readonly sessions: Sessions; readonly limits: RateLimits },
  request: Request,
  response: Response,
  sessionId: string,
  options: { mayBeExpired?: boolean } = {},
): Promise<Session> {
  const context = contextOf(response);
  try {
    const token = request.get(SESSION_TOKEN_HEADER);
    const session = await parts.sessions.claim({ sessionId, token, origin: context.origin }, options);
    context.sessionId = session.id;
    return session;
  } catch (failure) {
    if (failure instanceof RelayError && failure.code === 'unknown_session') {
      await parts.limits.countAddress('failures', request);
    }
    throw failure;
  }
}
