import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { z } from 'zod';
import { idempotencyKey } from '../../relay/tool-gateway/idempotency-key.ts';

/** Longer than the relay lets a call wait for the visitor and the API together. */
const CALL_LIMIT_MS = 58_000;

export interface ToolCall {
  /** As the tool gateway lists it, e.g. `orders_create_order`. */
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly sessionId: string;
  readonly turn: number;
}

/** What the tool answered. A gateway out of reach is told as an error of ours, `unreachable`. */
export interface ToolOutcome {
  readonly isError: boolean;
  /** The idempotency key was known, and what it had led to before was given back. */
  readonly isReplay: boolean;
  /** As it came, for the stream. */
  readonly content: readonly unknown[];
  /** The text of the content as JSON, or the text itself. */
  readonly body: unknown;
}

const toolResult = z.object({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  isError: z.boolean().optional(),
  _meta: z.looseObject({ 'parley/replay': z.boolean().optional() }).optional(),
});

/** The tool gateway as the agent of one turn sees it: an MCP server, reached with the credential of whoever it acts for. */
export class AgentTools {
  readonly #url: URL;
  readonly #credential: string;
  #client: Promise<Client> | undefined;

  /** `url` is the gateway's `/mcp`, `credential` without `Bearer`. */
  constructor(url: string, credential: string) {
    this.#url = new URL(url);
    this.#credential = credential;
  }

  /**
   * One `tools/call` with the conversation's id and the call's idempotency key in `_meta`. Rejects only with the signal's reason.
   * Source: the agent host's description of the metadata of a tool call.
   */
  async call({ tool, input, sessionId, turn }: ToolCall, signal: AbortSignal): Promise<ToolOutcome> {
    const key = idempotencyKey({ sessionId, turn: String(turn), tool, arguments: input });
    try {
      this.#client ??= this.#connect();
      const client = await this.#client;
      const result = await client.callTool(
        { name: tool, arguments: { ...input }, _meta: { sessionId, idempotencyKey: key } },
        undefined,
        { signal, timeout: CALL_LIMIT_MS },
      );
      const { content, isError = false, _meta } = toolResult.parse(result);
      const text = content.map((part) => part.text ?? '').join('');
      return { isError, isReplay: _meta?.['parley/replay'] === true, content, body: asJson(text) };
    } catch {
      signal.throwIfAborted();
      const body = { code: 'unreachable', hint: 'The tools cannot be reached.' };
      return { isError: true, isReplay: false, content: [{ type: 'text', text: JSON.stringify(body) }], body };
    }
  }

  /** Ends the connection, if one was needed. */
  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client?.close();
  }

  async #connect(): Promise<Client> {
    const client = new Client({ name: 'stand-in-agent-host', version: '1.0.0' });
    const requestInit = { headers: { Authorization: `Bearer ${this.#credential}` } };
    // The package's own types do not fit each other where optional members are exact.
    await client.connect(new StreamableHTTPClientTransport(this.#url, { requestInit }) as unknown as Transport);
    return client;
  }
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
