/** The rules at work for the conversations of this store: what `decide` asks of the store, and what it writes there. */
import type { RelayEvent } from '../protocol/events.ts';
import type { Store } from '../store/store.ts';
import { type SourceResult, toolErrorResult } from '../tool-gateway/tool-source.ts';
import { ArgumentCheck } from '../tool-policy/argument-check.ts';
import { NotCanonicalError } from '../tool-policy/canonical-json.ts';
import type { CallOutcome, DecidedCall, Decision, PublicTool, ToolPolicy } from '../tool-policy/decision.ts';
import { looksOf } from '../tool-policy/domain-names.ts';
import {
  checkLock,
  type DomainSwitch,
  readSwitch,
  SWITCH_TOOL,
  sessionRequiredError,
  sessionUnknownError,
} from '../tool-policy/intent-lock.ts';
import { nearest } from '../tool-policy/nearest.ts';
import { needsVerification, type PolicyRules } from '../tool-policy/policy-rules.ts';
import { DOMAIN_ARGUMENT, ownDomainArgument, presentTools, renamedOwnDomain } from '../tool-policy/presented-tools.ts';
import type { ToolError } from '../tool-policy/tool-error.ts';
import { replaceOpen } from '../tool-policy/transactions.ts';
import type { AuditLine, AuditLog } from './audit-log.ts';
import {
  numberOf,
  present,
  put,
  putTransactions,
  readDomain,
  readSession,
  readTransactions,
  readTurn,
  settledEvents,
  tell,
  unchanged,
} from './conversation-state.ts';
import { digestOf, type Verifications } from './verifications.ts';

export interface SessionPolicyParts {
  readonly rules: PolicyRules;
  readonly store: Store;
  readonly verifications: Verifications;
  readonly audit: AuditLog;
  readonly now: () => number;
}

export class SessionPolicy implements ToolPolicy {
  readonly #parts: SessionPolicyParts;
  readonly #domains: readonly string[];
  /** By the source's own schema, which stays the same object as long as the tool does not change. */
  readonly #checks = new WeakMap<object, ArgumentCheck>();
  #shown: { readonly from: readonly PublicTool[]; readonly tools: readonly PublicTool[] } | undefined;
  #knownNames: readonly string[] = [];

  constructor(parts: SessionPolicyParts) {
    this.#parts = parts;
    this.#domains = parts.rules.domains.map(({ name }) => name);
  }

  present(tools: readonly PublicTool[], domain: string | undefined): readonly PublicTool[] {
    if (domain !== undefined) {
      const { rules } = this.#parts;
      // Transparent tools keep their names and schemas; the lock binds them all the same.
      return tools.every(({ name }) => !name.startsWith(`${domain}_`)) ? tools : presentTools(tools, rules);
    }
    const isSame =
      this.#shown?.from.length === tools.length && this.#shown.from.every((tool, at) => tool === tools[at]);
    if (!this.#shown || !isSame) {
      this.#shown = { from: tools, tools: presentTools(tools, this.#parts.rules) };
      this.#knownNames = this.#shown.tools.map(({ name }) => name);
    }
    return this.#shown.tools;
  }

  async decide(call: DecidedCall, signal: AbortSignal): Promise<Decision> {
    const decision = await this.#decide(call, signal);
    if (decision.type === 'refuse') this.#audit(call, { decision: 'refused', code: decision.error.code });
    return decision;
  }

  async #decide(call: DecidedCall, signal: AbortSignal): Promise<Decision> {
    const { rules, store, now } = this.#parts;
    if (call.tool === SWITCH_TOOL && this.#domains.length > 1 && rules.lockStart !== 'off') {
      return { type: 'answer', result: await this.#switchDomain(call, signal) };
    }
    const { definition, session } = call;
    const isRuled = definition?.domain !== undefined && this.#domains.includes(definition.domain);
    const domain = definition?.domain ?? '';
    const needsSession = this.#domains.length > 1 && call.endpointDomain === undefined && rules.lockStart !== 'off';
    if (!session && needsSession) return refuse(sessionRequiredError());
    if (!definition) return refuse(await this.#unknownTool(call));
    if (!isRuled) return { type: 'allow', arguments: call.arguments };
    const ofDomain = rules.domains.find(({ name }) => name === domain);
    const isTransaction = needsVerification(call.tool, call.isReadOnly, ofDomain?.transactions);
    if (!session && isTransaction) return refuse(sessionRequiredError());
    if (session) {
      const refused = (await readSession(store, session.sessionId, now()))
        ? await this.#enterOrStay(call, session.sessionId, domain, signal)
        : sessionUnknownError();
      if (refused) return refuse(refused);
    }
    const checked = this.#checkArguments(call, definition, domain);
    if ('code' in checked) return refuse(checked);
    return this.#allow(call, domain, checked, isTransaction);
  }

  #allow(
    call: DecidedCall,
    domain: string,
    { arguments: args, digest }: RightArguments,
    isTransaction: boolean,
  ): Decision {
    let isTold = false;
    const told = (line: Pick<AuditLine, 'decision' | 'code' | 'transactionId'>) => {
      isTold = true;
      this.#audit(call, { ...line, digest });
    };
    const release = async (signal: AbortSignal): Promise<ToolError | undefined> => {
      if (!isTransaction || !call.session) {
        told({ decision: 'allowed' });
        return undefined;
      }
      const asked = {
        sessionId: call.session.sessionId,
        tool: call.tool,
        domain,
        arguments: args,
        needs: 'code' as const,
        isInDomain: (active: string | null) => this.#parts.rules.lockStart === 'off' || active === domain,
        domainError: (active: string | null) => lockError(this.#parts.rules, active, domain),
        ...(call.authorization !== undefined && { authorization: call.authorization }),
      };
      try {
        const released = await this.#parts.verifications.release(asked, signal);
        if (released.type === 'started') {
          told({ decision: 'verified', transactionId: released.transactionId });
          return undefined;
        }
        told({ decision: 'refused', code: released.error.code });
        return released.error;
      } catch (failure) {
        if (signal.aborted) told({ decision: 'refused', code: 'caller_left' });
        throw failure;
      }
    };
    const settle = async (outcome: CallOutcome): Promise<void> => {
      if (isTold) return;
      if (outcome === 'replayed') told({ decision: 'replayed' });
      else told({ decision: 'refused', code: outcome === 'limited' ? 'rate_limited' : 'not_called' });
    };
    return { type: 'allow', arguments: args, release, settle, ...(isTransaction && { isTransaction: true }) };
  }

  /** The error when this domain's tools cannot be called now. The first call makes its domain the active one. */
  async #enterOrStay(
    call: DecidedCall,
    sessionId: string,
    domain: string,
    signal: AbortSignal,
  ): Promise<ToolError | undefined> {
    for (;;) {
      const state = await readDomain(this.#parts.store, sessionId);
      const lock = checkLock(this.#parts.rules, state.value.active ?? undefined, domain);
      if (lock.type === 'pass') return undefined;
      if (lock.type === 'refuse') return lock.error;
      const refused = await this.#consent(call, sessionId, domain, signal);
      if (refused) return refused;
      const entered = await this.#enter(sessionId, state.value.active, domain);
      if (entered === 'done') return undefined;
      if (entered === 'gone') return sessionUnknownError();
    }
  }

  /** The error when the visitor has not said yes to a domain that needs it. */
  async #consent(
    call: DecidedCall,
    sessionId: string,
    domain: string,
    signal: AbortSignal,
  ): Promise<ToolError | undefined> {
    const { rules, store, verifications } = this.#parts;
    if (!rules.domains.find(({ name }) => name === domain)?.needsConsent) return undefined;
    const { consented } = (await readDomain(store, sessionId)).value;
    if (consented.includes(domain)) return undefined;
    const asked = {
      sessionId,
      tool: SWITCH_TOOL,
      domain,
      arguments: {},
      needs: 'consent' as const,
      isInDomain: () => true,
      domainError: sessionUnknownError,
      ...(call.authorization !== undefined && { authorization: call.authorization }),
    };
    const released = await verifications.release(asked, signal);
    return released.type === 'refused' ? released.error : undefined;
  }

  /** `outrun`: the active domain is not `from` (any more). `gone`: the session is over. */
  async #enter(sessionId: string, from: string | null, to: string): Promise<'done' | 'outrun' | 'gone'> {
    const { store, now } = this.#parts;
    for (;;) {
      const nowMs = now();
      const [session, turn, domain, transactions] = await Promise.all([
        readSession(store, sessionId, nowMs),
        readTurn(store, sessionId),
        readDomain(store, sessionId),
        readTransactions(store, sessionId),
      ]);
      if (!session) return 'gone';
      if (domain.value.active !== from) return 'outrun';
      const step = replaceOpen(transactions.value, nowMs);
      const changed: RelayEvent = {
        type: 'domain',
        data: { active: to, ...(from !== null && { previous: from }), timestamp: new Date(nowMs).toISOString() },
      };
      const { isCommitted } = await store.commit(
        [present(sessionId), unchanged(domain), unchanged(transactions)],
        [
          put(domain.key, { ...domain.value, active: to }, session),
          ...(step.settled.length > 0 ? putTransactions(sessionId, step.transactions, session) : []),
          ...tell(sessionId, [...settledEvents(step.settled, nowMs), changed], numberOf(turn.value), session),
        ],
      );
      if (isCommitted) return 'done';
    }
  }

  async #switchDomain(call: DecidedCall, signal: AbortSignal): Promise<SourceResult> {
    const { store } = this.#parts;
    const refused = (error: ToolError) => {
      this.#audit(call, { decision: 'refused', code: error.code });
      return toolErrorResult(error);
    };
    if (!call.session) return refused(sessionRequiredError());
    const { sessionId } = call.session;
    for (;;) {
      const { active } = (await readDomain(store, sessionId)).value;
      const wanted = readSwitch(this.#domains, active ?? undefined, call.arguments);
      if ('code' in wanted) return refused(wanted);
      const unwilling = await this.#consent(call, sessionId, wanted.to, signal);
      if (unwilling) return refused(unwilling);
      const entered = await this.#enter(sessionId, active, wanted.to);
      if (entered === 'gone') return refused(sessionUnknownError());
      if (entered === 'outrun') continue;
      this.#audit(call, { decision: 'switched', from: wanted.from, to: wanted.to });
      return switched(wanted);
    }
  }

  #checkArguments(call: DecidedCall, definition: PublicTool, domain: string): RightArguments | ToolError {
    const isTransparent = call.endpointDomain === domain && !call.tool.startsWith(`${domain}_`);
    const { [DOMAIN_ARGUMENT]: declared, ...rest } = call.arguments;
    if (!isTransparent && declared !== domain) return mismatch(domain, declared);
    const own = isTransparent ? undefined : ownDomainArgument(definition.inputSchema);
    const checked = this.#checkOf(definition, isTransparent).check(isTransparent ? call.arguments : rest);
    if (checked.type === 'right') {
      const args = own === undefined ? checked.arguments : renamed(checked.arguments, own);
      return exactly(call.tool, domain, args);
    }
    const [first, ...others] = checked.faults;
    const faults = [first, ...others];
    return {
      code: 'invalid_arguments',
      ...first,
      ...(others.length > 0 && { faults }),
      retryable: true,
      domain,
      hint: `Nothing was called. Correct ${faults.map(({ field }) => `"${field}"`).join(', ')} and call ${call.tool} again.`,
    };
  }

  #checkOf(definition: PublicTool, isTransparent: boolean): ArgumentCheck {
    const known = this.#checks.get(definition.inputSchema);
    if (known) return known;
    const check = new ArgumentCheck(isTransparent ? definition.inputSchema : renamedOwnDomain(definition.inputSchema));
    this.#checks.set(definition.inputSchema, check);
    return check;
  }

  async #unknownTool(call: DecidedCall): Promise<ToolError> {
    const { store } = this.#parts;
    const active = call.session ? (await readDomain(store, call.session.sessionId)).value.active : null;
    const meant =
      this.#knownNames.find((name) => looksOf(name) === looksOf(call.tool)) ?? nearest(call.tool, this.#knownNames);
    const lock = active === null ? 'No domain is active yet' : `The active domain is "${active}"`;
    return {
      code: 'unknown_tool',
      field: 'name',
      expected: meant ? `"${meant}", if that was meant` : 'a name exactly as tools/list shows it',
      received: call.tool.slice(0, 100),
      ...(meant !== undefined && { example: meant }),
      retryable: false,
      ...(active !== null && { domain: active }),
      hint:
        `Nothing was called: there is no tool of that name, and names that only look alike are not taken for it. ${lock}; ` +
        `tools of other domains can be called after ${SWITCH_TOOL}.`,
    };
  }

  #audit(
    call: DecidedCall,
    line: Pick<AuditLine, 'decision' | 'code' | 'digest' | 'from' | 'to' | 'transactionId'>,
  ): void {
    const { session, tool, domain } = call;
    const digest = line.digest ?? digestIfAny(call);
    this.#parts.audit.write(
      {
        ...line,
        sessionId: session?.sessionId,
        turn: session?.turn,
        tool,
        domain,
        ...(digest !== undefined && { digest }),
      },
      call,
    );
  }
}

function refuse(error: ToolError): Decision {
  return { type: 'refuse', error };
}

function lockError(rules: PolicyRules, active: string | null, wanted: string): ToolError {
  const lock = checkLock(
    { lockStart: rules.lockStart === 'first-call' ? 'explicit' : rules.lockStart },
    active ?? undefined,
    wanted,
  );
  return lock.type === 'refuse' ? lock.error : sessionUnknownError();
}

function mismatch(domain: string, declared: unknown): ToolError {
  return {
    code: 'domain_mismatch',
    field: DOMAIN_ARGUMENT,
    expected: `"${domain}", exactly so`,
    received: declared === undefined ? 'nothing' : JSON.stringify(declared).slice(0, 80),
    example: JSON.stringify({ [DOMAIN_ARGUMENT]: domain }),
    retryable: true,
    domain,
    hint: `Nothing was called. This tool is about "${domain}". If that is what the visitor wants, call it again with domain "${domain}".`,
  };
}

function switched({ from, to }: DomainSwitch): SourceResult {
  const text = `The active domain is now "${to}". Only tools whose name begins with ${to}_ can be called.`;
  return {
    content: [{ type: 'text', text }],
    structuredContent: { active: to, previous: from },
    _meta: { 'parley/domain': to },
  };
}

function renamed(args: Readonly<Record<string, unknown>>, own: string): Readonly<Record<string, unknown>> {
  if (!Object.hasOwn(args, own)) return args;
  const { [own]: value, ...rest } = args;
  return { ...rest, [DOMAIN_ARGUMENT]: value };
}

interface RightArguments {
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly digest: string;
}

/** What JSON cannot say exactly cannot be released exactly. */
function exactly(tool: string, domain: string, args: Readonly<Record<string, unknown>>): RightArguments | ToolError {
  try {
    return { arguments: args, digest: digestOf(tool, domain, args) };
  } catch (failure) {
    if (!(failure instanceof NotCanonicalError)) throw failure;
    return {
      code: 'invalid_arguments',
      field: failure.path.slice(1),
      expected: failure.message,
      received: 'a value that JSON cannot say exactly',
      retryable: true,
      hint: 'Nothing was called. Send the value in a form that is exact.',
    };
  }
}

function digestIfAny(call: DecidedCall): string | undefined {
  try {
    return digestOf(call.tool, call.domain ?? '', call.arguments);
  } catch {
    return undefined;
  }
}
