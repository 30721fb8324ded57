/** What the store knows of a conversation that a decision about a call can depend on, with the versions that it stands on. */
import { z } from 'zod';
import type { RelayEvent } from '../protocol/events.ts';
import {
  domainKey,
  keptUntilMs,
  parseSessionRecord,
  type SessionRecord,
  sessionKey,
  sessionLog,
  transactionsKey,
  turnKey,
} from '../sessions/session-record.ts';
import type { Condition, JsonValue, Store, StoredValue, Write } from '../store/store.ts';
import { type Settlement, type Transactions, transactionsSchema } from '../tool-policy/transactions.ts';
import { entryOf } from '../turns/log-entry.ts';
import { parseTurnRecord, type TurnRecord } from '../turns/turn-record.ts';

/** A value that was read; `version` undefined: there was none. */
export interface Read<Value> {
  readonly key: string;
  readonly version: number | undefined;
  readonly value: Value;
}

const domainSchema = z.object({
  active: z.string().nullable(),
  /** Domains that the visitor has said yes to. */
  consented: z.array(z.string()),
});

export type DomainRecord = z.output<typeof domainSchema>;

const NO_DOMAIN_YET: DomainRecord = { active: null, consented: [] };

/** The session, if it goes on. */
export async function readSession(store: Store, sessionId: string, nowMs: number): Promise<SessionRecord | undefined> {
  const stored = await store.get(sessionKey(sessionId));
  if (!stored) return undefined;
  const record = parseSessionRecord(stored.value);
  return record.expiresAtMs > nowMs ? record : undefined;
}

export async function readDomain(store: Store, sessionId: string): Promise<Read<DomainRecord>> {
  const key = domainKey(sessionId);
  return read(key, await store.get(key), (value) => domainSchema.parse(value), NO_DOMAIN_YET);
}

export async function readTransactions(store: Store, sessionId: string): Promise<Read<Transactions>> {
  const key = transactionsKey(sessionId);
  return read<Transactions>(key, await store.get(key), (value) => transactionsSchema.parse(value), []);
}

export async function readTurn(store: Store, sessionId: string): Promise<Read<TurnRecord | undefined>> {
  const key = turnKey(sessionId);
  return read<TurnRecord | undefined>(key, await store.get(key), parseTurnRecord, undefined);
}

/** The number under which an event of now stands in the log: that of the running turn, or 0. */
export function numberOf(turn: TurnRecord | undefined): number {
  return turn?.status === 'running' ? turn.turn : 0;
}

/** The condition that what was read is still so. */
export function unchanged({ key, version }: Read<unknown>): Condition {
  return version === undefined ? { type: 'absent', key } : { type: 'version', key, version };
}

export function present(sessionId: string): Condition {
  return { type: 'present', key: sessionKey(sessionId) };
}

export function put(key: string, value: JsonValue, session: SessionRecord): Write {
  return { type: 'put', key, value, expiresAtMs: keptUntilMs(session) };
}

/** Puts the transactions and wakes who waits for one of them. */
export function putTransactions(sessionId: string, transactions: Transactions, session: SessionRecord): Write[] {
  const key = transactionsKey(sessionId);
  return [put(key, [...transactions] as unknown as JsonValue, session), { type: 'wake', topic: key }];
}

/** Appends events to the conversation's log and has the turn that runs, on whatever relay, show them to its readers. */
export function tell(sessionId: string, events: readonly RelayEvent[], turn: number, session: SessionRecord): Write[] {
  if (events.length === 0) return [];
  const entries = events.map((event) => entryOf(turn, event));
  return [
    { type: 'append', log: sessionLog(sessionId), entries, expiresAtMs: keptUntilMs(session) },
    { type: 'wake', topic: turnKey(sessionId) },
  ];
}

export function settledEvents(settled: readonly Settlement[], nowMs: number): RelayEvent[] {
  const timestamp = new Date(nowMs).toISOString();
  return settled.map((settlement) => ({ type: 'verification-settled', data: { ...settlement, timestamp } }));
}

function read<Value>(
  key: string,
  stored: StoredValue | undefined,
  parse: (value: unknown) => Value,
  otherwise: Value,
): Read<Value> {
  return { key, version: stored?.version, value: stored ? parse(stored.value) : otherwise };
}
