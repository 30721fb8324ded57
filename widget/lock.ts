/**
 * Resolves when the browser has given this page the lock, which it keeps until the signal aborts; at once where there are no
 * locks. Rejects when the signal aborts before, and where the page may not lock.
 */
export function holdLock(locks: LockManager | undefined, name: string, signal: AbortSignal): Promise<void> {
  if (locks === undefined) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const hold = () => {
      resolve();
      return new Promise<void>((release) => {
        if (signal.aborted) release();
        else signal.addEventListener('abort', () => release(), { once: true });
      });
    };
    locks.request(name, { signal }, hold).catch(reject);
  });
}
