import { createHash, timingSafeEqual } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import express, { type Express, type Request, type Response, Router } from 'express';
import { ApiProblem, answerProblem } from './api-problem.ts';
import { ReceivedHeaders } from './received-headers.ts';

export interface ApiOptions {
  /** The API description, served at `/openapi.yaml`. */
  readonly description: URL;
  /** Bearer values that the API accepts, each with the name of its owner. */
  readonly credentials: ReadonlyMap<string, string>;
  /** The API's own operations. */
  readonly addRoutes: (routes: Router) => void;
}

/**
 * What the demo's APIs have in common: nobody is answered without a known credential, every refusal has one shape, and
 * `GET /received-headers` tells which headers the others have sent, by name and length.
 */
export function createApi({ description, credentials, addRoutes }: ApiOptions): Express {
  const received = new ReceivedHeaders();
  const api = express();
  api.disable('x-powered-by');
  api.get('/openapi.yaml', (_request, response) => {
    response.type('application/yaml').sendFile(fileURLToPath(description));
  });

  api.use((request, response, next) => {
    response.locals.owner = readOwner(request, credentials);
    next();
  });
  api.get('/received-headers', (_request, response) => {
    response.json({ requests: received.listFor(ownerOf(response)) });
  });
  api.use((request, response, next) => {
    received.add(request, ownerOf(response));
    next();
  });
  api.use(express.json({ limit: '10kb' }));
  const routes = Router();
  addRoutes(routes);
  api.use(routes);

  api.use((request) => {
    throw new ApiProblem('not_found', { detail: `There is no ${request.method} ${request.path}.` });
  });
  api.use(answerProblem);
  return api;
}

/** Whose credential the request came with. */
export function ownerOf(response: Response): string {
  return response.locals.owner as string;
}

function readOwner(request: Request, credentials: ReadonlyMap<string, string>): string {
  const header = request.get('Authorization');
  if (header === undefined) {
    throw new ApiProblem('credential_missing', {
      detail: 'Send a credential.',
      field: 'Authorization',
      expected: 'Bearer <credential>',
    });
  }
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1];
  const digest = sha256(token ?? '');
  for (const [known, owner] of credentials) {
    if (timingSafeEqual(sha256(known), digest)) return owner;
  }
  throw new ApiProblem('credential_rejected', {
    detail: 'The credential is not known here.',
    field: 'Authorization',
    expected: 'Bearer <credential>',
  });
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
