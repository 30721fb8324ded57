/** The faults of an agent host (`test/cases/stream-faults.json`), and what each of them comes to wherever it is played. */
import type { ErrorCode } from '../../relay/protocol/error-codes.ts';
import cases from '../cases/stream-faults.json' with { type: 'json' };
import { FULL_TEXT, PREFIX_TEXT } from './faulty-host.ts';

export interface FaultCase {
  readonly via: string;
  readonly name: string;
  readonly expect: {
    readonly outcome: string;
    readonly code?: string;
    readonly text?: string;
    readonly tools?: number;
    readonly status?: number;
    readonly retryAfter?: string;
    readonly maxMs?: number | string;
    readonly inert?: boolean;
    readonly noSecret?: boolean;
  };
}

export const FAULTS: readonly FaultCase[] = cases;

/** Written out again on purpose: what the design says of each status, not what the code says. */
const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: 'misconfigured',
  403: 'misconfigured',
  408: 'upstream_timeout',
  409: 'upstream_rejected',
  410: 'session_expired',
  413: 'upstream_rejected',
  415: 'upstream_rejected',
  418: 'upstream_rejected',
  500: 'upstream_error',
  501: 'upstream_error',
  503: 'upstream_busy',
  504: 'upstream_timeout',
};

export function expectedCode({ expect }: Pick<FaultCase, 'expect'>): string | undefined {
  return expect.code === 'by_status' ? CODE_OF_STATUS[expect.status!] : expect.code;
}

/** The text that `expect` names, or undefined where any will do. */
export function expectedText({ name, expect }: FaultCase): string | undefined {
  switch (expect.text) {
    case undefined:
    case 'any':
      return undefined;
    case 'none':
      return '';
    case 'full':
      return FULL_TEXT;
    case 'prefix':
      return PREFIX_TEXT;
    default:
      return name === 'count' ? Array.from({ length: 40 }, (_, number) => number).join(' ') : expect.text;
  }
}
