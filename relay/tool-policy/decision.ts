/** The seam between the gateway and its rules: the gateway asks before every call and does what it is told. */
import type { SourceResult, SourceTool } from '../tool-gateway/tool-source.ts';
import type { ToolError } from './tool-error.ts';

/**
 * For each call the gateway asks `decide`, then looks whether it is a repeat (and says so by `replayed`), and then asks `release`
 * with the arguments that `decide` gave. Exactly one line of the audit log comes of it.
 */
export interface ToolPolicy {
  /**
   * The tools as `tools/list` shows them, and `switch_domain` where there is more than one domain. To be asked again whenever
   * the sources' tools have changed: calls are judged by what was shown last.
   */
  present(tools: readonly PublicTool[]): readonly SourceTool[];

  /**
   * Intent lock, arguments, limits. Waits only where the visitor has to consent to the domain, until then or until the signal
   * aborts. Rejects only with `StoreUnavailableError` or the signal's reason.
   */
  decide(call: DecidedCall, signal: AbortSignal): Promise<Decision>;

  /** Whether the visitor has released this call. Waits for him, until then or until the signal aborts. Rejects like `decide`. */
  release(call: DecidedCall, signal: AbortSignal): Promise<Decision>;

  /** The call was answered from memory. */
  replayed(call: DecidedCall): void;

  /** Runs `switch_domain`. Rejects like `decide`. */
  switchDomain(call: DecidedCall, signal: AbortSignal): Promise<SourceResult>;

  /** Why there is no tool of that name; for names that look like one of a tool that there is, which one was meant. */
  unknownTool(call: DecidedCall): Promise<ToolError>;
}

/** A tool under the name that callers see. `domain` undefined: shown and called as it is, without any rule. */
export interface PublicTool {
  readonly publicName: string;
  readonly domain: string | undefined;
  readonly tool: SourceTool;
  /** Shown as it is, without a required `domain`; the lock binds it all the same. */
  readonly isTransparent?: boolean;
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
  /** The endpoint offers one domain only, so that a call without a session cannot go astray. */
  readonly isSingleDomain?: boolean;
  /** The visitor's own `Authorization` of this call, for the owner's look-up of where his code is sent. */
  readonly authorization?: string;
}

export interface CallSession {
  /** The relay's own id. */
  readonly sessionId: string;
  /** The running turn's number, or undefined between turns. */
  readonly turn: number | undefined;
}

export type Decision =
  | {
      readonly type: 'allow';
      /** What the tool's source gets: without `domain`, lists and objects read from text. */
      readonly arguments: Readonly<Record<string, unknown>>;
      /** A transaction has started by this: the call is made and awaited even when its caller leaves. */
      readonly isStarted?: true;
      /** Must be called once the outcome is known. */
      readonly settle?: (outcome: CallOutcome) => Promise<void>;
    }
  | { readonly type: 'refuse'; readonly error: ToolError };

export type CallOutcome = 'done' | 'failed' | 'unknown';
