/** How many tests of a suite passed and failed, and the one line in which every script of the test run tells it. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

export function formatCounts({ passed, failed }: Counts): string {
  return `${passed} passed, ${failed} failed`;
}

/** The counts of the output's last line, or undefined when the script ended without them. */
export function parseCounts(output: string): Counts | undefined {
  const match = /(\d+) passed, (\d+) failed\s*$/.exec(output);
  return match ? { passed: Number(match[1]), failed: Number(match[2]) } : undefined;
}

export function addCounts(counts: readonly Counts[]): Counts {
  return {
    passed: counts.reduce((sum, { passed }) => sum + passed, 0),
    failed: counts.reduce((sum, { failed }) => sum + failed, 0),
  };
}
