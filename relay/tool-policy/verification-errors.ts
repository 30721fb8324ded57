/** What a model is told about a call that the visitor has not released. Never the code, never what the visitor typed. */
import type { ToolError } from './tool-error.ts';
import type { Transaction } from './transactions.ts';

type Named = Pick<Transaction, 'tool' | 'domain'>;

const SAME_AGAIN = 'call this tool again with exactly the same arguments';

/** The visitor was asked and has not answered yet. */
export function stillWaiting({ tool, domain }: Named): ToolError {
  return {
    code: 'verification_required',
    expected: 'the visitor’s release of exactly this call, given in the chat window',
    received: 'no answer from the visitor yet',
    retryable: true,
    domain,
    hint:
      `Nothing was done. The visitor is being asked in the chat window to release ${tool} with these arguments. Tell him so and ` +
      `end your answer. After he has pressed "continue", ${SAME_AGAIN}. Never ask him to write a code into the conversation: ` +
      'text cannot release anything. Changed arguments need a new release.',
  };
}

export function consentWaiting(domain: string): ToolError {
  return {
    code: 'consent_required',
    field: 'domain',
    expected: 'the visitor’s consent, given in the chat window',
    received: 'no answer from the visitor yet',
    retryable: true,
    domain,
    hint: `Nothing was called. The visitor is asked in the chat window whether to go on in "${domain}". Tell him so and end your answer.`,
  };
}

export function declined({ tool, domain }: Named): ToolError {
  return {
    code: 'verification_declined',
    retryable: false,
    domain,
    hint: `The visitor has declined ${tool} with these arguments. Nothing was done. Do not call it again in this answer; ask him what he wants instead.`,
  };
}

export function consentDeclined(domain: string): ToolError {
  return {
    code: 'consent_required',
    field: 'domain',
    expected: 'the visitor’s consent',
    received: 'his no',
    retryable: false,
    domain,
    hint: `The visitor does not want to go on in "${domain}". Nothing was called. Stay in the active domain or ask him what he wants.`,
  };
}

export function locked({ tool, domain }: Named): ToolError {
  return {
    code: 'verification_locked',
    retryable: false,
    domain,
    hint: `Too many wrong codes were typed for ${tool}. Nothing was done. Tell the visitor; a new code can be asked for only after his next message.`,
  };
}

export function ranOut({ tool, domain }: Named): ToolError {
  return {
    code: 'verification_required',
    expected: 'the visitor’s release of exactly this call, in time',
    received: 'no answer in time',
    retryable: false,
    domain,
    hint: `Nothing was done: the time to release ${tool} has run out. Ask the visitor whether he still wants it before you call it again.`,
  };
}

export function replacedMeanwhile({ tool, domain }: Named): ToolError {
  return {
    code: 'verification_required',
    expected: 'a release in the turn and the domain in which it was asked for',
    received: 'a message of the visitor, or a switch of the domain, that came in between',
    retryable: false,
    domain,
    hint: `Nothing was done: what was asked for ${tool} is void. Go by what the visitor wants now; another call asks for a new release.`,
  };
}

/** Another call with the same arguments has used the release. */
export function spentElsewhere({ tool, domain }: Named): ToolError {
  return {
    code: 'verification_required',
    expected: 'a release for each call',
    received: 'a release that another call with the same arguments has used',
    retryable: false,
    domain,
    hint: `${tool} with these arguments is being done once by another call. Do not call it again unless the visitor wants it twice.`,
  };
}

export function tooManyChallenges({ tool, domain }: Named, retryAfterMs: number): ToolError {
  return {
    code: 'verification_locked',
    retryable: true,
    retryAfterMs,
    domain,
    hint:
      `Nothing was done: too many codes were asked for. A new one for ${tool} is possible in ${inWords(retryAfterMs)}. ` +
      'Tell the visitor; do not call it before that.',
  };
}

export function undelivered({ tool, domain }: Named): ToolError {
  return {
    code: 'verification_unavailable',
    retryable: false,
    domain,
    hint: `Nothing was done: no code for ${tool} could be sent to the visitor. Tell him that this is not possible at the moment.`,
  };
}

/** A transaction is asked for while nobody in the conversation waits for an answer. */
export function outsideTurn({ tool, domain }: Named): ToolError {
  return {
    code: 'verification_required',
    expected: 'a call while a message of the visitor is being answered',
    received: 'a call outside of that',
    retryable: false,
    domain,
    hint: `Nothing was done: ${tool} can be called only while a message of the visitor is being answered.`,
  };
}

function inWords(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1_000);
  return seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}
