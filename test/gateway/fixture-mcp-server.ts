/** MCP servers of the tests' own on the 1.x SDK, stateful over HTTP as most of the field is, with everything that they were asked. */

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server as HttpServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolRequestSchema, isInitializeRequest, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { FIXTURE_TOOLS, runFixtureTool } from './fixture-tools.ts';

export interface SeenCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
  /** Of the HTTP request. */
  readonly headers: IncomingHttpHeaders;
}

export interface FixtureMcpServer {
  readonly url: string;
  readonly calls: SeenCall[];
  readonly requests: {
    readonly method: string;
    readonly headers: IncomingHttpHeaders;
    readonly rpc: string | undefined;
  }[];
  /** How often a client has initialised. */
  readonly initialisations: () => number;
  /** Calls that were cancelled. */
  readonly cancelled: string[];
  /** Forgets all sessions, as a server does that is started anew. */
  restart(): void;
  /** Adds or takes away a tool and tells every client. */
  setTools(tools: typeof FIXTURE_TOOLS): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startFixtureMcpServer(
  options: { staleStatus?: 404 | 400; pageSize?: number } = {},
): Promise<FixtureMcpServer> {
  const { staleStatus = 404, pageSize = 2 } = options;
  const calls: SeenCall[] = [];
  const requests: FixtureMcpServer['requests'] = [];
  const cancelled: string[] = [];
  const sessions = new Map<string, { transport: StreamableHTTPServerTransport; server: Server }>();
  let tools = FIXTURE_TOOLS;
  let initialisations = 0;

  const newServer = (): Server => {
    const server = new Server(
      { name: 'fixture', version: '1.0.0' },
      { capabilities: { tools: { listChanged: true } } },
    );
    server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
      const from = Number(params?.cursor ?? 0);
      const next = from + pageSize;
      return { tools: tools.slice(from, next), ...(next < tools.length && { nextCursor: String(next) }) };
    });
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
      const { name, arguments: args = {}, _meta: meta = {} } = params;
      calls.push({
        tool: name,
        arguments: args,
        meta,
        headers: (extra.requestInfo?.headers ?? {}) as IncomingHttpHeaders,
      });
      extra.signal.addEventListener('abort', () => cancelled.push(name), { once: true });
      return runFixtureTool(name, args, meta, {
        signal: extra.signal,
        progress: (progress, total, message) =>
          extra.sendNotification({
            method: 'notifications/progress',
            params: { progressToken: meta.progressToken ?? 0, progress, total, message },
          }),
      });
    });
    return server;
  };

  const http: HttpServer = createServer(async (request, response) => {
    const body = request.method === 'POST' ? await readJson(request) : undefined;
    const rpc = typeof body === 'object' && body !== null && 'method' in body ? String(body.method) : undefined;
    requests.push({ method: request.method ?? '', headers: request.headers, rpc });
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (known) return known.transport.handleRequest(request, response, body);
    if (!isInitializeRequest(body)) {
      response.writeHead(id === undefined ? 400 : staleStatus, { 'content-type': 'application/json' });
      const message = 'Bad Request: No valid session ID provided';
      response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }));
      return;
    }
    initialisations += 1;
    const server = newServer();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sessionId) => void sessions.set(sessionId, { transport, server }),
    });
    await server.connect(transport as unknown as Transport);
    await transport.handleRequest(request, response, body);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');

  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    calls,
    requests,
    cancelled,
    initialisations: () => initialisations,
    restart: () => {
      for (const { transport } of sessions.values()) void transport.close();
      sessions.clear();
    },
    setTools: async (changed) => {
      tools = changed;
      await Promise.all([...sessions.values()].map(({ server }) => server.sendToolListChanged()));
    },
    [Symbol.asyncDispose]: async () => {
      for (const { transport } of sessions.values()) void transport.close();
      const closed = new Promise((resolve) => http.close(resolve));
      http.closeAllConnections();
      await closed;
    },
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
