import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

/** CPU time (user and system) in milliseconds that a process and its descendants have used so far. Linux. */
export function cpuMs(pid: number): number {
  return withDescendants(pid).reduce((sum, each) => sum + ownCpuMs(each), 0);
}

/** Resident memory of a process and its descendants, in bytes. Linux. */
export function residentBytes(pid: number): number {
  return withDescendants(pid).reduce((sum, each) => {
    const [, resident] = readFileSync(`/proc/${each}/statm`, 'utf8').split(' ');
    return sum + Number(resident) * PAGE_BYTES;
  }, 0);
}

/** The scheduler's own clock where the kernel has it (nanoseconds), else the coarse ticks. */
function ownCpuMs(pid: number): number {
  let sum = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const [running] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    sum += Number(running) / 1e6;
  }
  if (sum > 0) return sum;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

function withDescendants(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
  return [pid, ...children.flatMap(withDescendants)];
}
