/** Settings of V8 for a process that makes much garbage, keeps little, and has quiet hours. */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const ENOUGH_BYTES = 16_777_216;
const LOOK_EVERY_MS = 250;

/**
 * Keeps the young generation at a middle size. By itself V8 answers a burst with over 100 MB, which it never gives back (five
 * readers of 40 MB each who stop reading: 75 MB more, and 36 MB thus; `npm run bench:leaving`), and after a quiet time it
 * starts again with one megabyte, which a relay that is busy again fills thirty times a second. So it may grow only while it
 * is small.
 *
 * Small as it is, the helpers of its collector cost more than they save: 8 of 120 µs for an event; and the code of a relay
 * that is quiet for some minutes is kept, since it will be needed again.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString('--no-parallel-scavenge');
  setFlagsFromString('--no-flush-bytecode');
  let mayGrow: boolean | undefined;
  const look = () => {
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    const isSmall = space !== undefined && space.space_size < ENOUGH_BYTES;
    if (isSmall === mayGrow) return;
    mayGrow = isSmall;
    setFlagsFromString(`--semi-space-growth-factor=${isSmall ? 2 : 1}`);
  };
  look();
  setInterval(look, LOOK_EVERY_MS).unref();
}
