/** Turns whatever a route throws into a problem answer (RFC 9457), and the unknown address too. */
import type { ServerResponse } from 'node:http';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { problemOf, RelayError, toRelayError } from '../errors.ts';
import { failureForLog, type Log } from '../log.ts';
import { ERROR_CODES } from '../protocol/error-codes.ts';
import { contextOf } from './request-context.ts';

export const notFound: RequestHandler = () => {
  throw new RelayError('not_found');
};

/** The last handler of the application. */
export function problemAnswer(log: Log): ErrorRequestHandler {
  return (thrown: unknown, request, response, _next) => {
    const error = ofExpress(thrown) ?? toRelayError(thrown);
    const context = contextOf(response);
    context.code = error.code;
    const { requestId } = context;
    const { cause } = error.details;
    if (error.code === 'internal_error')
      log.error({ requestId, err: cause, ...failureForLog(cause) }, 'internal error');
    else if (cause) log.warn({ requestId, code: error.code, ...failureForLog(cause) }, 'refused');
    // A stream that has begun cannot become a problem; cutting it tells the reader that its end is missing.
    if (response.headersSent) request.socket.destroy();
    else sendProblem(response, error, requestId);
  };
}

function sendProblem(response: ServerResponse, error: RelayError, requestId: string): void {
  const body = JSON.stringify(problemOf(error, requestId));
  response.statusCode = ERROR_CODES[error.code].status;
  response.setHeader('Content-Type', 'application/problem+json; charset=utf-8');
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  const { retryAfterMs } = error.details;
  if (retryAfterMs !== undefined) response.setHeader('Retry-After', Math.ceil(retryAfterMs / 1_000));
  response.end(body);
}

/** What Express and its body parser throw says with a status what is wrong; 4xx of theirs are the caller's fault. */
function ofExpress(thrown: unknown): RelayError | undefined {
  if (!(thrown instanceof Error) || !('status' in thrown) || typeof thrown.status !== 'number') return undefined;
  const { status } = thrown;
  if (status === 413) return new RelayError('message_too_long', { field: 'body' });
  if (status === 415) return new RelayError('unsupported_media_type');
  if (status >= 400 && status < 500) {
    const expected = 'type' in thrown && thrown.type === 'entity.parse.failed' ? 'a JSON object' : undefined;
    return expected
      ? new RelayError('invalid_request', { field: 'body', expected, received: 'a text that is not JSON' })
      : new RelayError('invalid_request');
  }
  return undefined;
}
