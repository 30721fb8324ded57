/** What is wrong in a configuration file, in words that lead to the place and to what is right. */

export interface ConfigMistake {
  /** From 1. */
  readonly line: number;
  readonly column: number;
  /** E.g. `domains.orders.credential`; empty for the whole file. */
  readonly path: string;
  /** What came; undefined where it is a secret or cannot be shown. */
  readonly received?: string;
  readonly expected: string;
}

export class GatewayConfigError extends Error {
  override readonly name = 'GatewayConfigError';
  readonly mistakes: readonly ConfigMistake[];

  /** The message has one line per mistake and holds no secret. */
  constructor(file: string, mistakes: readonly ConfigMistake[]) {
    super(mistakes.map((mistake) => `${file}${describe(mistake)}`).join('\n'));
    this.mistakes = mistakes;
  }
}

function describe({ line, column, path, received, expected }: ConfigMistake): string {
  const came = received === undefined ? '' : `received ${received}, `;
  return `:${line}:${column} ${path || 'the file'}: ${came}expected ${expected}`;
}

/** The key that was probably meant: at most a third of its letters differ. */
export function nearestKey(key: string, valid: readonly string[]): string | undefined {
  const near = valid
    .map((candidate) => ({ candidate, distance: distanceOf(key.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.candidate;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one text into the other (optimal string alignment). */
function distanceOf(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = row > 1 && from[row - 2] === to[column - 1] && from[row - 1] === to[column - 2];
      current.push(
        Math.min(
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          (last[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return last.at(-1) ?? 0;
}
