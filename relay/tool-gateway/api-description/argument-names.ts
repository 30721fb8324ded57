import { createHash } from 'node:crypto';

/** What the makers of models allow as the name of an argument. */
const MAX_LENGTH = 64;

/** Gives each parameter and body member of one tool an argument name of its own. */
export class ArgumentNames {
  readonly #taken: Set<string>;

  constructor(reserved: Iterable<string>) {
    this.#taken = new Set(reserved);
  }

  /**
   * `name`, with letters, digits, `_`, `.` and `-` only; where that is taken, `<place>_<name>`. A name never depends on
   * what comes later.
   */
  take(name: string, place: string): string {
    const plain = plainName(name);
    const candidates = [plain, fit(`${place}_${plain}`)];
    let chosen = candidates.find((candidate) => !this.#taken.has(candidate));
    for (let count = 2; chosen === undefined; count += 1) {
      const numbered = fit(`${place}_${plain}_${count}`);
      if (!this.#taken.has(numbered)) chosen = numbered;
    }
    this.#taken.add(chosen);
    return chosen;
  }
}

function plainName(name: string): string {
  if (/^[a-zA-Z0-9_.-]+$/.test(name) && name !== '__proto__') return fit(name);
  const plain = name.replaceAll(/[^a-zA-Z0-9_.-]+/g, '_').replaceAll(/^_+|_+$/g, '');
  return plain === '' || plain === 'proto' ? `argument_${hashOf(name)}` : fit(plain);
}

function fit(name: string): string {
  return name.length <= MAX_LENGTH ? name : `${name.slice(0, MAX_LENGTH - 9)}_${hashOf(name)}`;
}

function hashOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 8);
}
