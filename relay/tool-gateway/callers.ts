/** Who may call the tools: nobody until the owner has said so. */
import type { CallSession } from '../tool-policy/decision.ts';
import type { SourceCredential } from './tool-source.ts';

export type { CallSession };

/**
 * `tokens`: shared ones, in the header `x-parley-token`. `session`: the credential of the session that the call names. `api`:
 * the API behind decides by the caller's own credential. `open`: everyone, for trying out on one machine.
 */
export type CallerRule =
  | { readonly type: 'tokens'; readonly tokens: readonly string[] }
  | { readonly type: 'session' }
  | { readonly type: 'api' }
  | { readonly type: 'open' };

export interface Caller {
  /** Tells callers apart in limits and in the memory of calls; holds no secret. */
  readonly id: string;
  /** As it came. */
  readonly credential: SourceCredential | undefined;
  /** The credential is the owner's account key: no visitor is logged in. */
  readonly isAccountKey: boolean;
}

export interface Callers {
  /** The caller by his request's headers, or undefined when he may not call. Rejects with `StoreUnavailableError`. */
  admit(rule: CallerRule, header: (name: string) => string | undefined): Promise<Caller | undefined>;

  /**
   * The live session that `_meta.sessionId` (the host's id) names. Undefined: this relay has started no such session, or it
   * is over, or (under the rule `session`) it is not the caller's. Rejects with `StoreUnavailableError`.
   */
  findSession(rule: CallerRule, caller: Caller, hostSessionId: string): Promise<CallSession | undefined>;
}
