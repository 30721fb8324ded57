/** `POST /mcp` and `POST /mcp/{domain}`: the tool gateway as an MCP server, in revision 2026-07-28 and those of 2025, stateless. */
import { once } from 'node:events';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  type CallToolResult,
  createMcpHandler,
  isInputRequiredResult,
  type ListToolsResult,
  type McpHttpHandler,
  ProtocolError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { RelayError } from '../errors.ts';
import { type Log, loggable } from '../log.ts';
import { normaliseOrigin } from '../origin.ts';
import type { Caller, CallerRule, Callers } from '../tool-gateway/callers.ts';
import type { Endpoint, ToolGateway } from '../tool-gateway/tool-gateway.ts';
import { SourceProtocolError, type SourceResult } from '../tool-gateway/tool-source.ts';

export interface McpRoutesParts {
  readonly gateway: ToolGateway;
  readonly callers: Callers;
  /** Read at each request: the configuration can change. */
  readonly rules: () => McpRules;
  /** Calls the listener after the tools have changed. */
  readonly onToolsChanged: (listener: () => void) => () => void;
  readonly log: Log;
}

export interface McpRules {
  readonly callers: CallerRule;
  /** Host names (with port where it is not the scheme's) under which the endpoint may be addressed; loopback always. */
  readonly allowedHosts: readonly string[];
  /** Origins of pages that may call: none unless listed. */
  readonly allowedOrigins: readonly string[];
  /** Names of the domains that have an endpoint of their own. */
  readonly domains: readonly string[];
  readonly maxBodyBytes: number;
}

export interface McpRoutes {
  readonly routes: Router;
  /** Refuses new requests, lets running ones finish for up to `patienceMs`, then cancels them. */
  close(patienceMs: number): Promise<void>;
}

const SERVER = { name: 'parley', version: '1' } as const;
const KEEP_ALIVE_MS = 10_000;

export function mcpRoutes(parts: McpRoutesParts): McpRoutes {
  const { gateway, callers, rules, log } = parts;
  const admitted = new WeakMap<globalThis.Request, Admitted>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const caller = requestInfo && admitted.get(requestInfo);
      if (!caller) throw new Error('a request was not admitted');
      return serverFor(gateway, caller);
    },
    { keepAliveMs: KEEP_ALIVE_MS, onerror: (error) => log.debug({ error: loggable(error.message) }, 'mcp') },
  );
  const endOfNotices = parts.onToolsChanged(() => handler.notify.toolsChanged());

  let isClosing = false;
  const running = new Set<Response>();
  const track = (response: Response) => {
    running.add(response);
    response.once('close', () => running.delete(response));
  };

  const known = new WeakMap<Response, Admitted>();
  /** Everything that the headers tell comes first: nobody's body is read who may not call. */
  const admit: RequestHandler = async (request, response, next) => {
    if (isClosing) throw new RelayError('shutting_down', { retryAfterMs: 5_000 });
    const { allowedHosts, allowedOrigins, domains, callers: rule } = rules();
    checkHost(request, allowedHosts);
    checkOrigin(request, allowedOrigins);
    if (request.method !== 'POST') {
      response.setHeader('Allow', 'POST');
      response.status(405).json(jsonRpcError(-32000, 'Method not allowed.'));
      return;
    }
    const endpoint = endpointOf(request, domains);
    const caller = await callers.admit(rule, (name) => request.get(name));
    if (!caller) {
      response.status(401).json(jsonRpcError(-32001, 'This caller may not use the tools of this relay.'));
      return;
    }
    known.set(response, { caller, endpoint });
    next();
  };
  const readBody: RequestHandler = (request, response, next) =>
    express.json({ limit: rules().maxBodyBytes, inflate: false })(request, response, next);
  const answer: RequestHandler = async (request: Request, response: Response) => {
    const caller = known.get(response);
    if (!caller) throw new Error('a request was not admitted');
    if (isOfUnknownSession(request)) {
      response.status(404).json(jsonRpcError(-32001, 'Session not found'));
      return;
    }
    const { body }: { body: unknown } = request;
    if (!isSubscription(body)) track(response);
    await toNodeHandler(admitting(handler, admitted, caller))(request, response as never, body);
  };

  const routes = Router();
  routes.all(['/mcp', '/mcp/:domain'], admit, readBody, answer);
  return {
    routes,
    close: async (patienceMs) => {
      isClosing = true;
      endOfNotices();
      const ended = [...running].map((response) => once(response, 'close'));
      const patience = AbortSignal.timeout(patienceMs);
      await Promise.race([Promise.all(ended), once(patience, 'abort')]);
      await handler.close();
    },
  };
}

interface Admitted {
  readonly caller: Caller;
  readonly endpoint: Endpoint;
}

/** A stream of notices lasts until its reader leaves; it is nothing to wait for. */
function isSubscription(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'method' in body && body.method === 'subscriptions/listen';
}

/** The factory gets the request and nothing else: whose it is must be found by it. */
function admitting(handler: McpHttpHandler, admitted: WeakMap<globalThis.Request, Admitted>, known: Admitted) {
  return {
    fetch: (request: globalThis.Request, options?: Parameters<McpHttpHandler['fetch']>[1]) => {
      admitted.set(request, known);
      return handler.fetch(request, options);
    },
  };
}

function serverFor(gateway: ToolGateway, { caller, endpoint }: Admitted): Server {
  const server = new Server(SERVER, {
    capabilities: { tools: { listChanged: true } },
    inputRequired: { legacyShim: false },
  });
  server.setRequestHandler('tools/list', async (_request, context) => {
    const tools = await gateway.listTools(endpoint, context.mcpReq.signal);
    return {
      tools: tools.map(({ domain: _, takesIdempotencyKey: __, ...tool }) => tool),
    } as unknown as ListToolsResult;
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const {
      _meta: meta = {},
      inputResponses,
      requestState,
    } = { ...context.mcpReq, requestState: context.mcpReq.requestState<string>() };
    try {
      const result = await gateway.callTool(
        {
          endpoint,
          caller,
          tool: params.name,
          arguments: params.arguments ?? {},
          meta,
          ...(inputResponses && { inputResponses }),
          ...(requestState !== undefined && { requestState }),
          ...progressTo(context),
        },
        context.mcpReq.signal,
      );
      return toWire(result);
    } catch (failure) {
      if (failure instanceof SourceProtocolError) throw new ProtocolError(failure.code, failure.message, failure.data);
      throw failure;
    }
  });
  return server;
}

function progressTo({ mcpReq }: ServerContext): Pick<Parameters<ToolGateway['callTool']>[0], 'onProgress'> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return {};
  return {
    onProgress: (progress) => {
      // Told for the caller's sake; one who has left misses nothing.
      mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...progress } }).catch(() => {});
    },
  };
}

function toWire(result: SourceResult): CallToolResult {
  if (!isInputRequiredResult(result)) return result as unknown as CallToolResult;
  const { content: _, ...inputRequired } = result as SourceResult;
  return inputRequired as unknown as CallToolResult;
}

/** Against a page whose own name has been made to point at this machine (DNS rebinding). */
function checkHost(request: Request, allowedHosts: readonly string[]): void {
  const host = request.headers.host?.toLowerCase() ?? '';
  const name = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
  const isLoopback = name === 'localhost' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
  if (isLoopback || allowedHosts.includes(host) || allowedHosts.includes(name)) return;
  throw new RelayError('origin_refused', { field: 'host', expected: 'a host name that mcp.allowedHosts lists' });
}

function checkOrigin(request: Request, allowedOrigins: readonly string[]): void {
  const header = request.headers.origin;
  if (header === undefined) return;
  const origin = normaliseOrigin(header);
  if (origin === undefined || !allowedOrigins.includes(origin)) throw new RelayError('origin_refused');
}

function endpointOf(request: Request, domains: readonly string[]): Endpoint {
  const { domain } = request.params;
  if (typeof domain !== 'string') return { domain: undefined };
  if (!domains.includes(domain)) throw new RelayError('not_found');
  return { domain };
}

/**
 * No session is ever given out here, so that any id is stale: 404 tells a client of a 2025 revision to initialise again, which
 * it may do with the stale id still there. Revision 2026-07-28 has no sessions and the header no meaning.
 */
function isOfUnknownSession(request: Request): boolean {
  if (request.headers['mcp-session-id'] === undefined) return false;
  if ((request.get('mcp-protocol-version') ?? '') >= '2026-07-28') return false;
  const { body }: { body: unknown } = request;
  return !(typeof body === 'object' && body !== null && 'method' in body && body.method === 'initialize');
}

function jsonRpcError(code: number, message: string) {
  return { jsonrpc: '2.0', error: { code, message }, id: null };
}
