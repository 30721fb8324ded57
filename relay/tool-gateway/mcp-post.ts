/**
 * The POST requests of an MCP client over Node's own HTTP client, in the form of `fetch`. The platform's `fetch` with its
 * streams costs several times as much, and a gateway makes one such request for each call.
 */
import * as http from 'node:http';
import * as https from 'node:https';
import { Readable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { EventStreamReader } from './event-stream-reader.ts';

/** Servers close idle connections after 5 s and more; one that is used longer might be closed in the very moment of a call. */
const IDLE_CONNECTION_MS = 4_000;
const POOLING = { keepAlive: true, timeout: IDLE_CONNECTION_MS, maxFreeSockets: 64 } as const;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Stands in the error that takes the place of an answer that will not come. */
export const ANSWER_LOST = 'the server ended the answer before its end';

export interface McpPost {
  post(url: URL, init: PostInit): Promise<Response>;
  close(): void;
}

interface PostInit {
  readonly headers: Headers;
  readonly body: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * `onMessage` gets what comes before the answer in its stream. The answer itself is given as JSON, also when it came as a
 * stream; only a stream that can be taken up again (its events have ids) is passed on as it is.
 */
export function createMcpPost(onMessage: (message: JSONRPCMessage) => void): McpPost {
  const agents = { http: new http.Agent(POOLING), https: new https.Agent(POOLING) };
  return {
    post: async (url, init) => {
      const answer = await send(url, init, agents);
      const headers = headersOf(answer);
      const { statusCode: status = 0, statusMessage: statusText = '' } = answer;
      const isStream = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
      if (isStream && status === 200) return readStream(answer, headers, onMessage);
      const body = await readAll(answer);
      const hasBody = body.length > 0 && ![204, 205, 304].includes(status);
      return new Response(hasBody ? body : null, { status, statusText, headers });
    },
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function send(
  url: URL,
  { headers, body, signal }: PostInit,
  agents: { readonly http: http.Agent; readonly https: https.Agent },
): Promise<http.IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const isSecure = url.protocol === 'https:';
  const request = (isSecure ? https.request : http.request)(url, {
    method: 'POST',
    headers: { ...Object.fromEntries(headers), 'content-length': Buffer.byteLength(body) },
    agent: isSecure ? agents.https : agents.http,
    ...(signal && { signal }),
  });
  // Stays for the whole life of the request: an error without a listener would end the process.
  request.on('error', reject);
  request.once('upgrade', (_, socket) => {
    socket.destroy();
    reject(new Error('the server wants to change to another protocol'));
  });
  request.once('response', (response) => {
    response.on('error', () => {});
    resolve(response);
  });
  request.end(body);
  return promise;
}

async function readAll(answer: http.IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads by events, not by iterator: an iterator that is left early takes the connection with it. */
function readStream(
  answer: http.IncomingMessage,
  headers: Headers,
  onMessage: (message: JSONRPCMessage) => void,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const reader = new EventStreamReader();
  let bytes = 0;
  let isFirst = true;
  const settle = () => {
    answer.off('data', onData);
    // What comes after the answer is nothing, and the connection is free for the next call.
    answer.resume();
  };
  const takeEvents = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`);
    for (const { type, id, data } of reader.push(chunk)) {
      if (isFirst && id !== undefined) {
        answer.off('data', onData).pause();
        answer.unshift(chunk);
        resolve(new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array<ArrayBuffer>>, { headers }));
        return;
      }
      isFirst = false;
      if (data === '' || (type !== undefined && type !== 'message')) continue;
      const message = JSON.parse(data) as JSONRPCMessage;
      if ('method' in message) {
        onMessage(message);
        continue;
      }
      settle();
      headers.set('content-type', 'application/json');
      resolve(Object.assign(new Response(null, { headers }), { json: async () => message }));
      return;
    }
  };
  const onData = (chunk: Buffer) => {
    try {
      takeEvents(chunk);
    } catch (failure) {
      reject(failure);
      answer.destroy();
    }
  };
  answer.on('data', onData);
  answer.once('close', () => reject(new Error(ANSWER_LOST)));
  return promise;
}

function headersOf({ rawHeaders }: http.IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  return headers;
}
