/** Resolves as soon as it is true; rejects after five seconds. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const patience = AbortSignal.timeout(5_000);
  while (!(await isTrue())) {
    patience.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
