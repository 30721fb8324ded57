/**
 * The gateway: the domains' tools under one roof. Each call passes the same checks in the same order (caller, session, lock,
 * arguments, limits, repeat, verification, call) and fails in one shape.
 */
import { failureForLog, type Log, loggable } from '../log.ts';
import { type Store, StoreUnavailableError } from '../store/store.ts';
import { canonicalJson, NotCanonicalError } from '../tool-policy/canonical-json.ts';
import type { CallOutcome, CallSession, Decision, PublicTool, ToolPolicy } from '../tool-policy/decision.ts';
import type { ToolError } from '../tool-policy/tool-error.ts';
import { type CallerMeta, readCallerMeta } from './caller-meta.ts';
import type { Caller, Callers } from './callers.ts';
import { credentialFor } from './credential-rule.ts';
import { digest } from './digest.ts';
import { Domain, type OfferedTool } from './domain.ts';
import type { GatewaySetup } from './gateway-setup.ts';
import { countCall } from './limits.ts';
import { type Executed, Repeats } from './repeats.ts';
import { type SourceCall, SourceProtocolError, type SourceResult, toolErrorResult } from './tool-source.ts';

export interface ToolGateway {
  /** The tools at an endpoint, in a stable order. Rejects only with the signal's reason. */
  listTools(endpoint: Endpoint, signal: AbortSignal): Promise<readonly PublicTool[]>;

  /** Makes one call. Rejects with `SourceProtocolError` where one server is passed on as it is, or the signal's reason. */
  callTool(call: GatewayCall, signal: AbortSignal): Promise<SourceResult>;
}

/** `/mcp` (no domain) or `/mcp/{domain}`. */
export interface Endpoint {
  readonly domain: string | undefined;
}

export interface GatewayCall {
  readonly endpoint: Endpoint;
  /** Admitted already. */
  readonly caller: Caller;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  readonly requestState?: string;
  readonly onProgress?: SourceCall['onProgress'];
}

export interface ToolGatewayParts {
  readonly setup: GatewaySetup;
  readonly callers: Callers;
  readonly store: Store;
  /** Undefined: everything is allowed, and no session is needed. */
  readonly policy: ToolPolicy | undefined;
  readonly log: Log;
  readonly now: () => number;
}

interface FoundTool {
  readonly domain: Domain;
  readonly tool: OfferedTool;
  /** One server is passed on as it is. */
  readonly isPlain: boolean;
}

export function createToolGateway(parts: ToolGatewayParts): ToolGateway {
  return new Gateway(parts);
}

class Gateway implements ToolGateway {
  readonly #parts: ToolGatewayParts;
  readonly #domains: readonly Domain[];
  readonly #repeats: Repeats;

  constructor(parts: ToolGatewayParts) {
    this.#parts = parts;
    this.#domains = parts.setup.domains.map((setup) => new Domain(setup, parts.log, parts.now));
    this.#repeats = new Repeats(parts);
  }

  async listTools(endpoint: Endpoint, signal: AbortSignal): Promise<readonly PublicTool[]> {
    const offers = await Promise.all(
      this.#domainsAt(endpoint).map((domain) => domain.offered(isPlainAt(domain, endpoint), signal)),
    );
    const tools = offers.flatMap((offer) => [...(offer?.values() ?? [])].map(({ definition }) => definition));
    return this.#parts.policy?.present(tools, endpoint.domain) ?? tools;
  }

  async callTool(call: GatewayCall, signal: AbortSignal): Promise<SourceResult> {
    const found = await this.#find(call, signal);
    const { log } = this.#parts;
    try {
      return this.#finish(await this.#checkAndCall(call, found, signal), found);
    } catch (failure) {
      if (signal.aborted) throw signal.reason;
      if (failure instanceof SourceProtocolError) {
        if (found?.isPlain) throw failure;
        return this.#finish(toolErrorResult(ofProtocol(failure)), found);
      }
      const isStore = failure instanceof StoreUnavailableError;
      log[isStore ? 'warn' : 'error'](
        { tool: loggable(call.tool), ...failureForLog(failure) },
        'a tool call has failed',
      );
      return this.#finish(toolErrorResult(isStore ? STORE_UNAVAILABLE : INTERNAL_ERROR), found);
    }
  }

  async #checkAndCall(call: GatewayCall, found: FoundTool | undefined, signal: AbortSignal): Promise<SourceResult> {
    const { store, now } = this.#parts;
    const meta = readCallerMeta(call.meta);
    if ('code' in meta) return toolErrorResult(meta);
    const session = await this.#session(call.caller, meta);
    if (session !== undefined && 'code' in session) return toolErrorResult(session);

    const decision = await this.#decide(call, found, meta, session, signal);
    if (decision.type === 'refuse') return toolErrorResult(decision.error);
    if (decision.type === 'answer') return decision.result;
    let outcome: CallOutcome = 'failed';
    try {
      if (!found) return toolErrorResult(this.#unknownTool(call));
      const callsPerMinute = limitOf(found);
      if (callsPerMinute > 0) {
        const by = meta.sessionId === undefined ? `caller ${call.caller.id}` : `session ${meta.sessionId}`;
        const refused = await countCall(store, { by, tool: found.tool.definition.name, callsPerMinute }, now());
        if (refused) {
          outcome = 'limited';
          return toolErrorResult(refused);
        }
      }
      const execute = async (executionSignal: AbortSignal): Promise<Executed> => {
        const executed = await this.#execute(call, found, meta, decision, executionSignal);
        outcome = executed.type === 'result' ? executed.outcome : executed.isStarted ? 'unknown' : 'failed';
        return executed;
      };
      if (!isRemembered(found, meta)) {
        const executed = await execute(signal);
        if (executed.type === 'aborted') throw signal.reason;
        return executed.result;
      }
      const argumentsDigest = digestOf(decision.arguments);
      if (typeof argumentsDigest !== 'string') return toolErrorResult(argumentsDigest);
      const { sessionId, idempotencyKey } = meta;
      const repeatable = {
        callerId: call.caller.id,
        sessionId,
        tool: found.tool.definition.name,
        idempotencyKey,
        argumentsDigest,
      };
      let isExecuted = false;
      const executeOnce = (executionSignal: AbortSignal) => {
        isExecuted = true;
        return execute(executionSignal);
      };
      const result = await this.#repeats.run(repeatable, executeOnce, signal);
      if (!isExecuted && !result.isError) outcome = 'replayed';
      return result;
    } finally {
      await decision.settle?.(outcome);
    }
  }

  async #execute(
    call: GatewayCall,
    { domain, tool }: FoundTool,
    meta: CallerMeta,
    decision: Extract<Decision, { type: 'allow' }>,
    signal: AbortSignal,
  ): Promise<Executed> {
    try {
      const refused = await decision.release?.(signal);
      if (refused) return { type: 'result', outcome: 'failed', result: toolErrorResult(refused) };
    } catch (failure) {
      if (signal.aborted) return { type: 'aborted', isStarted: false };
      throw failure;
    }
    const credential = credentialFor(domain.setup.credential, call.caller);
    const { inputResponses, requestState, onProgress } = call;
    const sourceCall: SourceCall = {
      name: tool.sourceName,
      arguments: decision.arguments,
      meta: meta.passedOn,
      ...(credential && { credential }),
      ...(inputResponses && { inputResponses }),
      ...(requestState !== undefined && { requestState }),
      ...(onProgress && { onProgress }),
    };
    // The visitor has released it for this one call: nobody's leaving may leave open whether it was made.
    return domain.execute(sourceCall, tool, decision.isTransaction ? NEVER : signal);
  }

  /** The live session, nothing where none is needed, or why the call is refused. */
  async #session(caller: Caller, meta: CallerMeta): Promise<CallSession | ToolError | undefined> {
    const { callers, policy, setup } = this.#parts;
    const isNeeded = setup.callers.type === 'session';
    if (!isNeeded && !policy) return undefined;
    if (meta.sessionId === undefined) return isNeeded ? SESSION_REQUIRED : undefined;
    const session = await callers.findSession(setup.callers, caller, meta.sessionId);
    return session ?? (isNeeded ? SESSION_UNKNOWN : undefined);
  }

  async #decide(
    call: GatewayCall,
    found: FoundTool | undefined,
    meta: CallerMeta,
    session: CallSession | undefined,
    signal: AbortSignal,
  ): Promise<Decision> {
    // `_meta` is the host's and no argument of the tool, wherever a caller has put it.
    const { _meta: _, ...args } = call.arguments;
    const { policy } = this.#parts;
    if (!policy) return { type: 'allow', arguments: args };
    const definition = found?.tool.definition;
    const asked = {
      session,
      tool: call.tool,
      domain: definition?.domain,
      definition,
      arguments: args,
      isReadOnly: definition?.annotations?.readOnlyHint === true,
      idempotencyKey: meta.idempotencyKey,
      endpointDomain: call.endpoint.domain,
      authorization: authorizationOf(call.caller),
    };
    return policy.decide(asked, signal);
  }

  async #find(call: GatewayCall, signal: AbortSignal): Promise<FoundTool | undefined> {
    for (const domain of this.#domainsAt(call.endpoint)) {
      const isPlain = isPlainAt(domain, call.endpoint);
      const tool = (await domain.offered(isPlain, signal))?.get(call.tool);
      if (tool) return { domain, tool, isPlain };
    }
    return undefined;
  }

  #domainsAt({ domain: name }: Endpoint): readonly Domain[] {
    return name === undefined ? this.#domains : this.#domains.filter(({ setup }) => setup.name === name);
  }

  /** Of a domain whose source could not be asked yet, any name may be right. */
  #unknownTool({ tool, endpoint }: GatewayCall): ToolError {
    const owner = this.#domainsAt(endpoint).find(
      (domain) => isPlainAt(domain, endpoint) || tool.startsWith(`${domain.setup.name}_`),
    );
    const domain = owner?.setup.name;
    const named = { received: loggable(tool), ...(domain !== undefined && { domain }) };
    if (owner && !owner.isKnown) return { ...named, ...TOOLS_UNKNOWN };
    return { ...named, ...UNKNOWN_TOOL };
  }

  /** Marks the answer with its domain. An error says nothing in the form of a schema that it does not fit: clients refuse that. */
  #finish(result: SourceResult, found: FoundTool | undefined): SourceResult {
    if (!found || found.isPlain) return withoutMisfit(result, found);
    const { name, isApi } = found.domain.setup;
    const content = result.structuredContent;
    const isObject = typeof content === 'object' && content !== null && !Array.isArray(content);
    // An answer of the API that has a member of this name says something else by it.
    const isMarked = this.#parts.policy && isApi && isObject && !('domain' in content);
    const marked = isMarked ? { structuredContent: { ...content, domain: name } } : {};
    return withoutMisfit({ ...result, ...marked, _meta: { ...result._meta, 'parley/domain': name } }, found);
  }
}

/** The visitor's own; the account key is nobody's. */
function authorizationOf({ credential, isAccountKey }: Caller): string | undefined {
  return credential?.type === 'authorization' && !isAccountKey ? credential.value : undefined;
}

const NEVER = new AbortController().signal;

function withoutMisfit(result: SourceResult, found: FoundTool | undefined): SourceResult {
  if (!result.isError || !found?.tool.definition.outputSchema) return result;
  const { structuredContent: _, ...rest } = result;
  return rest as SourceResult;
}

function isPlainAt({ setup }: Domain, endpoint: Endpoint): boolean {
  return setup.name === undefined || (setup.isTransparent && endpoint.domain === setup.name);
}

function limitOf({ domain, tool }: FoundTool): number {
  const { callsPerMinute, callsPerMinuteOf } = domain.setup;
  return Object.hasOwn(callsPerMinuteOf, tool.sourceName)
    ? (callsPerMinuteOf[tool.sourceName] ?? callsPerMinute)
    : callsPerMinute;
}

/** Reads are never held back; an API that takes the key itself decides where the owner says so. */
function isRemembered(
  { domain, tool }: FoundTool,
  meta: CallerMeta,
): meta is CallerMeta & { readonly idempotencyKey: string } {
  const { annotations, takesIdempotencyKey } = tool.definition;
  if (meta.idempotencyKey === undefined || annotations?.readOnlyHint) return false;
  return domain.setup.repeats === 'relay' || !takesIdempotencyKey;
}

/** Pruned like the key itself: what makes no other key makes no conflict. */
function digestOf(args: Readonly<Record<string, unknown>>): string | ToolError {
  try {
    return digest(canonicalJson(args, { isPruned: true }));
  } catch (failure) {
    if (!(failure instanceof NotCanonicalError)) throw failure;
    return {
      code: 'invalid_arguments',
      field: failure.path.slice(1),
      expected: failure.message,
      retryable: true,
      hint: 'Send the arguments in the form that is expected. The call was not carried out.',
    };
  }
}

const MAX_FOREIGN_CHARACTERS = 500;

/** The server's own text is data: it stands in a field of its own, short, and gives no instruction. */
function ofProtocol({ code, message }: SourceProtocolError): ToolError {
  return {
    code: 'api_error',
    received: `error ${code}: ${loggable(message.slice(0, MAX_FOREIGN_CHARACTERS))}`,
    retryable: false,
    hint: 'The server of this tool has refused the call; its own words stand in "received".',
  };
}

const UNKNOWN_TOOL: ToolError = {
  code: 'unknown_tool',
  expected: 'the name of a tool, exactly as tools/list shows it',
  retryable: false,
  hint: 'There is no such tool. Use one that is in the list.',
};

const TOOLS_UNKNOWN: ToolError = {
  code: 'api_unavailable',
  retryable: true,
  retryAfterMs: 5_000,
  hint: 'The server of these tools is not there at the moment. Try again after the time given, or tell the visitor.',
};

const SESSION_REQUIRED: ToolError = {
  code: 'session_required',
  field: '_meta.sessionId',
  expected: 'the agent host’s id of the session that the call belongs to',
  received: 'nothing',
  retryable: false,
  hint: 'The agent host must send _meta.sessionId with each call. The call was not carried out.',
};

const SESSION_UNKNOWN: ToolError = {
  code: 'session_unknown',
  field: '_meta.sessionId',
  expected: 'the id of a session that is not over and was begun with the caller’s credential',
  retryable: false,
  hint: 'There is no such session for this caller. The call was not carried out.',
};

const STORE_UNAVAILABLE: ToolError = {
  code: 'store_unavailable',
  retryable: true,
  retryAfterMs: 2_000,
  hint: 'The relay cannot check the call at the moment. It was not carried out; try again after the time given.',
};

const INTERNAL_ERROR: ToolError = {
  code: 'internal_error',
  retryable: false,
  hint: 'The relay has failed. Tell the visitor that this does not work at the moment.',
};
