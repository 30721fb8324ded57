import { ProtocolError, SdkHttpError, SERVER_INFO_META_KEY, type Tool } from '@modelcontextprotocol/client';
import { failureForLog, type Log, loggable } from '../log.ts';
import type { ToolError } from '../tool-policy/tool-error.ts';
import { namesSession } from './mcp-http-transport.ts';
import { type McpLink, type McpServerAddress, openMcpLink } from './mcp-link.ts';
import { type HeldLink, LinkPausedError, McpLinks } from './mcp-links.ts';
import { ANSWER_LOST } from './mcp-post.ts';
import {
  OUTCOME_UNKNOWN_META,
  type SourceCall,
  type SourceCredential,
  SourceProtocolError,
  type SourceResult,
  type SourceTool,
  type ToolSource,
  toolErrorResult,
} from './tool-source.ts';

export interface McpServerSourceParts {
  readonly address: McpServerAddress;
  /** By which the tools are listed: a domain's fixed credential. Visitors' credentials list nothing. */
  readonly listingCredential: SourceCredential | undefined;
  readonly log: Log;
  readonly connectTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 15_000;
/** Longer than any gateway's time-out for a call: that one decides, and aborts the signal. */
const CALL_TIMEOUT_MS = 2_147_483_647;

/** The tools of an MCP server, over Streamable HTTP or as a child process (stdio): as they are, call for call. */
export class McpServerSource implements ToolSource {
  readonly #parts: McpServerSourceParts;
  readonly #links: McpLinks;
  readonly #listeners = new Set<() => void>();
  #tools: Promise<readonly SourceTool[]> | undefined;
  #toolsByName = new Map<string, Tool>();
  /** The link whose server has told the tools; another one may be another server's. */
  #listedOver: McpLink | undefined;

  constructor(parts: McpServerSourceParts) {
    this.#parts = parts;
    const { address, log, connectTimeoutMs: timeoutMs = CONNECT_TIMEOUT_MS } = parts;
    this.#links = new McpLinks((credential) =>
      openMcpLink({
        address,
        credential,
        timeoutMs,
        onToolsChanged: () => this.#forgetTools(),
        onNote: (note) => log.debug({ note: loggable(note) }, 'a server behind the gateway'),
      }),
    );
  }

  async listTools(signal: AbortSignal): Promise<readonly SourceTool[]> {
    if (this.#listedOver?.ended.aborted) this.#tools = undefined;
    this.#tools ??= this.#readTools();
    const reading = this.#tools;
    reading.catch(() => {
      if (this.#tools === reading) this.#tools = undefined;
    });
    return orAborted(reading, signal);
  }

  async callTool(call: SourceCall, signal: AbortSignal): Promise<SourceResult> {
    signal.throwIfAborted();
    try {
      return await this.#call(call, signal);
    } catch (failure) {
      // The server does not know its session any more, so that it has not run the call: once more, over a new one.
      if (!isSessionGone(failure)) return this.#failed(failure, signal);
    }
    try {
      return await this.#call(call, signal);
    } catch (failure) {
      return this.#failed(failure, signal);
    }
  }

  onChange(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#links.close();
  }

  async #call(call: SourceCall, signal: AbortSignal): Promise<SourceResult> {
    const held = await this.#hold(call.credential, signal);
    try {
      const definition = this.#toolsByName.get(call.name);
      const { onProgress } = call;
      const answer: unknown = await held.link.client.callTool(
        {
          name: call.name,
          arguments: { ...call.arguments },
          ...(Object.keys(call.meta).length > 0 && { _meta: { ...call.meta } }),
          ...(call.inputResponses && { inputResponses: call.inputResponses }),
          ...(call.requestState !== undefined && { requestState: call.requestState }),
        } as Parameters<McpLink['client']['callTool']>[0],
        {
          // Named, so that the client sends the headers that its schema asks for. It does not judge the answer.
          ...(definition && { toolDefinition: definition }),
          allowInputRequired: true,
          signal,
          timeout: CALL_TIMEOUT_MS,
          ...(onProgress && {
            onprogress: ({ progress, total, message }) =>
              onProgress({
                progress,
                ...(total !== undefined && { total }),
                ...(message !== undefined && { message }),
              }),
          }),
        },
      );
      return toSourceResult(answer);
    } finally {
      held.release();
    }
  }

  /** Waiting for a link ends with the caller; opening it does not. */
  async #hold(credential: SourceCredential | undefined, signal: AbortSignal): Promise<HeldLink> {
    const holding = this.#links.hold(credential);
    try {
      return await orAborted(holding, signal);
    } catch (failure) {
      if (signal.aborted) holding.then((held) => held.release()).catch(() => {});
      else if (!(failure instanceof LinkPausedError)) throw new NotConnectedError(failure);
      throw failure;
    }
  }

  async #readTools(): Promise<readonly SourceTool[]> {
    const held = await this.#links.hold(this.#parts.listingCredential);
    try {
      const { client } = held.link;
      const { tools } = await client.listTools(undefined, { cacheMode: 'refresh' });
      this.#listedOver = held.link;
      this.#toolsByName = new Map(tools.map(({ outputSchema: _, ...tool }) => [tool.name, tool as Tool]));
      return tools as unknown as readonly SourceTool[];
    } finally {
      held.release();
    }
  }

  #forgetTools(): void {
    this.#tools = undefined;
    for (const listener of [...this.#listeners]) listener();
  }

  /** The result for a call that has failed. Throws the signal's reason and `SourceProtocolError`. */
  #failed(failure: unknown, signal: AbortSignal): SourceResult {
    if (signal.aborted) throw signal.reason;
    if (failure instanceof ProtocolError && failure.message !== ANSWER_LOST)
      throw new SourceProtocolError(failure.code, failure.message, failure.data);
    const error = toolErrorOf(failure);
    this.#parts.log.warn({ code: error.code, ...failureForLog(failure) }, 'a call to a server has failed');
    const result = toolErrorResult(error);
    return error.code === 'outcome_unknown' ? { ...result, _meta: OUTCOME_UNKNOWN_META } : result;
  }
}

class NotConnectedError extends Error {
  override readonly name = 'NotConnectedError';

  constructor(cause: unknown) {
    super('no connection to the server', { cause });
  }
}

function toolErrorOf(failure: unknown): ToolError {
  if (failure instanceof LinkPausedError) {
    const retryAfterMs = Math.max(1_000, failure.retryAfterMs);
    return {
      code: 'api_unavailable',
      retryable: true,
      retryAfterMs,
      hint: 'The server of this tool is not there at the moment. Try again after the time given, or tell the visitor.',
    };
  }
  if (failure instanceof NotConnectedError || isRefusedConnection(failure)) {
    return {
      code: 'api_unreachable',
      retryable: true,
      retryAfterMs: 2_000,
      hint: 'The server of this tool cannot be reached. The call was not carried out. Try again once, or tell the visitor.',
    };
  }
  if (failure instanceof SdkHttpError) {
    const received = `HTTP status ${failure.status}`;
    if (failure.status === 401 || failure.status === 403) {
      return {
        code: 'api_error',
        received,
        retryable: false,
        hint: 'The server of this tool refuses this visitor’s credential. Do not try again; tell the visitor.',
      };
    }
    if (failure.status < 500) {
      return {
        code: 'api_error',
        received,
        retryable: failure.status === 429,
        ...(failure.status === 429 && { retryAfterMs: 5_000 }),
        hint: 'The server of this tool has refused the call.',
      };
    }
  }
  return {
    code: 'outcome_unknown',
    retryable: false,
    hint: 'The connection to the server of this tool was lost. The call may have been carried out: look before you try again.',
  };
}

/** Node's `fetch` says so in its cause: no byte of the call has left. */
function isRefusedConnection(failure: unknown): boolean {
  for (let error = failure; error instanceof Error; error = error.cause) {
    if ('code' in error && (error.code === 'ECONNREFUSED' || error.code === 'ENOTFOUND')) return true;
  }
  return false;
}

function isSessionGone(failure: unknown): boolean {
  if (!(failure instanceof SdkHttpError)) return false;
  if (failure.status === 404) return true;
  return failure.status === 400 && namesSession(String(failure.data.text));
}

/** Who the server is belongs to this hop and is not passed on. */
function toSourceResult(answer: unknown): SourceResult {
  const { _meta, ...rest } = answer as SourceResult;
  const passedOn = Object.entries(_meta ?? {}).filter(([name]) => name !== SERVER_INFO_META_KEY);
  return {
    ...rest,
    content: rest.content ?? [],
    ...(passedOn.length > 0 && { _meta: Object.fromEntries(passedOn) }),
  };
}

/** Rejects with the signal's reason when it aborts first. */
async function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
