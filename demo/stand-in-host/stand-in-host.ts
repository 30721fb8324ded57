import { createHash, timingSafeEqual } from 'node:crypto';
import express, { type Express, type Request, type Response } from 'express';
import { AgentTools } from './agent-tools.ts';
import { HostSessions } from './host-sessions.ts';
import { INITIAL_MESSAGE } from './phrases.ts';
import { playTurn } from './play-turn.ts';
import { type Pace, Turn } from './turn.ts';

export interface StandInHostOptions {
  readonly applicationId: string;
  /** The account's key, expected as `X-Api-Key`. */
  readonly apiKey: string;
  /** What visitors may send as `Authorization: Bearer …` in place of the key. */
  readonly visitorCredentials: readonly string[];
  /** The tool gateway's `/mcp`. */
  readonly toolsUrl: string;
  readonly pace: Pace;
  /** One line for the operator; never a message's text or a secret. */
  readonly log: (line: string) => void;
  /** Milliseconds since 1970; `Date.now` but in tests. */
  readonly now?: () => number;
}

/**
 * A server that speaks the agent host's protocol and plays fixed turns in place of a model's.
 * The documents name no statuses for refusals; those here are 400 for a wrong body, 401 for a missing and 403 for a wrong
 * credential or secret, 404 for an unknown application or session, and 410 for a session past its hour.
 */
export function createStandInHost(options: StandInHostOptions): Express {
  const { applicationId, toolsUrl, pace, log, now = Date.now } = options;
  const sessions = new HostSessions(now);

  const host = express();
  host.disable('x-powered-by');
  host.use('/stream/:applicationId', (request, response, next) => {
    const credential = readCredential(request, options);
    if (typeof credential === 'number') return refuse(response, credential, 'The credential is missing or not known.');
    if (request.params.applicationId !== applicationId) return refuse(response, 404, 'There is no such application.');
    response.locals.credential = credential;
    return next();
  });
  host.use(express.json({ limit: '1mb' }));

  host.post('/stream/:applicationId/session', (request, response) => {
    const userId: unknown = request.body?.userId;
    if (typeof userId !== 'string' || userId === '') return refuse(response, 400, 'userId must be a string.');
    const session = sessions.start(userId);
    log(`${session.sessionId} started; I follow fixed rules and am no AI model`);
    return response.json({
      sessionId: session.sessionId,
      userId,
      sessionSecret: session.sessionSecret,
      createdAt: new Date(session.createdAtMs).toISOString(),
      initialMessage: INITIAL_MESSAGE,
    });
  });

  host.post('/stream/:applicationId/chat', async (request, response) => {
    const { sessionId, message } = (request.body ?? {}) as { sessionId?: unknown; message?: unknown };
    const sessionSecret = request.get('x-session-secret');
    if (sessionSecret === undefined) return refuse(response, 401, 'The header x-session-secret is missing.');
    if (typeof sessionId !== 'string') return refuse(response, 400, 'sessionId must be a string.');
    if (typeof message !== 'string' || message.trim() === '') return refuse(response, 400, 'message must be a text.');
    const found = sessions.find(sessionId, sessionSecret);
    if (found.type === 'unknown') return refuse(response, 404, 'There is no such session.');
    if (found.type === 'wrong-secret') return refuse(response, 403, 'The session secret is wrong.');
    if (found.type === 'expired') return refuse(response, 410, 'The session has ended after an hour.');

    const { session } = found;
    const left = new AbortController();
    response.on('close', () => left.abort());
    const signal = AbortSignal.any([left.signal, session.ended.signal]);
    response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-cache' });
    const credential = response.locals.credential as string;
    const tools = new AgentTools(toolsUrl, credential);
    const turn = new Turn({ session, message, tools, pace, signal, response });
    const title = `${sessionId} turn ${session.turn}`;
    try {
      await playTurn(turn, { message, nowMs: now() }, (rule) => log(`${title}: rule “${rule}”`));
      log(`${title}: ended`);
    } catch (error) {
      if (!signal.aborted) throw error;
      log(`${title}: stopped, ${left.signal.aborted ? 'the caller has left' : 'the session was deleted'}`);
      response.end();
    } finally {
      await tools.close();
    }
    return undefined;
  });

  host.delete('/stream/:applicationId/session/:sessionId', (request, response) => {
    if (!sessions.end(request.params.sessionId)) return refuse(response, 404, 'There is no such session.');
    log(`${request.params.sessionId} deleted`);
    return response.status(204).end();
  });

  return host;
}

/** The credential without `Bearer`, or the status of the refusal. `Authorization` goes before the key. */
function readCredential(request: Request, { apiKey, visitorCredentials }: StandInHostOptions): string | 401 | 403 {
  const authorization = request.get('Authorization');
  const key = request.get('X-Api-Key');
  if (authorization !== undefined) {
    const token = authorization.replace(/^Bearer +/i, '');
    return visitorCredentials.some((known) => isSame(known, token)) ? token : 403;
  }
  if (key === undefined) return 401;
  return isSame(apiKey, key) ? key : 403;
}

function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

function refuse(response: Response, status: number, error: string): Response {
  return response.status(status).json({ error });
}
