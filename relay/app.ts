/** The relay from its parts: what the routes are, and in which order a request meets what. */
import type { Server } from 'node:http';
import express, { type Express, type Router } from 'express';
import helmet from 'helmet';
import type { AgentHost } from './agent-host/agent-host.ts';
import type { RelayConfig } from './config.ts';
import { assetRoutes, type WidgetAssets } from './http/asset-routes.ts';
import { healthRoutes } from './http/health-routes.ts';
import { closeWithinMs, createHttpServer } from './http/http-server.ts';
import { cors, originPolicy, refuseForeignPages } from './http/origins.ts';
import { notFound, problemAnswer } from './http/problem-answer.ts';
import { RateLimits } from './http/rate-limits.ts';
import { requestContext } from './http/request-context.ts';
import { sessionRoutes } from './http/session-routes.ts';
import { turnRoutes } from './http/turn-routes.ts';
import { verificationRoutes } from './http/verification-routes.ts';
import type { Log } from './log.ts';
import { Pulse } from './pulse.ts';
import type { Sealer } from './sealing/sealer.ts';
import type { CredentialDigests } from './sessions/credential-digests.ts';
import { Sessions } from './sessions/sessions.ts';
import type { Store } from './store/store.ts';
import { Followers } from './turns/follower.ts';
import { Turns } from './turns/turns.ts';
import type { Verifications } from './verification/verifications.ts';

export interface RelayParts {
  readonly config: RelayConfig;
  readonly store: Store;
  readonly sealer: Sealer;
  readonly agentHost: AgentHost;
  readonly log: Log;
  /** Absent: the relay serves no widget. */
  readonly assets?: WidgetAssets;
  /** Absent: nothing is ever released by visitors. */
  readonly verifications?: Verifications;
  /** Absent: no tools are called through this relay. */
  readonly tools?: RelayTools;
  /** The clock by which sessions end: Unix time in milliseconds. */
  readonly now?: () => number;
}

/** The tool gateway, as far as the relay knows it. */
export interface RelayTools {
  /** `/mcp` and `/mcp/{domain}`, which check pages and callers by rules of their own. */
  readonly routes: Router;
  readonly digests: CredentialDigests;
  /** Refuses new calls, lets running ones finish for up to `patienceMs`, cancels the rest. */
  close(patienceMs: number): Promise<void>;
}

export interface Relay {
  readonly app: Express;
  /** Not listening yet. */
  readonly server: Server;
  /**
   * Refuses new turns, lets running ones finish for up to `patienceMs` (30 s), interrupts the rest, then closes every
   * connection. The store stays open: who made it closes it.
   */
  close(patienceMs?: number): Promise<void>;
}

const SHUTDOWN_PATIENCE_MS = 30_000;
const CLOSE_PATIENCE_MS = 1_000;

export function createRelay(parts: RelayParts): Relay {
  const { config, store, agentHost, log, verifications, now = Date.now } = parts;
  const { allowedOrigins, applications, maxMessageBytes, toolCalls, turnGraceMs: graceMs } = config;
  let shuttingDown = false;
  const isShuttingDown = () => shuttingDown;
  const pulse = new Pulse();
  const sessions = new Sessions({ ...parts, ...(parts.tools && { digests: parts.tools.digests }), now });
  const limits = new RateLimits({ store, perMinute: config.limitsPerMinute, log, now });
  const admitMessage = (sessionId: string) => limits.admit('messages', sessionId);
  const beforeTurn = verifications?.beforeTurn.bind(verifications);
  const turns = new Turns({
    admitMessage,
    ...(beforeTurn && { beforeTurn }),
    ...{ agentHost, store, pulse, log, toolCalls, graceMs, now },
  });
  const followers = new Followers({ store, sessions, turns, pulse });
  const shared = {
    ...{ store, sessions, turns, followers, pulse, limits, applications, maxMessageBytes, isShuttingDown },
    verifications,
  };

  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false).set('trust proxy', config.trustedProxies);
  app.use(requestContext(log), helmet(SECURITY_HEADERS), noStore);
  if (parts.tools) app.use(parts.tools.routes);
  app.use(cors(originPolicy(allowedOrigins, config.host)));
  app.use(healthRoutes({ store, agentHost, log, isShuttingDown }));
  if (parts.assets) app.use(assetRoutes(parts.assets));
  app.use(refuseForeignPages(allowedOrigins, log));
  app.use(['/session', '/chat'], limits.everyRequest());
  app.use(sessionRoutes(shared), turnRoutes(shared));
  if (verifications) app.use(verificationRoutes({ ...shared, verifications }));
  app.use(notFound, problemAnswer(log));

  const server = createHttpServer(app);
  return {
    app,
    server,
    close: async (patienceMs = SHUTDOWN_PATIENCE_MS) => {
      shuttingDown = true;
      // The tools last: running turns may still need them.
      await turns.drain(patienceMs);
      await parts.tools?.close(CLOSE_PATIENCE_MS);
      await closeWithinMs(server, CLOSE_PATIENCE_MS);
    },
  };
}

/**
 * The answers are data, not pages: nothing in them may run, be framed or be taken in by another site. Whether a host is reached
 * by https alone is its owner's to say, who may serve more from it than the relay.
 */
const SECURITY_HEADERS: Parameters<typeof helmet>[0] = {
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  xFrameOptions: { action: 'deny' },
  strictTransportSecurity: false,
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
};

const noStore: express.RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  next();
};
