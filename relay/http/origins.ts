/**
 * Which pages may use the relay. Origins are compared in the one form of `normaliseOrigin` and never by pattern. A caller without
 * an `Origin` is not a page of another site (browsers name it in every request to another origin) and is let through: what it may
 * do depends on its token.
 */
import type { RequestHandler } from 'express';
import { RelayError } from '../errors.ts';
import { type Log, loggable } from '../log.ts';
import { normaliseOrigin } from '../origin.ts';
import { SESSION_TOKEN_HEADER } from '../protocol/requests.ts';
import { contextOf } from './request-context.ts';

export interface OriginPolicy {
  /** The page's origin in its normal form when it may use the relay. */
  admit(originHeader: string): string | undefined;
}

/** `allowed` undefined: pages of this machine when the relay listens on loopback only, none otherwise. */
export function originPolicy(allowed: readonly string[] | undefined, listensOn: string): OriginPolicy {
  const listed = new Set(allowed);
  const isDevelopment = allowed === undefined && isLoopbackHost(listensOn);
  return {
    admit: (header) => {
      const origin = normaliseOrigin(header);
      if (origin === undefined) return undefined;
      return listed.has(origin) || (isDevelopment && isLoopbackHost(new URL(origin).hostname)) ? origin : undefined;
    },
  };
}

/** True for names and addresses of this machine alone. */
export function isLoopbackHost(host: string): boolean {
  return (
    host === 'localhost' || host.endsWith('.localhost') || /^127(\.\d{1,3}){3}$/.test(host) || /^\[?::1\]?$/.test(host)
  );
}

const ALLOWED_HEADERS = `authorization, content-type, last-event-id, ${SESSION_TOKEN_HEADER}`;
const EXPOSED_HEADERS = 'retry-after, x-request-id';
const PREFLIGHT_SECONDS = 600;

/** Answers preflights, marks answers as readable by an admitted page, and notes the page's origin in the context. */
export function cors(policy: OriginPolicy): RequestHandler {
  return (request, response, next) => {
    response.vary('Origin');
    const header = request.headers.origin;
    const origin = header === undefined ? undefined : policy.admit(header);
    if (header !== undefined && origin !== undefined) {
      contextOf(response).origin = origin;
      response.setHeader('Access-Control-Allow-Origin', header);
      response.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
      if (request.method === 'OPTIONS' && request.headers['access-control-request-method']) {
        response.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE');
        response.setHeader('Access-Control-Allow-Headers', ALLOWED_HEADERS);
        response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
        response.status(204).end();
        return;
      }
    }
    next();
  };
}

/** Refuses pages that `cors` has not admitted. The log says which line would admit them. */
export function refuseForeignPages(allowed: readonly string[] | undefined, log: Log): RequestHandler {
  return (request, response, next) => {
    const header = request.headers.origin;
    const context = contextOf(response);
    if (header === undefined || context.origin !== undefined) return next();
    const origin = normaliseOrigin(header);
    const hint = origin && `ALLOWED_ORIGINS=${[...(allowed ?? []), origin].map(loggable).join(',')}`;
    const line = { requestId: context.requestId, origin: loggable(header), ...(hint && { toAdmitIt: hint }) };
    log.warn(line, hint ? `a page was refused; to admit it, set ${hint}` : 'a page without an origin was refused');
    throw new RelayError('origin_refused');
  };
}
