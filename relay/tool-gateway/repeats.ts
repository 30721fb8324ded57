/**
 * The memory of calls: a call that comes again with the same idempotency key is not made again, whichever relay it reaches.
 * The first result is given back, marked as a replay; a call that comes while the first one runs waits for it. Errors and
 * `input_required` are not remembered. What became of a call whose relay died or whose answer was lost is not known, and it
 * is not made again.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { failureForLog, type Log } from '../log.ts';
import type { Condition, JsonValue, Store } from '../store/store.ts';
import type { ToolError } from '../tool-policy/tool-error.ts';
import { digest } from './digest.ts';
import { type SourceResult, toolErrorResult } from './tool-source.ts';

export interface RepeatableCall {
  readonly callerId: string;
  readonly sessionId: string | undefined;
  /** The tool's public name. */
  readonly tool: string;
  readonly idempotencyKey: string;
  /** Tells arguments apart. */
  readonly argumentsDigest: string;
}

/** What became of one execution. `aborted`: the signal ended it, after or before anything was sent. */
export type Executed =
  | { readonly type: 'result'; readonly result: SourceResult; readonly outcome: 'done' | 'failed' | 'unknown' }
  | { readonly type: 'aborted'; readonly isStarted: boolean };

/** As long as a session can last, and as long as it is known after that. */
const REMEMBERED_MS = 2 * 3_600_000;
/** For the calls on other relays that wait for a result which is not remembered. */
const FAILED_FOR_MS = 60_000;
/** A relay that has not said for so long that it still runs a call has died. */
const ALIVE_MS = 20_000;
const RENEW_MS = 5_000;
/** A wake-up can be lost; whoever waits looks again by himself. */
const LOOK_AGAIN_MS = 500;

const recordSchema = z.object({
  state: z.enum(['running', 'done', 'failed', 'unknown']),
  /** Of one execution. */
  run: z.string(),
  digest: z.string(),
  aliveUntilMs: z.number(),
  /** JSON; for `done` and `failed`. */
  result: z.string(),
});

type CallRecord = z.output<typeof recordSchema>;

interface LocalRun {
  readonly digest: string;
  readonly outcome: Promise<{ result: SourceResult; isReplay: boolean }>;
  readonly abandon: AbortController;
  waiting: number;
  isOver: boolean;
}

export class Repeats {
  readonly #store: Store;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #runs = new Map<string, LocalRun>();

  constructor(parts: { store: Store; log: Log; now: () => number }) {
    this.#store = parts.store;
    this.#log = parts.log;
    this.#now = parts.now;
  }

  /**
   * Executes the call, or gives back what an execution of the same call has given. `execute` is called at most once, with a
   * signal that aborts when every caller who waits for it here has left. Throws `StoreUnavailableError` before anything was
   * executed, or the signal's reason.
   */
  async run(
    call: RepeatableCall,
    execute: (signal: AbortSignal) => Promise<Executed>,
    signal: AbortSignal,
  ): Promise<SourceResult> {
    signal.throwIfAborted();
    const key = `call:${digest(JSON.stringify([call.callerId, call.sessionId ?? null, call.tool, call.idempotencyKey]))}`;
    const running = this.#runs.get(key);
    if (running && running.digest !== call.argumentsDigest) return toolErrorResult(KEY_CONFLICT);
    const run = running ?? this.#start(key, call.argumentsDigest, execute);
    run.waiting += 1;
    const { promise: left, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const { result, isReplay } = await Promise.race([run.outcome, left]);
      return (isReplay || running) && !result.isError ? asReplay(result) : result;
    } finally {
      signal.removeEventListener('abort', onAbort);
      run.waiting -= 1;
      if (run.waiting === 0 && !run.isOver) run.abandon.abort(signal.reason);
    }
  }

  #start(key: string, digest: string, execute: (signal: AbortSignal) => Promise<Executed>): LocalRun {
    const abandon = new AbortController();
    const outcome = this.#claimOrFollow(key, digest, execute, abandon.signal).finally(() => {
      run.isOver = true;
      this.#runs.delete(key);
    });
    // Whoever waits handles it; when all have left, nobody does.
    outcome.catch(() => {});
    const run: LocalRun = { digest, outcome, abandon, waiting: 0, isOver: false };
    this.#runs.set(key, run);
    return run;
  }

  async #claimOrFollow(
    key: string,
    digest: string,
    execute: (signal: AbortSignal) => Promise<Executed>,
    signal: AbortSignal,
  ): Promise<{ result: SourceResult; isReplay: boolean }> {
    for (let followed: string | undefined; ; ) {
      signal.throwIfAborted();
      const wake = this.#wakeUp(key);
      try {
        const stored = await this.#store.get(key);
        const record = stored && recordSchema.parse(stored.value);
        if (record?.state === 'failed' && record.run === followed) {
          return { result: JSON.parse(record.result) as SourceResult, isReplay: false };
        }
        if (!record || record.state === 'failed') {
          const condition: Condition = stored
            ? { type: 'version', key, version: stored.version }
            : { type: 'absent', key };
          const run = await this.#claim(key, digest, condition);
          if (run === undefined) continue;
          return { result: await this.#execute(key, run, digest, execute, signal), isReplay: false };
        }
        if (record.digest !== digest) return { result: toolErrorResult(KEY_CONFLICT), isReplay: false };
        if (record.state === 'done') return { result: JSON.parse(record.result) as SourceResult, isReplay: true };
        if (record.state === 'unknown') return { result: toolErrorResult(OUTCOME_UNKNOWN), isReplay: false };
        if (record.aliveUntilMs <= this.#now()) {
          await this.#settle(key, { ...record, state: 'unknown' });
          continue;
        }
        followed = record.run;
        await wake.woken(signal);
      } finally {
        wake.end();
      }
    }
  }

  async #claim(key: string, digest: string, condition: Condition): Promise<string | undefined> {
    const run = randomUUID();
    const value = { state: 'running', run, digest, aliveUntilMs: this.#now() + ALIVE_MS, result: '' } as const;
    const put = { type: 'put', key, value, expiresAtMs: this.#now() + REMEMBERED_MS } as const;
    const { isCommitted } = await this.#store.commit([condition], [put]);
    return isCommitted ? run : undefined;
  }

  async #execute(
    key: string,
    run: string,
    digest: string,
    execute: (signal: AbortSignal) => Promise<Executed>,
    signal: AbortSignal,
  ): Promise<SourceResult> {
    const record = (state: CallRecord['state'], result = ''): CallRecord => ({
      state,
      run,
      digest,
      aliveUntilMs: this.#now() + ALIVE_MS,
      result,
    });
    const renewal = setInterval(() => void this.#settle(key, record('running')), RENEW_MS).unref();
    try {
      const executed = await execute(signal);
      clearInterval(renewal);
      if (executed.type === 'aborted') {
        const failure = toolErrorResult(OUTCOME_UNKNOWN);
        await this.#settle(key, executed.isStarted ? record('unknown') : record('failed', JSON.stringify(failure)));
        throw signal.reason;
      }
      const { result, outcome } = executed;
      const isRemembered = outcome === 'done' && result.resultType !== 'input_required';
      const state = isRemembered ? 'done' : outcome === 'unknown' ? 'unknown' : 'failed';
      await this.#settle(key, record(state, state === 'unknown' ? '' : JSON.stringify(result)));
      return result;
    } finally {
      clearInterval(renewal);
    }
  }

  /** Writes the record of the run that holds the key. A store that cannot be reached leaves it to its end: then the outcome is unknown. */
  async #settle(key: string, record: CallRecord): Promise<void> {
    try {
      for (;;) {
        const stored = await this.#store.get(key);
        const current = stored && recordSchema.parse(stored.value);
        // A run that is over stays as it is; only its own result comes after `unknown`.
        if (!stored || current?.run !== record.run || current.state === 'done' || current.state === 'failed') return;
        if (current.state === 'unknown' && record.state !== 'done') return;
        const keptMs = record.state === 'failed' ? FAILED_FOR_MS : REMEMBERED_MS;
        const value: JsonValue = { ...record };
        const { isCommitted } = await this.#store.commit(
          [{ type: 'version', key, version: stored.version }],
          [
            { type: 'put', key, value, expiresAtMs: this.#now() + keptMs },
            ...(record.state === 'running' ? [] : [{ type: 'wake', topic: key } as const]),
          ],
        );
        if (isCommitted) return;
      }
    } catch (failure) {
      this.#log.warn(failureForLog(failure), 'the memory of a call could not be written');
    }
  }

  /** Subscribed before anything is read, so that nothing is missed. */
  #wakeUp(topic: string): { woken: (signal: AbortSignal) => Promise<void>; end: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const unsubscribe = this.#store.subscribe(topic, resolve);
    return {
      woken: (signal) => {
        const timer = setTimeout(resolve, LOOK_AGAIN_MS);
        const onAbort = () => resolve();
        signal.addEventListener('abort', onAbort, { once: true });
        return promise.finally(() => {
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
        });
      },
      end: unsubscribe,
    };
  }
}

function asReplay(result: SourceResult): SourceResult {
  return { ...result, _meta: { ...result._meta, 'parley/replay': true } };
}

const KEY_CONFLICT: ToolError = {
  code: 'key_conflict',
  field: '_meta.idempotencyKey',
  expected: 'the arguments that this key came with before, or another key',
  retryable: false,
  hint: 'A call with this key and other arguments was made before. This call was not carried out.',
};

const OUTCOME_UNKNOWN: ToolError = {
  code: 'outcome_unknown',
  retryable: false,
  hint: 'This very call was made before, and what became of it is not known: it may have been carried out. Look before anything is tried again, and tell the visitor.',
};
