/** The collection as it lies in its file. */
export interface HostileContent {
  readonly cases: readonly {
    readonly id: string;
    readonly name: string;
    readonly cat: string;
    readonly channel: string;
    readonly input: string;
    readonly gen?: readonly (string | number)[];
  }[];
}

/** A case of the collection of hostile contents that comes through an answer's text. */
export interface HostileCase {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  /** The text, for `perf` cases `scale` times as long as the collection asks for. */
  text(scale?: number): string;
}

export function readHostileCases({ cases }: HostileContent): HostileCase[] {
  return cases
    .filter(({ channel }) => channel === 'chunk')
    .map(({ id, name, cat, input, gen }) => ({
      id,
      name,
      category: cat,
      text: (scale = 1) => generate(input, gen, scale),
    }));
}

function generate(input: string, generator: readonly (string | number)[] | undefined, scale: number): string {
  if (!generator) return input;
  const [kind, ...parameters] = generator;
  const text = (index: number) => String(parameters[index]);
  const count = (index: number) => Number(parameters[index]) * scale;
  const times = (length: number, make: (index: number) => string) =>
    Array.from({ length }, (_, index) => make(index)).join('');
  switch (kind) {
    case 'repeat':
      return input + text(0).repeat(count(1)) + text(2);
    case 'wrap':
      return text(0).repeat(count(1)) + text(2) + text(3).repeat(count(1));
    case 'indent':
      return times(count(1), (index) => `${'  '.repeat(index)}${text(0)}\n`);
    case 'table': {
      const columns = Number(parameters[0]);
      const row = (cell: string) => `|${cell.repeat(columns)}\n`;
      return row('a|') + row('-|') + row('b|').repeat(count(1));
    }
    case 'runs':
      return times(count(1), (index) => `${text(0).repeat(index + 1)} a `);
    case 'refs':
      return `${times(count(0), (index) => `[text ${index}][r${index}] `)}\n\n${times(count(0), (index) => `[r${index}]: https://example.com/${index}\n`)}`;
    default:
      throw new Error(`unknown generator ${kind}`);
  }
}
