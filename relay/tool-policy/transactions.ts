/**
 * The states of a transaction that only the visitor can release, and every way from one to the next. Pure: a conversation's
 * transactions go in, the next ones and what became of them come out; whoever stores them does so by compare and swap, so that
 * each step happens once. docs/transactions.md shows the same as a picture.
 */
import { z } from 'zod';
import type { VerificationOutcome } from '../protocol/events.ts';

const MOST_ATTEMPTS = 5;
const CODE_LIFETIME_MS = 300_000;
/** From the right code on: as long again, for a visitor who presses "continue" later. */
const RELEASE_LIFETIME_MS = 300_000;
export const MOST_CHALLENGES = 3;
export const CHALLENGE_WINDOW_MS = 900_000;
/** Of a message against a live code: after so many, every number like a code is taken for it. */
export const MOST_LOOKS = 5;

const STATUSES = [
  'waiting',
  'verified',
  'started',
  'declined',
  'expired',
  'locked',
  'replaced',
  'undelivered',
] as const;

const transactionSchema = z.object({
  id: z.string(),
  /** `code`: the one-time code; `consent`: a yes. */
  needs: z.enum(['code', 'consent']),
  tool: z.string(),
  domain: z.string(),
  arguments: z.record(z.string(), z.json()),
  /** Of tool, domain and canonical arguments. */
  digest: z.string(),
  /** The turn whose call asked for it. */
  turn: z.number(),
  /** The turn that the visitor began to let it go on. */
  continuedIn: z.number().nullable(),
  status: z.enum(STATUSES),
  /** Empty for a consent. */
  codeMac: z.string(),
  attemptsLeft: z.number(),
  looks: z.number(),
  createdAtMs: z.number(),
  expiresAtMs: z.number(),
});

export type Transaction = z.output<typeof transactionSchema>;
export type TransactionStatus = Transaction['status'];

/** A conversation's transactions of the last quarter of an hour, oldest first. */
export const transactionsSchema = z.array(transactionSchema);
export type Transactions = readonly Transaction[];

export interface Subject {
  readonly tool: string;
  readonly domain: string;
  readonly digest: string;
}

export interface Settlement {
  readonly transactionId: string;
  readonly outcome: VerificationOutcome;
}

export interface Step {
  readonly transactions: Transactions;
  readonly settled: readonly Settlement[];
}

/** Its state now: what nobody has answered in time is over without anyone having written so. */
export function statusAt(transaction: Transaction, nowMs: number): TransactionStatus {
  return isOpen(transaction) && transaction.expiresAtMs <= nowMs ? 'expired' : transaction.status;
}

/** The newest transaction for exactly this call in this turn, whatever became of it. */
export function findTransaction(transactions: Transactions, subject: Subject, turn: number): Transaction | undefined {
  return transactions.findLast(
    (transaction) =>
      transaction.tool === subject.tool &&
      transaction.domain === subject.domain &&
      transaction.digest === subject.digest &&
      (transaction.turn === turn || transaction.continuedIn === turn),
  );
}

/** Milliseconds until another challenge may be made, from the times of the earlier ones; 0: now. */
export function challengeWaitMs(createdAtMs: readonly number[], nowMs: number): number {
  const recent = createdAtMs.filter((at) => at > nowMs - CHALLENGE_WINDOW_MS).sort((a, b) => a - b);
  const oldestThatCounts = recent.at(-MOST_CHALLENGES);
  return oldestThatCounts === undefined ? 0 : oldestThatCounts + CHALLENGE_WINDOW_MS - nowMs;
}

/** Adds a challenge; what is too old to count goes. */
export function challenge(
  transactions: Transactions,
  asked: Pick<Transaction, 'id' | 'needs' | 'tool' | 'domain' | 'arguments' | 'digest' | 'turn' | 'codeMac'>,
  nowMs: number,
): Step {
  const kept = transactions.filter(
    ({ createdAtMs, expiresAtMs }) => createdAtMs > nowMs - CHALLENGE_WINDOW_MS || expiresAtMs > nowMs,
  );
  const made: Transaction = {
    ...asked,
    continuedIn: null,
    status: 'waiting',
    attemptsLeft: MOST_ATTEMPTS,
    looks: 0,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + CODE_LIFETIME_MS,
  };
  return { transactions: [...kept, made], settled: [] };
}

/**
 * `wrong`: the code was not right, attempts are left. `over`: there is nothing that could be answered, for the reason in
 * `status`. The others are the state that the answer has led to.
 */
export type AnswerResult = {
  readonly type: 'verified' | 'declined' | 'locked' | 'wrong' | 'over';
  readonly transaction: Transaction;
  readonly step: Step;
};

/** The visitor's answer to a transaction of his. `isRight` judges his code; it is asked only while the code can be right. */
export function answer(
  transactions: Transactions,
  transaction: Transaction,
  given: { readonly type: 'code'; isRight(): boolean } | { readonly type: 'approve' | 'decline' },
  nowMs: number,
): AnswerResult {
  const status = statusAt(transaction, nowMs);
  const isDeclinable = status === 'waiting' || status === 'verified';
  const isAnswerable = given.type === 'decline' ? isDeclinable : status === 'waiting';
  if (!isAnswerable) {
    const isWritten = status === transaction.status || status === 'waiting';
    const step = isWritten ? { transactions, settled: [] } : settle(transactions, transaction, status);
    return { type: 'over', transaction: { ...transaction, status }, step };
  }
  if (given.type === 'decline') return answered('declined', transactions, transaction);
  const isRight = given.type === 'code' ? given.isRight() : transaction.needs === 'consent';
  if (isRight) {
    const step = settle(transactions, transaction, 'verified', { expiresAtMs: nowMs + RELEASE_LIFETIME_MS });
    return { type: 'verified', transaction, step };
  }
  const attemptsLeft = transaction.attemptsLeft - 1;
  if (attemptsLeft <= 0) return answered('locked', transactions, transaction, { attemptsLeft: 0 });
  const left: Transaction = { ...transaction, attemptsLeft };
  return { type: 'wrong', transaction: left, step: { transactions: replace(transactions, left), settled: [] } };
}

/** The call starts: the release is spent. Undefined when there is none to spend (any more). */
export function start(transactions: Transactions, transaction: Transaction, nowMs: number): Step | undefined {
  return statusAt(transaction, nowMs) === 'verified' ? settle(transactions, transaction, 'started') : undefined;
}

/** No code could be sent. */
export function fail(transactions: Transactions, transaction: Transaction): Step {
  return settle(transactions, transaction, 'undelivered');
}

/** The visitor has said something else, or the domain has changed: what was asked before cannot be released any more. */
export function replaceOpen(transactions: Transactions, nowMs: number, exceptId?: string): Step {
  let step: Step = { transactions, settled: [] };
  for (const transaction of transactions) {
    if (!isOpen(transaction) || transaction.id === exceptId) continue;
    const outcome = statusAt(transaction, nowMs) === 'expired' ? 'expired' : 'replaced';
    const next = settle(step.transactions, transaction, outcome);
    step = { transactions: next.transactions, settled: [...step.settled, ...next.settled] };
  }
  return step;
}

/** The visitor begins a turn to let a verified transaction go on. Undefined: it is not one that waits for that. */
export function continueIn(transactions: Transactions, id: string, turn: number, nowMs: number): Step | undefined {
  const transaction = transactions.find((transaction) => transaction.id === id);
  if (!transaction || statusAt(transaction, nowMs) !== 'verified' || transaction.needs !== 'code') return undefined;
  const others = replaceOpen(transactions, nowMs, id);
  return { ...others, transactions: replace(others.transactions, { ...transaction, continuedIn: turn }) };
}

/** The transactions whose code is live. */
export function liveCodes(transactions: Transactions, nowMs: number): Transaction[] {
  return transactions.filter(
    (transaction) => transaction.needs === 'code' && statusAt(transaction, nowMs) === 'waiting',
  );
}

/** A message with numbers like a code was compared with the live ones. */
export function looked(transactions: Transactions, nowMs: number): Transactions {
  const live = new Set(liveCodes(transactions, nowMs));
  return transactions.map((transaction) =>
    live.has(transaction) ? { ...transaction, looks: transaction.looks + 1 } : transaction,
  );
}

function isOpen({ status }: Transaction): boolean {
  return status === 'waiting' || status === 'verified';
}

function answered(
  outcome: 'declined' | 'locked',
  transactions: Transactions,
  transaction: Transaction,
  change: Partial<Transaction> = {},
): AnswerResult {
  return { type: outcome, transaction, step: settle(transactions, transaction, outcome, change) };
}

function settle(
  transactions: Transactions,
  transaction: Transaction,
  status: Exclude<TransactionStatus, 'waiting'>,
  change: Partial<Transaction> = {},
): Step {
  return {
    transactions: replace(transactions, { ...transaction, ...change, status }),
    settled: [{ transactionId: transaction.id, outcome: status }],
  };
}

function replace(transactions: Transactions, changed: Transaction): Transactions {
  return transactions.map((transaction) => (transaction.id === changed.id ? changed : transaction));
}
