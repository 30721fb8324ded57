import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { ANSWER_LOST, createMcpPost, type McpPost } from './mcp-post.ts';
import type { SourceCredential } from './tool-source.ts';

type SendOptions = NonNullable<Parameters<StreamableHTTPClientTransport['send']>[1]>;

/** A lost stream of notifications is taken up again for as long as the link is used. */
const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 1_000,
} as const;

const CONNECTION_CLOSED = -32_000;

/**
 * Streamable HTTP as a gateway needs it. The package's transport lets a call wait for ever when the answer's stream ends
 * without one, and leaves the stream of a cancelled call open: here the call fails (`ANSWER_LOST`), and the stream is closed.
 * The credential stands in every request of the connection; nothing else of any caller does.
 */
export class McpHttpTransport extends StreamableHTTPClientTransport {
  readonly #waiting = new Map<RequestId, AbortController>();

  readonly #post: McpPost;

  constructor(url: URL, credential: SourceCredential | undefined, onSessionGone: () => void) {
    const post = createMcpPost((message) => this.onmessage?.(message));
    super(url, {
      requestInit: { headers: credentialHeader(credential) },
      reconnectionOptions: RECONNECTION,
      onInsufficientScope: 'throw',
      fetch: async (target, init) => {
        const headers = new Headers(init?.headers);
        const response = await fetchOrPost(post, new URL(target), headers, init);
        // The transport would ask for its stream again for ever; what it waits for has gone with the session.
        if (headers.has('mcp-session-id') && (await saysSessionIsGone(response))) onSessionGone();
        return response;
      },
    });
    this.#post = post;
    // The client calls this before its own listener.
    this.onmessage = (message) => {
      if (!('method' in message) && message.id !== undefined) this.#waiting.delete(message.id);
    };
  }

  override async send(message: JSONRPCMessage | JSONRPCMessage[], options: SendOptions = {}): Promise<void> {
    if (Array.isArray(message) || !isJSONRPCRequest(message)) {
      await super.send(message, options);
      if (!Array.isArray(message)) this.#closeCancelled(message);
      return;
    }
    const { id } = message;
    const closing = new AbortController();
    this.#waiting.set(id, closing);
    const { requestSignal } = options;
    const signal = requestSignal ? AbortSignal.any([requestSignal, closing.signal]) : closing.signal;
    try {
      await super.send(message, { ...options, requestSignal: signal, onRequestStreamEnd: () => this.#failWaiting(id) });
    } catch (failure) {
      this.#waiting.delete(id);
      throw failure;
    }
  }

  override async close(): Promise<void> {
    await super.close();
    this.#post.close();
  }

  #failWaiting(id: RequestId): void {
    if (!this.#waiting.delete(id)) return;
    this.onmessage?.({ jsonrpc: '2.0', id, error: { code: CONNECTION_CLOSED, message: ANSWER_LOST } });
  }

  /** Once the server knows, the stream of the call is of no use. */
  #closeCancelled(message: JSONRPCMessage): void {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return;
    const id = message.params?.requestId as RequestId;
    this.#waiting.get(id)?.abort();
    this.#waiting.delete(id);
  }
}

/** Streams that last (notifications, subscriptions) are the platform's; what is answered once is `mcp-post`'s. */
function fetchOrPost(post: McpPost, url: URL, headers: Headers, init: RequestInit = {}): Promise<Response> {
  const { method, body, signal } = init;
  const isLasting = headers.get('mcp-method') === 'subscriptions/listen';
  if (method !== 'POST' || typeof body !== 'string' || isLasting) return fetch(url, init);
  return post.post(url, { headers, body, signal: signal ?? undefined });
}

/** 404 by the specification; servers made from its widely copied example answer 400 and name the session. */
async function saysSessionIsGone(response: Response): Promise<boolean> {
  if (response.status === 404) return true;
  return response.status === 400 && namesSession(await response.clone().text());
}

/** Whether the text of a 400 is about the session and not about the call. */
export function namesSession(text: string): boolean {
  return /session|not initialized/i.test(text);
}

function credentialHeader(credential: SourceCredential | undefined): Record<string, string> {
  if (!credential) return {};
  return credential.type === 'authorization' ? { Authorization: credential.value } : { 'X-Api-Key': credential.value };
}
