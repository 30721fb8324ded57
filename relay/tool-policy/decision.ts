/** The seam between the gateway and its rules: the gateway asks before every call and does what it is told. */
import type { ToolError } from './tool-error.ts';

export interface ToolPolicy {
  /**
   * Whether this call may run now. Waits where a visitor has to release it, until then or until the signal aborts.
   * Rejects only with `StoreUnavailableError` or the signal's reason.
   */
  decide(call: DecidedCall, signal: AbortSignal): Promise<Decision>;
}

/** One `tools/call`, as the rules see it. */
export interface DecidedCall {
  /** Unknown for a caller that named no session. */
  readonly session: CallSession | undefined;
  /** The tool's public name, as `tools/list` shows it. */
  readonly tool: string;
  /** Undefined where one server's tools are passed on as they are. */
  readonly domain: string | undefined;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly isReadOnly: boolean;
  /** The caller's `_meta.idempotencyKey`. */
  readonly idempotencyKey: string | undefined;
}

export interface CallSession {
  /** The relay's own id. */
  readonly sessionId: string;
  /** The running turn's number, or undefined between turns. */
  readonly turn: number | undefined;
}

export type Decision =
  /** `settle` must be called once the outcome is known, so that what was reserved for the call is spent or given back. */
  | {
      readonly type: 'allow';
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly settle?: (outcome: CallOutcome) => Promise<void>;
    }
  | { readonly type: 'refuse'; readonly error: ToolError };

export type CallOutcome = 'done' | 'failed' | 'unknown';
