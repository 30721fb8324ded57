/** An agent host of the tests' own, over HTTP: what it answers is set by the test, and what it was asked is kept. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HostRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface HostAnswer {
  readonly request: HostRequest;
  readonly response: ServerResponse;
  /** Sends one frame of the answer stream. False: the line is full. */
  frame(type: string, data: unknown): boolean;
  /** Resolves when the relay has closed the connection. */
  readonly left: Promise<unknown>;
}

type Answer = (answer: HostAnswer) => void | Promise<void>;

export interface ScriptedHost {
  readonly url: string;
  readonly requests: HostRequest[];
  readonly sessionSecret: string;
  /** What the next and all later messages are answered with. */
  onChat(answer: Answer): void;
  onSession(answer: Answer): void;
  onEnd(answer: Answer): void;
  /** The connections that are open now. */
  connectionCount(): Promise<number>;
  chats(): HostRequest[];
  [Symbol.asyncDispose](): Promise<void>;
}

export const TIMESTAMP = '2026-09-16T09:15:42Z';

/** Answers a message with these chunks, `complete` and `done`. */
export function say(...chunks: readonly string[]): Answer {
  return ({ frame, response }) => {
    for (const chunk of chunks) frame('chunk', { chunk, timestamp: TIMESTAMP });
    const content = chunks.join('');
    const response_ = { content, tokensUsed: 1420, maxTokens: 100_000, contextPercentage: 1.42 };
    frame('complete', { message: '', response: response_, timestamp: TIMESTAMP });
    frame('done', { timestamp: TIMESTAMP });
    response.end();
  };
}

export async function startScriptedHost(): Promise<ScriptedHost> {
  const requests: HostRequest[] = [];
  const sessionSecret = 'ssec-CANARY-p9QzT2mX_kLr8wYVdN3s';
  let sessions = 0;
  let onChat: Answer = say('Hello ', 'there');
  let onSession: Answer = ({ request, response }) => {
    sessions += 1;
    const { userId } = JSON.parse(request.body);
    const body = {
      sessionId: `session-CANARY-${sessions}`,
      userId,
      sessionSecret,
      createdAt: '2026-09-16T09:14:02.331904512Z',
      initialMessage: 'Hello! How can I assist you today?',
    };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(body));
  };
  let onEnd: Answer = ({ response }) => {
    response.statusCode = 204;
    response.end();
  };
  const server = createServer(async (incoming, response) => {
    const request = await read(incoming);
    requests.push(request);
    const isChat = incoming.url?.endsWith('/chat');
    if (isChat) response.setHeader('content-type', 'text/event-stream');
    const answer: HostAnswer = {
      request,
      response,
      frame: (type, data) => response.write(`type: ${type}\ndata: ${JSON.stringify(data)}\n\n`),
      left: once(response, 'close'),
    };
    if (incoming.method === 'HEAD') response.end();
    else await (incoming.method === 'DELETE' ? onEnd : isChat ? onChat : onSession)(answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    sessionSecret,
    onChat: (answer) => {
      onChat = answer;
    },
    onSession: (answer) => {
      onSession = answer;
    },
    onEnd: (answer) => {
      onEnd = answer;
    },
    connectionCount: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    chats: () => requests.filter(({ url }) => url.endsWith('/chat')),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function read(incoming: IncomingMessage): Promise<HostRequest> {
  let body = '';
  for await (const piece of incoming.setEncoding('utf8')) body += piece;
  return { method: incoming.method ?? '', url: incoming.url ?? '', headers: incoming.headers, body };
}
