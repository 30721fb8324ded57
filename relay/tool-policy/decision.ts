/** The seam between the gateway and its rules: the gateway asks before every call and does what it is told. */
import type { ToolDefinition, ToolResult } from './tool-definition.ts';
import type { ToolError } from './tool-error.ts';

export interface ToolPolicy {
  /** The tools as a model is to see them, with the rules' own among them. `domain`: of the endpoint, undefined for all. */
  present(tools: readonly PublicTool[], domain: string | undefined): readonly PublicTool[];

  /**
   * Whether this call may run: the lock, then the arguments. Rejects only with `StoreUnavailableError` or the signal's reason.
   */
  decide(call: DecidedCall, signal: AbortSignal): Promise<Decision>;
}

/** A tool under its public name. */
export interface PublicTool extends ToolDefinition {
  /** Undefined where one server's tools are passed on as they are, and for the rules' own tools. */
  readonly domain: string | undefined;
}

/** One `tools/call`, as the rules see it. */
export interface DecidedCall {
  /** Unknown for a caller that named no session. */
  readonly session: CallSession | undefined;
  /** The tool's public name, as `tools/list` shows it. */
  readonly tool: string;
  /** Undefined where one server's tools are passed on as they are. */
  readonly domain: string | undefined;
  /** Undefined: no source has such a tool; it may be one of the rules' own. */
  readonly definition: PublicTool | undefined;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly isReadOnly: boolean;
  /** The caller's `_meta.idempotencyKey`. */
  readonly idempotencyKey: string | undefined;
  /** Of the endpoint that was called; undefined: the one for all domains. */
  readonly endpointDomain?: string | undefined;
  /** The visitor's own `Authorization` of this call, for the owner's look-up of where his code is sent. */
  readonly authorization?: string | undefined;
}

export interface CallSession {
  /** The relay's own id. */
  readonly sessionId: string;
  /** The running turn's number, or undefined between turns. */
  readonly turn: number | undefined;
}

export type Decision =
  /**
   * `release`, where given, must be awaited after the limits and the memory of calls and before the call: it waits for what a
   * visitor has to release, and resolves to a `ToolError` when the call must not run. It rejects only with
   * `StoreUnavailableError` or the signal's reason. `settle` must be called once the outcome is known.
   */
  | {
      readonly type: 'allow';
      /** What the tool's source gets: without `domain`, lists and objects read from text. */
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly release?: (signal: AbortSignal) => Promise<ToolError | undefined>;
      /** Once released, the call is made and awaited even when its caller leaves. */
      readonly isTransaction?: true;
      readonly settle?: (outcome: CallOutcome) => Promise<void>;
    }
  | { readonly type: 'refuse'; readonly error: ToolError }
  /** A tool of the rules' own, such as `switch_domain`: no source is called. */
  | { readonly type: 'answer'; readonly result: ToolResult };

/** `limited`: refused by the gateway's limits. `replayed`: answered from the memory of calls, nothing was called. */
export type CallOutcome = 'done' | 'failed' | 'unknown' | 'limited' | 'replayed';
