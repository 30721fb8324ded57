/** `POST /session/{sessionId}/verification`: the visitor's answer to a transaction. It goes no further than this relay and its store. */
import { type Request, type Response, Router } from 'express';
import { RelayError } from '../errors.ts';
import type { VerificationAnswered } from '../protocol/requests.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Verifications, VisitorAnswer } from '../verification/verifications.ts';
import { invalidField, jsonBody, parseBody, verificationBody } from './bodies.ts';
import { claimSession } from './claimed-session.ts';
import type { RateLimits } from './rate-limits.ts';

const MAX_BODY_BYTES = 1_000;

export function verificationRoutes(parts: {
  readonly sessions: Sessions;
  readonly limits: RateLimits;
  readonly verifications: Verifications;
}): Router {
  const routes = Router();
  const path = '/session/:sessionId/verification';
  routes.post(path, jsonBody(MAX_BODY_BYTES), async (request: Request<{ sessionId: string }>, response: Response) => {
    const session = await claimSession(parts, request, response, request.params.sessionId);
    const body = parseBody(verificationBody, request.body);
    const { transactionId } = body;
    const outcome = await parts.verifications.answer(session.id, transactionId, answerOf(body));
    switch (outcome.type) {
      case 'verified':
      case 'declined': {
        const answered: VerificationAnswered = { transactionId, outcome: outcome.type };
        response.json(answered);
        return;
      }
      case 'wrong':
        throw new RelayError('wrong_code', { field: 'code', attemptsLeft: outcome.attemptsLeft });
      case 'locked':
        throw new RelayError('verification_locked', { field: 'code', attemptsLeft: 0 });
      case 'over':
        throw new RelayError(outcome.status === 'locked' ? 'verification_locked' : 'verification_over', {
          field: 'transactionId',
        });
      case 'unknown':
        throw new RelayError('verification_over', { field: 'transactionId' });
    }
  });
  return routes;
}

/** Exactly one of the three. */
function answerOf({ code, approve, decline }: ReturnType<typeof verificationBody.parse>): VisitorAnswer {
  if ([code, approve, decline].filter((given) => given !== undefined).length !== 1) throw invalidField('code', code);
  if (code !== undefined) return { type: 'code', code };
  return { type: approve ? 'approve' : 'decline' };
}
