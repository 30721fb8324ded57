import { MemoryStore } from '../../relay/store/memory-store.ts';
import {
  type CommitResult,
  type Condition,
  type LogSlice,
  type Store,
  type StoredValue,
  StoreUnavailableError,
  type Write,
} from '../../relay/store/store.ts';

/** A store that does its work until it is told not to: to fail, or to answer no more. */
export class FailingStore implements Store {
  readonly #store = new MemoryStore();
  #before: () => Promise<void> = async () => undefined;
  #afterCommit: () => Promise<void> = async () => undefined;
  #beforeReading: () => Promise<void> = async () => undefined;
  #wakeHanging: () => void = () => undefined;

  fail(error: Error): void {
    this.#before = () => Promise.reject(error);
  }

  becomeUnavailable(): void {
    this.fail(new StoreUnavailableError('the store is gone'));
  }

  /** Calls wait until `recover`, and are then carried out. */
  hang(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#before = () => promise;
    this.#wakeHanging = resolve;
  }

  /** Logs cannot be read, after so many times more, until `recover`; all else goes on. */
  failToRead({ after = 0 } = {}): void {
    let reads = 0;
    this.#beforeReading = async () => {
      if (++reads > after) throw new StoreUnavailableError('the log cannot be read');
    };
  }

  /** Resolves when one call has failed; the next ones succeed. */
  becomeUnavailableOnce(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#before = async () => {
      this.recover();
      resolve();
      throw new StoreUnavailableError('the store was gone');
    };
    return promise;
  }

  /** The next commit is carried out and then reported as failed. Resolves when that has happened. */
  loseNextAnswer(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#afterCommit = async () => {
      this.#afterCommit = async () => undefined;
      resolve();
      throw new StoreUnavailableError('the answer was lost');
    };
    return promise;
  }

  recover(): void {
    this.#before = async () => undefined;
    this.#beforeReading = async () => undefined;
    this.#wakeHanging();
  }

  async get(key: string): Promise<StoredValue | undefined> {
    await this.#before();
    return this.#store.get(key);
  }

  async commit(conditions: readonly Condition[], writes: readonly Write[]): Promise<CommitResult> {
    await this.#before();
    const result = await this.#store.commit(conditions, writes);
    await this.#afterCommit();
    return result;
  }

  async readLog(log: string, afterSequence: number, limit: number): Promise<LogSlice> {
    await this.#before();
    await this.#beforeReading();
    return this.#store.readLog(log, afterSequence, limit);
  }

  subscribe(topic: string, listener: () => void): () => void {
    return this.#store.subscribe(topic, listener);
  }

  async check(): Promise<void> {
    await this.#before();
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
