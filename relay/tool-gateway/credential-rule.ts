/** Which credential a domain's API gets to see. */
import type { Caller } from './callers.ts';
import type { SourceCredential } from './tool-source.ts';

export type CredentialRule =
  /** None ever. */
  | { readonly type: 'none' }
  /** The caller's own. The account key, which the agent host sends where no visitor is logged in, only `includingAccountKey`. */
  | { readonly type: 'forward'; readonly includingAccountKey: boolean }
  /** Always this one, whoever calls. */
  | { readonly type: 'fixed'; readonly credential: SourceCredential };

/** The credential for one call, by the domain's rule. */
export function credentialFor(rule: CredentialRule, caller: Caller): SourceCredential | undefined {
  switch (rule.type) {
    case 'none':
      return undefined;
    case 'fixed':
      return rule.credential;
    case 'forward': {
      const { credential, isAccountKey } = caller;
      if (!credential || (isAccountKey && !rule.includingAccountKey)) return undefined;
      return credential.type === 'authorization' ? { ...credential, value: asBearer(credential.value) } : credential;
    }
  }
}

/** A value without a scheme is a token. Source: the agent host's `Authorization: Bearer <value>`. */
function asBearer(value: string): string {
  return /^[A-Za-z][A-Za-z0-9-]* +\S/.test(value) ? value : `Bearer ${value}`;
}
