/** What the owner has configured, in the form in which the rules read it. */

export interface PolicyRules {
  /** `off`: calls to every domain are allowed at any time. For measuring what the lock prevents. */
  readonly lockStart: 'first-call' | 'explicit' | 'off';
  readonly domains: readonly DomainRules[];
  readonly verification: VerificationRules;
}

export interface DomainRules {
  readonly name: string;
  /** What the domain is about, as the model reads it, e.g. `long-distance coaches`. */
  readonly about?: string;
  /** What its tools are not for, and which tool is, e.g. `hiring a car (use car_rental_search)`. */
  readonly not?: readonly string[];
  /** The visitor is asked before the conversation enters this domain. */
  readonly needsConsent?: boolean;
  readonly limits?: CallLimits;
  /** Limits of single tools, by public name, in place of the domain's. */
  readonly toolLimits?: Readonly<Record<string, CallLimits>>;
  /** Which calls need a verification. Absent: all that are not read-only. */
  readonly transactions?: TransactionRules;
}

export interface CallLimits {
  /** Calls of one tool in one conversation within a minute of the clock. */
  readonly perMinute: number;
}

export interface TransactionRules {
  /** Public names of tools that need one although they only read. */
  readonly require?: readonly string[];
  /** Public names of tools that need none although they write; `*`: no tool that is not required. */
  readonly exempt?: readonly string[];
}

export interface VerificationRules {
  /** How long a call waits for the visitor. */
  readonly waitMs: number;
}

export const DEFAULT_WAIT_MS = 45_000;

/** Whether a call of this tool starts a transaction, which the visitor has to release. */
export function needsVerification(publicName: string, isReadOnly: boolean, rules: TransactionRules = {}): boolean {
  if (rules.require?.includes(publicName)) return true;
  if (rules.exempt?.includes(publicName) || rules.exempt?.includes('*')) return false;
  return !isReadOnly;
}

export function limitsOf(publicName: string, { toolLimits, limits }: DomainRules): CallLimits | undefined {
  return toolLimits && Object.hasOwn(toolLimits, publicName) ? toolLimits[publicName] : limits;
}
