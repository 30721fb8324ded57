/** The server in front of the routes: limits on what a connection may cost, and an answer to what is not HTTP. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout } from 'node:timers/promises';

const MAX_HEADER_BYTES = 16_384;
const HEADERS_WITHIN_MS = 10_000;
const REQUEST_WITHIN_MS = 15_000;
/** How often the two limits above are looked at. */
const CHECK_INTERVAL_MS = 2_000;
/** Longer than the minute for which proxies keep their connections: the side that closes first must not be ours. */
const KEEP_ALIVE_MS = 65_000;
const MAX_CONNECTIONS = 20_000;

/** Requests are only taken in the strict form: two lengths, odd line ends and the like are refused by Node's parser. */
export function createHttpServer(listener: RequestListener): Server {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_WITHIN_MS,
      requestTimeout: REQUEST_WITHIN_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      insecureHTTPParser: false,
      noDelay: true,
    },
    listener,
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.on('clientError', refuse);
  const answers = new Set<ServerResponse>();
  openAnswers.set(server, answers);
  server.on('request', (_request, response) => {
    answers.add(response);
    response.once('close', () => answers.delete(response));
  });
  return server;
}

const openAnswers = new WeakMap<Server, ReadonlySet<ServerResponse>>();

/** Takes no more connections, lets the open answers end for so long, and then closes every connection. */
export async function closeWithinMs(server: Server, patienceMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise((resolve) => server.close(resolve));
  const ends = [...(openAnswers.get(server) ?? [])].map(
    (answer) => new Promise((resolve) => answer.once('close', resolve)),
  );
  const patience = new AbortController();
  await Promise.race([Promise.all(ends), setTimeout(patienceMs, undefined, { signal: patience.signal })]);
  patience.abort();
  server.closeAllConnections();
  await closed;
}

const STATUS_OF_PARSER: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Says which kind of fault it was and nothing else: what came may be anything. */
function refuse(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = STATUS_OF_PARSER[error.code ?? ''] ?? '400 Bad Request';
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\r\n`,
  );
}
