/**
 * Lets the visitor release single calls. Everything is kept in the store and changed by compare and swap, so that the call can
 * wait on one relay, the code arrive at another, and either be restarted. The rules themselves stand in tool-policy/transactions.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Log } from '../log.ts';
import type { RelayEvent } from '../protocol/events.ts';
import type { Pulse } from '../pulse.ts';
import { type SessionRecord, sha256, transactionsKey } from '../sessions/session-record.ts';
import type { Condition, Store, Write } from '../store/store.ts';
import { canonicalJson } from '../tool-policy/canonical-json.ts';
import { sessionUnknownError } from '../tool-policy/intent-lock.ts';
import type { ToolError } from '../tool-policy/tool-error.ts';
import type { Transaction } from '../tool-policy/transactions.ts';
import * as rules from '../tool-policy/transactions.ts';
import * as errors from '../tool-policy/verification-errors.ts';
import { LogWatch } from '../turns/log-watch.ts';
import type { TurnRecord } from '../turns/turn-record.ts';
import type { CodeDelivery, Recipient } from './code-delivery.ts';
import {
  type DomainRecord,
  numberOf,
  present,
  put,
  putTransactions,
  type Read,
  readDomain,
  readSession,
  readTransactions,
  readTurn,
  settledEvents,
  tell,
  unchanged,
} from './conversation-state.ts';
import { codeCandidates, type OneTimeCodes } from './one-time-codes.ts';
import type { RecipientLookup } from './recipient-lookup.ts';

export interface VerificationParts {
  readonly store: Store;
  readonly pulse: Pulse;
  readonly log: Log;
  readonly codes: OneTimeCodes;
  /** Asked at each use: the configuration can change. */
  readonly means: () => VerificationMeans;
  /** Unix time in milliseconds. */
  readonly now: () => number;
}

/** How the visitor is reached; `waitMs`: how long a call waits for him. */
export interface VerificationMeans {
  readonly delivery: CodeDelivery;
  readonly lookup: RecipientLookup;
  readonly waitMs: number;
}

export interface AskedCall {
  readonly sessionId: string;
  readonly tool: string;
  readonly domain: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly needs: Transaction['needs'];
  /** Whether the domain that is active now is one in which this call may start. */
  isInDomain(active: string | null): boolean;
  readonly domainError: (active: string | null) => ToolError;
  readonly authorization?: string;
}

/** `started`: the call's release is spent and the call must be made, once. */
export type Release =
  | { readonly type: 'started'; readonly transactionId: string; readonly turn: number; readonly digest: string }
  | { readonly type: 'refused'; readonly error: ToolError; readonly digest: string };

export type VisitorAnswer =
  | { readonly type: 'code'; readonly code: string }
  | { readonly type: 'approve' }
  | { readonly type: 'decline' };

/** `unknown`: there is no such transaction in this conversation. */
export type AnswerOutcome =
  | { readonly type: 'verified' | 'declined' | 'locked' }
  | { readonly type: 'wrong'; readonly attemptsLeft: number }
  | { readonly type: 'over'; readonly status: rules.TransactionStatus }
  | { readonly type: 'unknown' };

const MOST_TRIES = 100;
const DELIVERY_MS = 10_000;

/** SHA-256 of what a release is good for (RFC 8785, nothing left out), as base64url. Throws `NotCanonicalError`. */
export function digestOf(tool: string, domain: string, args: Readonly<Record<string, unknown>>): string {
  return createHash('sha256')
    .update(`${JSON.stringify([domain, tool])}${canonicalJson(args)}`)
    .digest('base64url');
}

interface View {
  readonly session: SessionRecord;
  readonly turn: Read<TurnRecord | undefined>;
  readonly domain: Read<DomainRecord>;
  readonly transactions: Read<rules.Transactions>;
}

export class Verifications {
  readonly #parts: VerificationParts;

  constructor(parts: VerificationParts) {
    this.#parts = parts;
  }

  /**
   * Asks the visitor to release this call, or uses the release that he has given, or waits for the one that he was asked for
   * already. Rejects with the signal's reason while it waits; once a release is spent it resolves.
   */
  async release(call: AskedCall, signal: AbortSignal): Promise<Release> {
    const { store, pulse, means, now } = this.#parts;
    const digest = digestOf(call.tool, call.domain, call.arguments);
    const refused = (error: ToolError): Release => ({ type: 'refused', error, digest });
    const watch = new LogWatch(store, transactionsKey(call.sessionId), pulse);
    const deadlineMs = performance.now() + means().waitMs;
    /** The one that this call waits for. */
    let awaited: string | undefined;
    try {
      // Each round waits, ends, or was outrun by someone whose own round has got further.
      for (;;) {
        const view = await this.#view(call.sessionId);
        if (!view) return refused(sessionUnknownError());
        const turn = view.turn.value;
        if (turn?.status !== 'running' || turn.isStopRequested) return refused(errors.outsideTurn(call));
        const { active } = view.domain.value;
        if (!call.isInDomain(active)) return refused(call.domainError(active));
        const transactions = view.transactions.value;
        const found = awaited
          ? transactions.find(({ id }) => id === awaited)
          : rules.findTransaction(transactions, { ...call, digest }, turn.turn);
        const status = found && rules.statusAt(found, now());
        if (found && status === 'waiting') {
          const leftMs = deadlineMs - performance.now();
          if (leftMs <= 0) return refused(waitingError(call));
          awaited = found.id;
          await changeOrTime(watch, signal, leftMs);
        } else if (found && status === 'verified') {
          signal.throwIfAborted();
          if (await this.#start(call, view, found)) {
            return { type: 'started', transactionId: found.id, turn: turn.turn, digest };
          }
        } else {
          const error = endOf(status, call, awaited !== undefined);
          if (error) return refused(error);
          const asked = await this.#ask(call, digest, view, turn.turn, signal);
          if (asked.type === 'refused') return refused(asked.error);
          if (asked.type === 'asked') awaited = asked.transactionId;
        }
      }
    } finally {
      watch.close();
    }
  }

  /** The visitor's answer, from whatever relay. */
  async answer(sessionId: string, transactionId: string, given: VisitorAnswer): Promise<AnswerOutcome> {
    const { store, codes, now } = this.#parts;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const view = await this.#view(sessionId);
      const transaction = view?.transactions.value.find(({ id }) => id === transactionId);
      if (!view || !transaction) return { type: 'unknown' };
      const nowMs = now();
      const isRight = () =>
        given.type === 'code' && codes.isRight(given.code, transaction.codeMac, { ...transaction, sessionId });
      const judged = given.type === 'code' ? { type: 'code' as const, isRight } : given;
      const result = rules.answer(view.transactions.value, transaction, judged, nowMs);
      const events =
        result.type === 'wrong' ? [eventOf(result.transaction, nowMs)] : settledEvents(result.step.settled, nowMs);
      const isChanged = result.step.transactions !== view.transactions.value;
      if (isChanged) {
        const { isCommitted } = await store.commit(
          [present(sessionId), unchanged(view.transactions)],
          [
            ...putTransactions(sessionId, result.step.transactions, view.session),
            ...tell(sessionId, events, numberOf(view.turn.value), view.session),
          ],
        );
        if (!isCommitted) continue;
      }
      switch (result.type) {
        case 'wrong':
          return { type: 'wrong', attemptsLeft: result.transaction.attemptsLeft };
        case 'over':
          return { type: 'over', status: result.transaction.status };
        case 'verified':
        case 'declined':
        case 'locked':
          return { type: result.type };
      }
    }
    throw new Error('a transaction changed too often to be answered');
  }

  /**
   * What has to be written together with the start of a turn: the visitor has said something new, so that what was asked before
   * cannot be released any more; except the transaction that he lets go on. Undefined: `continues` names none that could.
   */
  async beforeTurn(
    sessionId: string,
    turn: number,
    continues: string | undefined,
  ): Promise<{ readonly conditions: readonly Condition[]; readonly writes: readonly Write[] } | undefined> {
    const { store, now } = this.#parts;
    const transactions = await readTransactions(store, sessionId);
    const nowMs = now();
    const step =
      continues === undefined
        ? rules.replaceOpen(transactions.value, nowMs)
        : rules.continueIn(transactions.value, continues, turn, nowMs);
    if (!step) return undefined;
    const conditions = [unchanged(transactions)];
    if (step.transactions === transactions.value) return { conditions, writes: [] };
    const session = await readSession(store, sessionId, nowMs);
    if (!session) return { conditions, writes: [] };
    return {
      conditions,
      writes: [
        ...putTransactions(sessionId, step.transactions, session),
        ...tell(sessionId, settledEvents(step.settled, nowMs), 0, session),
      ],
    };
  }

  /**
   * Whether a message has a live code in it, or may have: then it must not be sent on. Asking again and again tells nobody a
   * code: after a few numbers like one, all are taken for it.
   */
  async hasLiveCode(sessionId: string, message: string): Promise<boolean> {
    const candidates = codeCandidates(message);
    if (candidates.length === 0) return false;
    const { store, codes, now } = this.#parts;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const transactions = await readTransactions(store, sessionId);
      const live = rules.liveCodes(transactions.value, now());
      if (live.length === 0) return false;
      if (candidates === 'tooMany' || live.some(({ looks }) => looks >= rules.MOST_LOOKS)) return true;
      const session = await readSession(store, sessionId, now());
      if (!session) return false;
      const { isCommitted } = await store.commit(
        [present(sessionId), unchanged(transactions)],
        [put(transactions.key, asJson(rules.looked(transactions.value, now())), session)],
      );
      if (!isCommitted) continue;
      return live.some((transaction) =>
        candidates.some((candidate) => codes.isRight(candidate, transaction.codeMac, { ...transaction, sessionId })),
      );
    }
    return true;
  }

  async #view(sessionId: string): Promise<View | undefined> {
    const { store, now } = this.#parts;
    const [session, turn, domain, transactions] = await Promise.all([
      readSession(store, sessionId, now()),
      readTurn(store, sessionId),
      readDomain(store, sessionId),
      readTransactions(store, sessionId),
    ]);
    return session && { session, turn, domain, transactions };
  }

  /** Spends the release. True: this call has it, and nobody else ever will. */
  async #start({ sessionId, needs, domain }: AskedCall, view: View, found: Transaction): Promise<boolean> {
    const nowMs = this.#parts.now();
    const step = rules.start(view.transactions.value, found, nowMs);
    if (!step) return false;
    const consented = [...new Set([...view.domain.value.consented, domain])];
    const { isCommitted } = await this.#parts.store.commit(
      [present(sessionId), unchanged(view.turn), unchanged(view.domain), unchanged(view.transactions)],
      [
        ...putTransactions(sessionId, step.transactions, view.session),
        ...tell(sessionId, settledEvents(step.settled, nowMs), numberOf(view.turn.value), view.session),
        ...(needs === 'consent' ? [put(view.domain.key, { ...view.domain.value, consented }, view.session)] : []),
      ],
    );
    return isCommitted;
  }

  /** `outrun`: something has changed meanwhile; look again. */
  async #ask(
    call: AskedCall,
    digest: string,
    view: View,
    turn: number,
    signal: AbortSignal,
  ): Promise<
    | { readonly type: 'asked'; readonly transactionId: string }
    | { readonly type: 'outrun' }
    | { readonly type: 'refused'; readonly error: ToolError }
  > {
    const { sessionId, tool, domain, needs } = call;
    const id = randomBytes(16).toString('base64url');
    const code = needs === 'code' ? this.#parts.codes.draw() : '';
    const codeMac = needs === 'code' ? this.#parts.codes.mac(code, { id, tool, domain, digest, sessionId }) : '';
    let recipient: Recipient | undefined;
    if (needs === 'code') {
      recipient = await this.#recipient(call, view.session, signal);
      if (!recipient) return { type: 'refused', error: errors.undelivered(call) };
    }
    const nowMs = this.#parts.now();
    const budget = await this.#budget(view, needs, recipient, nowMs);
    if (budget.waitMs > 0) return { type: 'refused', error: errors.tooManyChallenges(call, budget.waitMs) };
    signal.throwIfAborted();
    const asked = {
      id,
      needs,
      tool,
      domain,
      arguments: asJson<Transaction['arguments']>(call.arguments),
      digest,
      turn,
      codeMac,
    };
    const step = rules.challenge(view.transactions.value, asked, nowMs);
    const transaction = step.transactions.at(-1) as Transaction;
    const { isCommitted } = await this.#parts.store.commit(
      [
        present(sessionId),
        unchanged(view.turn),
        unchanged(view.domain),
        unchanged(view.transactions),
        ...budget.conditions,
      ],
      [
        ...putTransactions(sessionId, step.transactions, view.session),
        ...tell(sessionId, [eventOf(transaction, nowMs)], turn, view.session),
        ...budget.writes,
      ],
    );
    if (!isCommitted) return { type: 'outrun' };
    if (recipient) await this.#deliver(sessionId, transaction, code, recipient);
    return { type: 'asked', transactionId: id };
  }

  async #recipient(call: AskedCall, session: SessionRecord, signal: AbortSignal): Promise<Recipient | undefined> {
    const { means, log } = this.#parts;
    const { sessionId, authorization } = call;
    const { application, userId } = session;
    const visitor = { sessionId, application, userId, ...(authorization !== undefined && { authorization }) };
    try {
      return await means().lookup.find(visitor, AbortSignal.any([signal, AbortSignal.timeout(DELIVERY_MS)]));
    } catch (failure) {
      signal.throwIfAborted();
      log.warn({ sessionId, ...nameOf(failure) }, 'the look-up of where a code is sent failed');
      return undefined;
    }
  }

  /** Not cancelled with the call: the visitor is asked already. */
  async #deliver(sessionId: string, transaction: Transaction, code: string, recipient: Recipient): Promise<void> {
    const { means, log } = this.#parts;
    const { id: transactionId, tool, domain, arguments: args, expiresAtMs } = transaction;
    const message = { code, recipient, transactionId, tool, domain, arguments: args, expiresAtMs };
    try {
      await means().delivery.deliver(message, AbortSignal.timeout(DELIVERY_MS));
    } catch (failure) {
      log.warn({ sessionId, transactionId, ...nameOf(failure) }, 'a code could not be sent');
      await this.#giveUp(sessionId, transactionId);
    }
  }

  async #giveUp(sessionId: string, transactionId: string): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const view = await this.#view(sessionId);
      const transaction = view?.transactions.value.find(({ id }) => id === transactionId);
      const nowMs = this.#parts.now();
      if (!view || !transaction || rules.statusAt(transaction, nowMs) !== 'waiting') return;
      const step = rules.fail(view.transactions.value, transaction);
      const { isCommitted } = await this.#parts.store.commit(
        [present(sessionId), unchanged(view.transactions)],
        [
          ...putTransactions(sessionId, step.transactions, view.session),
          ...tell(sessionId, settledEvents(step.settled, nowMs), numberOf(view.turn.value), view.session),
        ],
      );
      if (isCommitted) return;
    }
  }

  /** Whether another challenge is allowed now, and what has to be written so that it counts. */
  async #budget(view: View, needs: Transaction['needs'], recipient: Recipient | undefined, nowMs: number) {
    const ofSession = view.transactions.value.filter((made) => made.needs === needs).map((made) => made.createdAtMs);
    let waitMs = rules.challengeWaitMs(ofSession, nowMs);
    const conditions: Condition[] = [];
    const writes: Write[] = [];
    const { application, userId } = view.session;
    const counted = recipient
      ? [
          `challenges:visitor:${sha256(`${application}/${userId}`)}`,
          `challenges:recipient:${sha256(recipient.address)}`,
        ]
      : [];
    for (const key of counted) {
      const stored = await this.#parts.store.get(key);
      const times = Array.isArray(stored?.value) ? stored.value.filter((at) => typeof at === 'number') : [];
      waitMs = Math.max(waitMs, rules.challengeWaitMs(times, nowMs));
      conditions.push(unchanged({ key, version: stored?.version, value: undefined }));
      const value = [...times.slice(1 - rules.MOST_CHALLENGES), nowMs];
      writes.push({ type: 'put', key, value, expiresAtMs: nowMs + rules.CHALLENGE_WINDOW_MS });
    }
    return { waitMs, conditions, writes };
  }
}

/** The error for a call that finds its transaction at an end; undefined: another one may be asked for. */
function endOf(
  status: rules.TransactionStatus | undefined,
  call: AskedCall,
  hasWaited: boolean,
): ToolError | undefined {
  switch (status) {
    case 'declined':
      return call.needs === 'consent' ? errors.consentDeclined(call.domain) : errors.declined(call);
    case 'locked':
      return errors.locked(call);
    case 'undelivered':
      return errors.undelivered(call);
    // Ends that a later call with the same arguments is not bound by.
    case 'replaced':
      return hasWaited ? errors.replacedMeanwhile(call) : undefined;
    case 'started':
      return hasWaited ? errors.spentElsewhere(call) : undefined;
    case 'expired':
    case undefined:
      return hasWaited ? errors.ranOut(call) : undefined;
    case 'waiting':
    case 'verified':
      return undefined;
  }
}

function waitingError(call: AskedCall): ToolError {
  return call.needs === 'consent' ? errors.consentWaiting(call.domain) : errors.stillWaiting(call);
}

function eventOf(transaction: Transaction, nowMs: number): RelayEvent {
  const { id: transactionId, tool, domain, arguments: args, expiresAtMs, attemptsLeft, needs } = transaction;
  return {
    type: 'verification',
    data: {
      transactionId,
      ...(needs === 'consent' && { needs }),
      tool,
      domain,
      arguments: args,
      expiresAt: new Date(expiresAtMs).toISOString(),
      attemptsLeft,
      timestamp: new Date(nowMs).toISOString(),
    },
  };
}

/** Resolves when there may be something new or the time is up; rejects with the signal's reason. */
async function changeOrTime(watch: LogWatch, signal: AbortSignal, milliseconds: number): Promise<void> {
  try {
    await watch.change(AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(milliseconds))]));
  } catch (reason) {
    if (signal.aborted) throw reason;
  }
}

/** A failure of the delivery can quote what was to be delivered: only its kind goes into the log. */
function nameOf(failure: unknown): { error: string } {
  const code = failure instanceof Error && 'code' in failure ? ` (${String(failure.code)})` : '';
  return { error: failure instanceof Error ? `${failure.name}${code}` : 'a failure' };
}

/** What came as JSON, as a copy of its own. */
function asJson<Value>(value: unknown): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
