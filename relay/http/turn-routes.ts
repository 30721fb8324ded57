/** `POST /chat`, `GET /session/{sessionId}/events`, `POST /session/{sessionId}/stop`. */
import { randomUUID } from 'node:crypto';
import { type Request, type Response, Router } from 'express';
import { RelayError } from '../errors.ts';
import { CONTINUE_MESSAGE } from '../protocol/requests.ts';
import type { Pulse } from '../pulse.ts';
import { sessionLog } from '../sessions/session-record.ts';
import type { Session, Sessions } from '../sessions/sessions.ts';
import type { Store } from '../store/store.ts';
import type { Followers, FollowRequest } from '../turns/follower.ts';
import type { RunningTurn } from '../turns/running-turn.ts';
import type { Turns } from '../turns/turns.ts';
import type { Verifications } from '../verification/verifications.ts';
import { chatBody, checkMessageLength, invalidField, jsonBody, parseBody } from './bodies.ts';
import { claimSession } from './claimed-session.ts';
import { EventStreamResponse } from './event-stream-response.ts';
import { signalOfLeaving } from './leaving.ts';
import type { RateLimits } from './rate-limits.ts';
import { contextOf } from './request-context.ts';

/** A failure before the host's headers is a problem answer when it comes within this time, and an event of the stream later. */
const PROBLEM_WITHIN_MS = 5_000;

export function turnRoutes(parts: {
  readonly sessions: Sessions;
  readonly turns: Turns;
  readonly followers: Followers;
  readonly pulse: Pulse;
  readonly store: Store;
  readonly limits: RateLimits;
  readonly maxMessageBytes: number;
  readonly verifications: Verifications | undefined;
}): Router {
  const { sessions, turns } = parts;
  const routes = Router();

  routes.post('/chat', jsonBody(parts.maxMessageBytes), async (request: Request, response: Response) => {
    const { sessionId, message: said, continues, messageId = randomUUID() } = parseBody(chatBody, request.body);
    if ((said === undefined) === (continues === undefined)) throw invalidField('message', said);
    const message = said ?? CONTINUE_MESSAGE;
    checkMessageLength(message, parts.maxMessageBytes);
    const position = lastEventId(request);
    const session = await claimSession(parts, request, response, sessionId);
    const credential = await sessions.credentialFor(session, request.headers.authorization);
    const sessionSecret = sessions.secretOf(session);
    const { requestId } = contextOf(response);
    if (await parts.verifications?.hasLiveCode(session.id, message)) throw new RelayError('code_in_message', CODE_HELP);
    const begun = await turns.begin({ session, message, messageId, credential, sessionSecret, requestId, continues });
    // From here on the browser counts as a reader, so that its leaving is noticed before the stream begins.
    const unwatch = begun.running?.feed.watch();
    response.once('close', () => unwatch?.());
    if (response.destroyed) unwatch?.();
    if (begun.running) await startedOrLate(begun.running);
    const isComingBack = position !== undefined;
    await stream(parts, response, session, {
      afterSequence: position ?? begun.afterSequence,
      fromTurn: begun.turn,
      isComingBack,
    });
  });

  routes.get('/session/:sessionId/events', async (request, response) => {
    const position = lastEventId(request);
    const session = await claimSession(parts, request, response, request.params.sessionId);
    const { state, record } = await turns.state(session);
    // Not the turn's own end: what the visitor decides about a transaction is written beside it and after it.
    const { lastSequence } = await parts.store.readLog(sessionLog(session.id), Number.MAX_SAFE_INTEGER, 1);
    const isAnythingToCome = state !== 'none' || (position !== undefined && position < lastSequence);
    // Whoever asks for the headers alone waits for no events.
    if (!isAnythingToCome || request.method === 'HEAD') {
      response.status(204).end();
      return;
    }
    const isComingBack = position !== undefined;
    const afterSequence = position ?? record?.afterSequence ?? 0;
    const fromTurn = isComingBack ? 0 : (record?.turn ?? 0);
    await stream(parts, response, session, { afterSequence, fromTurn, isComingBack });
  });

  routes.post('/session/:sessionId/stop', async (request, response) => {
    const session = await claimSession(parts, request, response, request.params.sessionId);
    await turns.stop(session);
    response.status(204).end();
  });

  return routes;
}

const CODE_HELP = {
  field: 'message',
  expected: 'a message without the code',
  received: 'a message with a number that may be the code',
  example: 'Type the code into the dialog that asks for it, or decline there.',
};

/** Rejects with the reason when the turn fails soon and before its stream has begun. */
async function startedOrLate(turn: RunningTurn): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, PROBLEM_WITHIN_MS);
  try {
    await Promise.race([turn.started, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function stream(
  parts: { readonly followers: Followers; readonly pulse: Pulse },
  response: Response,
  session: Session,
  from: Pick<FollowRequest, 'afterSequence' | 'fromTurn' | 'isComingBack'>,
): Promise<void> {
  if (response.destroyed) return;
  const signal = signalOfLeaving(response);
  const { socket } = response;
  const outlet = new EventStreamResponse(response, parts.pulse);
  try {
    await parts.followers.follow({ session, ...from, outlet }, signal);
    outlet.end();
  } catch (failure) {
    // Leaving is no failure, and a line that breaks is a way of leaving.
    if (!signal.aborted && !socket?.errored) throw failure;
  }
}

/** The sequence of `Last-Event-ID: <turn>:<sequence>`; undefined: not given. Throws `invalid_request` for any other form. */
function lastEventId(request: Request): number | undefined {
  const text = request.get('last-event-id');
  if (text === undefined || text === '') return undefined;
  const sequence = /^\d{1,10}:(\d{1,15})$/.exec(text)?.[1];
  if (sequence !== undefined) return Number(sequence);
  throw new RelayError('invalid_request', {
    field: 'last-event-id',
    expected: 'the id of an event, as it came',
    received: 'another text',
    example: '3:17',
  });
}
