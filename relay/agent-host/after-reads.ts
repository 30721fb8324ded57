/**
 * Puts off the work on what was read until all connections that had something were read, in the same pass of the event loop.
 * Reading, then working, then reading again for each of many answers costs more than each by itself: what the processor has at
 * hand is the other's every time.
 */
let works: (() => void)[] = [];

/** Calls `work` after the reads of this pass. It must not throw. */
export function afterReads(work: () => void): void {
  if (works.push(work) === 1) setImmediate(doAll);
}

function doAll(): void {
  const all = works;
  works = [];
  for (const work of all) work();
}
