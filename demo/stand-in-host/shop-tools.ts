import { idempotencyKey } from '../../relay/tool-gateway/idempotency-key.ts';

export type ToolName = 'create_order' | 'get_order' | 'list_products';

export interface ToolCall {
  readonly tool: ToolName;
  readonly input: Readonly<Record<string, unknown>>;
  readonly sessionId: string;
  readonly turn: number;
}

/** What the API answered. `body` is its JSON, also where it refused; a shop out of reach is told as a problem of ours. */
export interface ToolOutcome {
  readonly isError: boolean;
  /** The API knew the idempotency key and gave back what it had answered before. */
  readonly isReplay: boolean;
  readonly body: unknown;
}

/** Calls the order API on behalf of a conversation. */
export class ShopTools {
  readonly #shopApiUrl: string;

  /** `shopApiUrl` is the API's origin without a slash at the end. */
  constructor(shopApiUrl: string) {
    this.#shopApiUrl = shopApiUrl;
  }

  /**
   * One call of the API with the conversation's id, the call's idempotency key and the caller's credential as Bearer.
   * Rejects only with the signal's reason.
   */
  async call(
    { tool, input, sessionId, turn }: ToolCall,
    credential: string,
    signal: AbortSignal,
  ): Promise<ToolOutcome> {
    const { method, path, body } = toRequest(tool, input);
    try {
      const response = await fetch(`${this.#shopApiUrl}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${credential}`,
          'X-Session-Id': sessionId,
          'X-Idempotency-Key': idempotencyKey({ sessionId, turn: String(turn), tool, arguments: input }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        redirect: 'error',
        signal,
      });
      return {
        isError: !response.ok,
        isReplay: response.headers.get('Idempotent-Replayed') === 'true',
        body: await response.json(),
      };
    } catch {
      signal.throwIfAborted();
      const detail = 'The shop cannot be reached.';
      return { isError: true, isReplay: false, body: { code: 'unreachable', detail } };
    }
  }
}

function toRequest(tool: ToolName, input: Readonly<Record<string, unknown>>) {
  switch (tool) {
    case 'create_order':
      return { method: 'POST', path: '/orders', body: input };
    case 'get_order':
      return { method: 'GET', path: `/orders/${encodeURIComponent(String(input.orderId))}`, body: undefined };
    case 'list_products':
      return { method: 'GET', path: '/products', body: undefined };
  }
}
