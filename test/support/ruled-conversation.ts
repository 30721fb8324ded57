/** Conversations of a store with the rules at work on them, seen from both ends: the agent's calls and the visitor's answers. */
import type { Log } from '../../relay/log.ts';
import { createLog } from '../../relay/log.ts';
import { Pulse } from '../../relay/pulse.ts';
import { type SessionRecord, sessionKey, sessionLog, turnKey } from '../../relay/sessions/session-record.ts';
import type { JsonValue, Store } from '../../relay/store/store.ts';
import type { CallOutcome, PublicTool } from '../../relay/tool-policy/decision.ts';
import type { PolicyRules } from '../../relay/tool-policy/policy-rules.ts';
import type { ToolError } from '../../relay/tool-policy/tool-error.ts';
import { numberedEventOf } from '../../relay/turns/log-entry.ts';
import { type AuditLine, LoggedAudit } from '../../relay/verification/audit-log.ts';
import type { CodeDelivery, CodeToDeliver } from '../../relay/verification/code-delivery.ts';
import { OneTimeCodes } from '../../relay/verification/one-time-codes.ts';
import { type RecipientLookup, VisitorItself } from '../../relay/verification/recipient-lookup.ts';
import { SessionPolicy } from '../../relay/verification/session-policy.ts';
import { Verifications } from '../../relay/verification/verifications.ts';

const SECRET = 'a secret of the tests, 32 bytes or more';

/** A postbox in place of the visitor's telephone. */
export class Postbox implements CodeDelivery {
  readonly codes: CodeToDeliver[] = [];

  async deliver(code: CodeToDeliver): Promise<void> {
    this.codes.push(code);
  }

  close(): void {}
}

export interface RulesAtWork {
  readonly policy: SessionPolicy;
  readonly verifications: Verifications;
  /** The decisions so far, as they stand in the log. */
  readonly audited: AuditLine[];
  readonly logText: () => string;
  readonly log: Log;
}

export interface AtWorkOptions {
  readonly store: Store;
  readonly rules: PolicyRules;
  readonly delivery?: CodeDelivery;
  readonly lookup?: RecipientLookup;
  readonly now?: () => number;
  readonly secrets?: readonly [string, ...string[]];
}

/** One relay's rules. Several over one store are several relays, or one before and after its restart. */
export function putRulesToWork(options: AtWorkOptions): RulesAtWork {
  const { store, rules, delivery = new Postbox(), lookup = new VisitorItself(), now = Date.now } = options;
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const verifications = new Verifications({
    store,
    pulse: new Pulse(),
    log,
    codes: new OneTimeCodes(options.secrets ?? [SECRET]),
    means: () => ({ delivery, lookup, waitMs: rules.verification.waitMs }),
    now,
  });
  const policy = new SessionPolicy({ rules, store, verifications, audit: new LoggedAudit(log), now });
  return {
    policy,
    verifications,
    log,
    logText: () => lines.join(''),
    get audited() {
      return lines.map((line) => JSON.parse(line)).filter((line) => line.msg === 'decision');
    },
  };
}

/** Writes what a relay writes when a session starts and its first message comes. */
export async function beginConversation(
  store: Store,
  sessionId: string,
  options: { userId?: string; nowMs?: number; turn?: number } = {},
): Promise<void> {
  const nowMs = options.nowMs ?? Date.now();
  const record: SessionRecord = {
    tokenHash: 'x',
    origin: null,
    application: 'app-1',
    hostSessionId: `host-${sessionId}`,
    sealedSecret: 'x',
    userId: options.userId ?? `user-${sessionId}`,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + 3_600_000,
    initialMessage: '',
    startedBy: 'key',
  };
  const expiresAtMs = nowMs + 7_200_000;
  await store.commit([], [{ type: 'put', key: sessionKey(sessionId), value: record, expiresAtMs }]);
  await writeTurn(store, sessionId, options.turn ?? 1, 'running', expiresAtMs);
}

export async function writeTurn(
  store: Store,
  sessionId: string,
  turn: number,
  status: 'running' | 'ended',
  expiresAtMs = Date.now() + 7_200_000,
): Promise<void> {
  const value: JsonValue = { turn, status, relay: 'r', afterSequence: 0, endSequence: null, isStopRequested: false };
  await store.commit([], [{ type: 'put', key: turnKey(sessionId), value, expiresAtMs }]);
}

/** The visitor says something new (or lets a transaction go on): what the relay's turns do when a message comes. */
export async function sayNext(
  store: Store,
  { verifications }: RulesAtWork,
  sessionId: string,
  turn: number,
  continues?: string,
): Promise<boolean> {
  const before = await verifications.beforeTurn(sessionId, turn, continues);
  if (!before) return false;
  await store.commit([], before.writes);
  await writeTurn(store, sessionId, turn, 'running');
  return true;
}

export type CallResult =
  | { readonly type: 'called'; readonly arguments: Readonly<Record<string, unknown>> }
  | { readonly type: 'refused'; readonly error: ToolError }
  | { readonly type: 'answered'; readonly content: unknown };

/** One `tools/call`, through the checks in the gateway's order; `api` is what it calls when they let it. */
export async function callTool(
  { policy }: RulesAtWork,
  call: {
    readonly sessionId?: string;
    readonly turn?: number;
    readonly tool: string;
    readonly definition: PublicTool | undefined;
    readonly arguments: Readonly<Record<string, unknown>>;
    readonly endpointDomain?: string;
  },
  api: (args: Readonly<Record<string, unknown>>) => void = () => {},
  signal: AbortSignal = new AbortController().signal,
): Promise<CallResult> {
  const { sessionId, definition, turn = 1 } = call;
  const decision = await policy.decide(
    {
      session: sessionId === undefined ? undefined : { sessionId, turn },
      tool: call.tool,
      domain: definition?.domain,
      definition,
      arguments: call.arguments,
      isReadOnly: definition?.annotations?.readOnlyHint === true,
      idempotencyKey: undefined,
      endpointDomain: call.endpointDomain,
    },
    signal,
  );
  if (decision.type === 'refuse') return { type: 'refused', error: decision.error };
  if (decision.type === 'answer') {
    const { isError, structuredContent } = decision.result;
    if (isError) return { type: 'refused', error: structuredContent as ToolError };
    return { type: 'answered', content: structuredContent };
  }
  let outcome: CallOutcome = 'failed';
  try {
    const refused = await decision.release?.(signal);
    if (refused) return { type: 'refused', error: refused };
    api(decision.arguments);
    outcome = 'done';
    return { type: 'called', arguments: decision.arguments };
  } finally {
    await decision.settle?.(outcome);
  }
}

/** The events of a conversation so far. */
export async function eventsOf(store: Store, sessionId: string) {
  const { entries } = await store.readLog(sessionLog(sessionId), 0, 10_000);
  return entries.map(numberedEventOf);
}

export const COACH_SEARCH: PublicTool = {
  name: 'coach_search',
  domain: 'coach',
  description: 'Finds coaches between two cities on a day.',
  annotations: { readOnlyHint: true },
  inputSchema: {
    type: 'object',
    properties: {
      from: { type: 'string', description: 'City of departure' },
      to: { type: 'string', description: 'City of arrival' },
      date: { type: 'string', format: 'date', description: 'Day of departure' },
      passengers: { type: 'integer', minimum: 1, maximum: 9, description: 'Number of passengers' },
    },
    required: ['from', 'to', 'date'],
  },
};

export const COACH_BOOK: PublicTool = {
  name: 'coach_book',
  domain: 'coach',
  description: 'Books seats on a coach.',
  annotations: { readOnlyHint: false },
  inputSchema: {
    type: 'object',
    properties: {
      trip: { type: 'string' },
      passengers: { type: 'integer', minimum: 1, maximum: 9 },
      price: {
        type: 'object',
        properties: { amount: { type: 'number' }, currency: { type: 'string', description: 'ISO 4217' } },
        required: ['amount', 'currency'],
      },
    },
    required: ['trip', 'passengers'],
  },
};

export const CAR_SEARCH: PublicTool = {
  name: 'car_search',
  domain: 'car',
  description: 'Finds cars for hire in a city from a day on.',
  annotations: { readOnlyHint: true },
  inputSchema: {
    type: 'object',
    properties: {
      from: { type: 'string', description: 'City where the car is taken' },
      to: { type: 'string', description: 'City where the car is left' },
      date: { type: 'string', format: 'date', description: 'First day' },
      days: { type: 'integer', minimum: 1 },
    },
    required: ['from', 'date'],
  },
};

export const SHOP_ORDER: PublicTool = {
  name: 'shop_create_order',
  domain: 'shop',
  description: 'Orders goods.',
  annotations: { readOnlyHint: false },
  inputSchema: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
};

export const TOOLS = [COACH_SEARCH, COACH_BOOK, CAR_SEARCH, SHOP_ORDER];

export const RULES: PolicyRules = {
  lockStart: 'first-call',
  domains: [
    { name: 'coach', about: 'long-distance coaches', limits: { perMinute: 30 } },
    { name: 'car', about: 'hired cars', not: ['travelling by coach (use coach_search)'] },
    { name: 'shop', about: 'travel goods', transactions: { exempt: ['shop_create_order'] } },
  ],
  verification: { waitMs: 2_000 },
};
