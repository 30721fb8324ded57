/**
 * What a failure at the agent host means to us. The host's documents name no status codes for failures, so the table of
 * statuses is an assumption, and it stands here alone.
 */
import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '../protocol/error-codes.ts';
import { AgentHostError, type Credential } from './agent-host.ts';
import { readRetryAfterMs } from './retry-after.ts';

/** `start` names only an application, `turn` and `end` a session too; `check` asks for nothing. */
export type HostCallName = 'start' | 'turn' | 'end' | 'check';

/** Statuses that are not told from their hundred alone. */
const CODE_BY_STATUS: ReadonlyMap<number, ErrorCode> = new Map([
  [404, 'session_expired'],
  [408, 'upstream_timeout'],
  [410, 'session_expired'],
  [429, 'rate_limited'],
  [503, 'upstream_busy'],
  [504, 'upstream_timeout'],
]);

/** The code for an answer of the host that is not a success. */
function hostStatusToCode(status: number, call: HostCallName, credential: Credential): ErrorCode {
  if (status === 401 || status === 403) return credential.type === 'key' ? 'misconfigured' : 'credential_rejected';
  const code = CODE_BY_STATUS.get(status);
  // Before there is a session, what is not found can only be the application.
  if (code === 'session_expired' && call === 'start') return 'misconfigured';
  if (code) return code;
  if (status >= 500) return 'upstream_error';
  if (status >= 400) return 'upstream_rejected';
  // A redirect is not followed: the credential goes to the configured address and nowhere else.
  return 'upstream_protocol';
}

/** The failure that an answer with a status other than 2xx is. Its body is not read. */
export function failureOfStatus(response: IncomingMessage, call: HostCallName, credential: Credential): AgentHostError {
  const status = response.statusCode ?? 0;
  const code = hostStatusToCode(status, call, credential);
  const retryAfterMs =
    code === 'rate_limited' || code === 'upstream_busy'
      ? readRetryAfterMs(response.headersDistinct['retry-after'], Date.now())
      : undefined;
  return new AgentHostError(code, `the agent host answered ${status} to the call "${call}"`, { retryAfterMs });
}

/** The failure that a connection's error before the answer's headers is. HPE_…: bytes came, and they are not HTTP. */
export function failureOfConnection(error: NodeJS.ErrnoException, call: HostCallName): AgentHostError {
  const reason = error.code ?? error.name;
  return reason.startsWith('HPE_')
    ? new AgentHostError('upstream_protocol', `the agent host's answer to the call "${call}" is not HTTP (${reason})`)
    : new AgentHostError('upstream_unreachable', `no answer of the agent host to the call "${call}" (${reason})`);
}
