/** Where a domain's tools come from: an API description or an MCP server. The gateway knows its sources only by this seam. */
import type { JsonSchema, ToolDefinition, ToolResult } from '../tool-policy/tool-definition.ts';
import type { ToolError } from '../tool-policy/tool-error.ts';

export interface ToolSource {
  /** The tools now in force, by the names that the source itself gives them; stable between two changes. */
  listTools(signal: AbortSignal): Promise<readonly SourceTool[]>;

  /**
   * Runs one tool. A failure of the tool or the API is a `SourceResult` with `isError`; rejects only with
   * `SourceProtocolError` or the signal's reason. Aborting the signal cancels the call behind it.
   */
  callTool(call: SourceCall, signal: AbortSignal): Promise<SourceResult>;

  /** Calls `listener` after the tools have changed. Returns the function that ends the subscription. */
  onChange(listener: () => void): () => void;

  close(): Promise<void>;
}

export type { JsonSchema };

/** A tool by the name that its source gives it. */
export type SourceTool = ToolDefinition;

export type SourceResult = ToolResult;

/** The value of the header of that name, whole: `Bearer …` for `authorization`. */
export interface SourceCredential {
  readonly type: 'authorization' | 'x-api-key';
  readonly value: string;
}

export interface SourceCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The caller's `_meta` without the fields of one hop. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** The credential for this domain, already chosen by its rule; absent: none is sent. */
  readonly credential?: SourceCredential;
  /** What the caller brings to a call that was answered with `input_required`, as it came. */
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  readonly requestState?: string;
  /** Passes progress on to the caller. */
  readonly onProgress?: (progress: {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  }) => void;
}

/** A server behind the gateway refused the call itself with a JSON-RPC error. Its text is data from outside. */
export class SourceProtocolError extends Error {
  override readonly name = 'SourceProtocolError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** `_meta` of a failed call that may have had its effect all the same. */
export const OUTCOME_UNKNOWN_META = { 'parley/outcome': 'unknown' } as const;

/** The result that tells a model why a call was refused or failed. */
export function toolErrorResult(error: ToolError): SourceResult {
  return { content: [{ type: 'text', text: JSON.stringify(error) }], structuredContent: { ...error }, isError: true };
}
