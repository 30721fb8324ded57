import { MemoryStore } from '../../relay/store/memory-store.ts';
import type { LogSlice, StoredValue } from '../../relay/store/store.ts';

/** A store that counts what is read from it. */
export class CountingStore extends MemoryStore {
  readCount = 0;
  #onRead: (key: string) => void = () => undefined;

  override async get(key: string): Promise<StoredValue | undefined> {
    this.readCount += 1;
    this.#onRead(key);
    return super.get(key);
  }

  override async readLog(log: string, afterSequence: number, limit: number): Promise<LogSlice> {
    this.readCount += 1;
    return super.readLog(log, afterSequence, limit);
  }

  /** Resolves when keys that begin so were read so often from now on. */
  hasReadKey(prefix: string, times: number): Promise<void> {
    let left = times;
    return new Promise((resolve) => {
      this.#onRead = (key) => {
        if (key.startsWith(prefix) && --left === 0) resolve();
      };
    });
  }
}
