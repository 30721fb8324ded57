type Row = readonly (string | undefined)[];

/** A table in markdown. Cells must hold no pipe and no line break. */
export function table(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
