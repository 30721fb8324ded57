import type { ErrorCode } from '../../relay/protocol/error-codes.ts';
import type { ShownProblem } from '../conversation.ts';
import type { LabelKey, Labels } from '../labels.ts';

const LABEL_OF_CODE: Partial<Record<ErrorCode, LabelKey>> = {
  rate_limited: 'problemOften',
  upstream_busy: 'problemBusy',
  store_unavailable: 'problemBusy',
  shutting_down: 'problemBusy',
  turn_running: 'problemBusy',
  credential_rejected: 'problemSignIn',
  misconfigured: 'problemSetup',
  origin_refused: 'problemSetup',
  not_found: 'problemSetup',
  upstream_unreachable: 'problemUnreachable',
  upstream_timeout: 'problemTimeout',
  stream_interrupted: 'problemInterrupted',
  stream_incomplete: 'incomplete',
  limit_exceeded: 'problemTooLarge',
  message_too_long: 'problemTooLong',
  upstream_rejected: 'problemRefused',
  unknown_session: 'problemEnded',
  session_expired: 'expired',
  wrong_code: 'verifyWrong',
  verification_locked: 'verifyLocked',
  verification_over: 'verifyOver',
  code_in_message: 'codeInMessage',
};

/** The sentence for a visitor, in his language. The relay's own `detail` is English and for developers. */
export function problemSentence(problem: ShownProblem, labels: Labels): string {
  return labels[LABEL_OF_CODE[problem.code] ?? 'problemOther'];
}
