/** Where a domain's tools come from: an API description or an MCP server. The gateway knows its sources only by this seam. */
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

/** JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface SourceTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: {
    readonly title?: string;
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
  readonly icons?: readonly unknown[];
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** True when the source's API declares a header for the idempotency key, so that the API may decide about repeats. */
  readonly takesIdempotencyKey?: boolean;
}

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

/** An MCP `CallToolResult`, or its `input_required` form, passed on as it came. */
export interface SourceResult {
  readonly content: readonly Readonly<Record<string, unknown>>[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
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

/** The result that tells a model why a call was refused or failed. */
export function toolErrorResult(error: ToolError): SourceResult {
  return { content: [{ type: 'text', text: JSON.stringify(error) }], structuredContent: { ...error }, isError: true };
}
