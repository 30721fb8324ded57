import type { Log } from '../log.ts';
import { loggable } from '../log.ts';
import type { DecidedCall } from '../tool-policy/decision.ts';

/** One decision: what was to be called, what became of it, and why. */
export interface AuditLine {
  /** `verified`: the visitor released it and it starts. `switched`: the active domain has changed. */
  readonly decision: 'allowed' | 'refused' | 'verified' | 'replayed' | 'switched';
  /** Of the error, for `refused`. */
  readonly code?: string;
  readonly sessionId: string | undefined;
  readonly turn: number | undefined;
  readonly tool: string;
  readonly domain: string | undefined;
  /** Of the arguments; absent where they could not be read. */
  readonly digest?: string;
  readonly from?: string;
  readonly to?: string;
  readonly transactionId?: string;
}

export interface AuditLog {
  write(line: AuditLine, call: DecidedCall): void;
}

/** Into the relay's log, one line each, message `decision`. Arguments' values only where the owner wants them. */
export class LoggedAudit implements AuditLog {
  readonly #log: Log;
  readonly #hasArguments: boolean;

  constructor(log: Log, options: { hasArguments?: boolean } = {}) {
    this.#log = log;
    this.#hasArguments = options.hasArguments ?? false;
  }

  write(line: AuditLine, call: DecidedCall): void {
    const args = this.#hasArguments ? { arguments: loggable(JSON.stringify(call.arguments)) } : {};
    this.#log.info({ ...line, tool: loggable(line.tool), ...args }, 'decision');
  }
}
