/** The intent lock: one active domain in a conversation, changed by `switch_domain` and by nothing else. Names match exactly. */
import type { PolicyRules } from './policy-rules.ts';
import type { ToolError } from './tool-error.ts';

export const SWITCH_TOOL = 'switch_domain';

/** What `from` says while no domain is active. No domain can have this name. */
const NO_DOMAIN = 'none';

/** `enter`: the call's domain becomes the active one before the call runs. */
export type LockDecision =
  | { readonly type: 'pass' }
  | { readonly type: 'enter' }
  | { readonly type: 'refuse'; readonly error: ToolError };

/** Whether a tool of this domain may be called while `active` is the conversation's domain. */
export function checkLock(
  rules: Pick<PolicyRules, 'lockStart'>,
  active: string | undefined,
  wanted: string,
): LockDecision {
  if (rules.lockStart === 'off' || active === wanted) return { type: 'pass' };
  if (active === undefined && rules.lockStart === 'first-call') return { type: 'enter' };
  return { type: 'refuse', error: lockedError(active, wanted) };
}

function lockedError(active: string | undefined, wanted: string): ToolError {
  const from = active ?? NO_DOMAIN;
  const state = active === undefined ? 'No domain is active yet' : `The active domain is "${active}"`;
  return {
    code: 'domain_locked',
    field: 'domain',
    expected: active === undefined ? `a call of ${SWITCH_TOOL} before the first tool` : `a tool of domain "${active}"`,
    received: `a tool of domain "${wanted}"`,
    example: JSON.stringify(switchExample(from, wanted)),
    retryable: false,
    domain: from,
    hint:
      `${state}, and this tool belongs to "${wanted}". Nothing was called. If the visitor now wants "${wanted}", call ` +
      `${SWITCH_TOOL} first, as in the example, then this tool again; otherwise use a tool of the active domain.`,
  };
}

export interface DomainSwitch {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

const MAX_REASON_CHARACTERS = 500;

/** Reads the arguments of `switch_domain` against the active domain: the switch, or what is wrong with it. */
export function readSwitch(
  domains: readonly string[],
  active: string | undefined,
  args: Readonly<Record<string, unknown>>,
): DomainSwitch | ToolError {
  const truth = active ?? NO_DOMAIN;
  const { from, to, reason, ...others } = args;
  const example = switchExample(
    truth,
    typeof to === 'string' && domains.includes(to) ? to : otherDomain(domains, active),
  );
  const fault = (field: string, expected: string, received: unknown): ToolError => ({
    code: field === 'from' ? 'domain_mismatch' : 'invalid_arguments',
    field,
    expected,
    received: describe(received),
    example: JSON.stringify(example),
    retryable: false,
    domain: truth,
    hint: `The active domain is still "${truth}". Call ${SWITCH_TOOL} again as in the example.`,
  });
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return fault(unknown, 'only from, to and reason', others[unknown]);
  if (from !== truth) return fault('from', `"${truth}", the domain that is active now`, from);
  if (typeof to !== 'string' || !domains.includes(to)) return fault('to', `one of ${domains.join(', ')}`, to);
  if (to === active) return fault('to', `another domain than "${truth}", which is active already`, to);
  if (typeof reason !== 'string' || reason.trim() === '' || reason.length > MAX_REASON_CHARACTERS) {
    return fault('reason', `the visitor’s wish in a few words, at most ${MAX_REASON_CHARACTERS} characters`, reason);
  }
  return { from: truth, to, reason };
}

/** The inputs that `switch_domain` takes, as JSON Schema. */
export function switchSchema(domains: readonly string[]) {
  return {
    type: 'object',
    properties: {
      from: {
        enum: [NO_DOMAIN, ...domains],
        description: `The domain that is active now; "${NO_DOMAIN}" before the first. It must be true.`,
      },
      to: { enum: domains, description: 'The domain that the visitor wants now.' },
      reason: {
        type: 'string',
        minLength: 1,
        maxLength: MAX_REASON_CHARACTERS,
        description: 'What the visitor said that makes this switch right.',
      },
    },
    required: ['from', 'to', 'reason'],
    additionalProperties: false,
  } as const;
}

function switchExample(from: string, to: string): DomainSwitch {
  return { from, to, reason: `The visitor asks for ${to}` };
}

function otherDomain(domains: readonly string[], active: string | undefined): string {
  return domains.find((domain) => domain !== active) ?? '';
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

export function sessionRequiredError(): ToolError {
  return {
    code: 'session_required',
    field: '_meta.sessionId',
    expected: 'the id of the conversation, as the agent host knows it',
    received: 'nothing',
    example: '{"method":"tools/call","params":{"name":"…","arguments":{…},"_meta":{"sessionId":"<the session’s id>"}}}',
    retryable: false,
    hint: 'The client has to send the conversation’s id as _meta.sessionId with every tools/call; a model cannot repair this.',
  };
}

/** The conversation is over or was never started here: nothing can be verified in it. */
export function sessionUnknownError(): ToolError {
  return {
    code: 'session_unknown',
    field: '_meta.sessionId',
    expected: 'the id of a conversation that goes on',
    received: 'the id of one that is over or not known',
    retryable: false,
    hint: 'Tell the visitor that this conversation has ended and that a new one is needed.',
  };
}
