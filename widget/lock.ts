/**
 * Resolves when the browser has given this page the lock, which it keeps until the signal aborts; at once where there are no
 * locks. Rejects when the signal aborts before, and where the page may not lock.
 */
export function holdLock(locks: LockManager | undefined, name: string, signal: AbortSignal): Promise<void> {
  if (locks === undefined) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const hold = () => {
      resolve();
      return aborted(signal);
    };
    locks.request(name, { signal }, hold).catch(reject);
  });
}

/** Takes the first of the locks that is free now, until the signal aborts. False: none is. True where there are no locks. */
export async function holdFreeLock(
  locks: LockManager | undefined,
  names: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const name of locks === undefined ? [] : names) {
    const isHeld = await new Promise<boolean>((resolve) => {
      const hold = (lock: Lock | null) => {
        resolve(lock !== null);
        return lock && aborted(signal);
      };
      // A page that may not lock is not held up by locks.
      locks?.request(name, { ifAvailable: true }, hold).catch(() => resolve(true));
    });
    if (isHeld) return true;
  }
  return locks === undefined;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
