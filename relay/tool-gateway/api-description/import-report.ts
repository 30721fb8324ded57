/** What became of a description on its way to tools: every operation that was left out or changed, and why. */
export interface ImportReport {
  readonly file: string;
  /** Every file that was read, `file` included: a change to any of them is a change of the description. */
  readonly files: readonly string[];
  /** Operations that the description has. */
  readonly operations: number;
  /** Tools that came of them. */
  readonly tools: number;
  readonly entries: readonly ImportEntry[];
}

export interface ImportEntry {
  readonly outcome: 'left-out' | 'changed';
  /** `GET /orders/{id}`, or `schema Order` for what several operations share. */
  readonly subject: string;
  readonly file: string;
  /** From 1; absent where the place is unknown. */
  readonly line?: number;
  readonly reason: string;
}

/** One line per entry, after a line that counts them. */
export function importReportText(report: ImportReport): string {
  const leftOut = report.entries.filter((entry) => entry.outcome === 'left-out').length;
  const head = `${report.file}: ${report.tools} tools of ${report.operations} operations, ${leftOut} left out`;
  return [head, ...report.entries.map(entryText)].join('\n');
}

function entryText(entry: ImportEntry): string {
  const place = entry.line === undefined ? entry.file : `${entry.file}:${entry.line}`;
  return `${place}: ${entry.subject} ${entry.outcome === 'left-out' ? 'left out' : 'changed'}: ${entry.reason}`;
}
