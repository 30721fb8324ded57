/** One HTTP request and the whole of its answer, up to a limit. Redirects are not followed here, nothing is repeated. */
import * as http from 'node:http';
import * as https from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { AddressRefused, bareHost } from './address-policy.ts';
import type { ApiRequest } from './build-request.ts';

export interface ReceivedAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly retryAfter: readonly string[] | undefined;
  readonly bytes: Buffer;
  /** The answer is longer than the limit; `bytes` is its beginning. */
  readonly isCut: boolean;
}

/** There was no whole answer. */
export class ExchangeFailed extends Error {
  override readonly name = 'ExchangeFailed';
  /** `interrupted`: before the first byte of the answer's body; `answer-broken`: after it. */
  readonly reason: 'timeout' | 'unreachable' | 'address-refused' | 'interrupted' | 'answer-broken' | 'not-http';
  /** The API may have received the request and acted on it. */
  readonly mayHaveArrived: boolean;

  constructor(reason: ExchangeFailed['reason'], mayHaveArrived: boolean, message: string) {
    super(message);
    this.reason = reason;
    this.mayHaveArrived = mayHaveArrived;
  }
}

interface ExchangeOptions {
  readonly agents: { readonly http: http.Agent; readonly https: https.Agent };
  /** Until the last byte of the answer. */
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
}

/** Throws `ExchangeFailed` or the signal's reason; in both cases the connection is closed. */
export async function exchange(
  request: ApiRequest,
  options: ExchangeOptions,
  signal: AbortSignal,
): Promise<ReceivedAnswer> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<ReceivedAnswer>();
  const isSecure = request.server.protocol === 'https:';
  const sent = (isSecure ? https.request : http.request)({
    protocol: request.server.protocol,
    hostname: bareHost(request.server),
    port: request.server.port,
    method: request.method,
    path: request.path,
    headers: request.headers,
    agent: isSecure ? options.agents.https : options.agents.http,
  });
  let isConnected = false;
  sent.once('socket', (socket) => {
    if (!socket.connecting) isConnected = true;
    else socket.once(isSecure ? 'secureConnect' : 'connect', () => (isConnected = true));
  });
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => {
    reject(new ExchangeFailed('timeout', isConnected, `no whole answer within ${options.timeoutMs} ms`));
  }, options.timeoutMs);

  // Stays for the whole life of the request: an error without a listener would end the process.
  sent.on('error', (error: NodeJS.ErrnoException) => reject(failureOf(error, isConnected)));
  sent.once('upgrade', (_, socket) => {
    socket.destroy();
    reject(new ExchangeFailed('not-http', true, 'the API wants to change to another protocol'));
  });
  sent.once('response', (response) => {
    readAnswer(response, options.maxAnswerBytes).then(resolve, (error: Error) => {
      reject(new ExchangeFailed('answer-broken', true, error.message));
    });
  });
  sent.end(request.body);
  try {
    const answer = await promise;
    if (answer.isCut) sent.destroy();
    return answer;
  } catch (error) {
    sent.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

function failureOf(error: NodeJS.ErrnoException, isConnected: boolean): ExchangeFailed {
  if (error instanceof AddressRefused) return new ExchangeFailed('address-refused', false, error.message);
  const code = error.code ?? error.name;
  if (code.startsWith('HPE_')) return new ExchangeFailed('not-http', true, `the answer is not HTTP (${code})`);
  return isConnected
    ? new ExchangeFailed('interrupted', true, `the connection ended before the answer (${code})`)
    : new ExchangeFailed('unreachable', false, `no connection (${code})`);
}

async function readAnswer(response: http.IncomingMessage, maxBytes: number): Promise<ReceivedAnswer> {
  const pieces: Buffer[] = [];
  let length = 0;
  let isCut = false;
  for await (const piece of decoded(response) as AsyncIterable<Buffer>) {
    pieces.push(piece);
    length += piece.length;
    if (length > maxBytes) {
      isCut = true;
      break;
    }
  }
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    retryAfter: response.headersDistinct['retry-after'],
    bytes: Buffer.concat(pieces).subarray(0, maxBytes),
    isCut,
  };
}

/** Compression is not asked for, but some servers compress all the same. */
function decoded(response: http.IncomingMessage): Readable {
  const coding = response.headers['content-encoding']?.trim().toLowerCase();
  const decoder =
    coding === 'gzip' || coding === 'x-gzip'
      ? createGunzip()
      : coding === 'deflate'
        ? createInflate()
        : coding === 'br'
          ? createBrotliDecompress()
          : undefined;
  // What goes wrong in between reaches the reader through the decoder, which the pipeline destroys.
  return decoder ? pipeline(response, decoder, () => {}) : response;
}
