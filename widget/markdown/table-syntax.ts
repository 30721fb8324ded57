/** The alignment of a column, null when the delimiter row names none. */
export type Alignment = 'left' | 'center' | 'right' | null;

/** A longer line is no table row, in UTF-16 units. */
export const longestRow = 8192;
/** A header row has a `|` this near to its beginning, so that a long line of prose need not be kept back as one. */
export const headerMarkWithin = 256;

const delimiterRow = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** The columns of a delimiter row (GFM "tables"), or undefined when it is none. */
export function readDelimiterRow(line: string): Alignment[] | undefined {
  if (line.length > longestRow || !/[|:]/.test(line) || !delimiterRow.test(line)) return undefined;
  return splitRow(line).map((cell) => {
    const isRight = cell.endsWith(':');
    if (cell.startsWith(':')) return isRight ? 'center' : 'left';
    return isRight ? 'right' : null;
  });
}

/** Whether `line`, as far as it goes, may be the header of a table. */
export function mayBeHeader(line: string): boolean {
  if (line.length > longestRow) return false;
  return line.length < headerMarkWithin || line.slice(0, headerMarkWithin).includes('|');
}

/** The cells of a row, without the space around them; `\|` is a `|` that separates nothing, also in code. */
export function splitRow(line: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let from = line[0] === '|' ? 1 : 0;
  for (let at = from; at < line.length; at++) {
    const character = line[at];
    if (character === '\\' && line[at + 1] === '|') {
      cell += line.slice(from, at);
      from = ++at;
    } else if (character === '|') {
      cells.push((cell + line.slice(from, at)).trim());
      cell = '';
      from = at + 1;
    }
  }
  cell = (cell + line.slice(from)).trim();
  if (cell) cells.push(cell);
  return cells;
}
