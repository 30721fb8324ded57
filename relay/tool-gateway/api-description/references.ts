import type { DescriptionFiles } from './description-files.ts';
import { isJsonRecord, type JsonRecord } from './json-record.ts';

/** A chain of references longer than this is a cycle or made to keep a reader busy. */
const MAX_CHAIN = 50;

/** The reference leads nowhere, out of the description, or in a circle. The message is for the owner. */
class BrokenReference extends Error {
  override readonly name = 'BrokenReference';
}

/** A place in a description: the value and where it stands. */
interface Located<Value> {
  readonly value: Value;
  readonly file: string;
  readonly path: readonly string[];
}

/** Follows `$ref` within the files of one description (RFC 6901 in a URI fragment). */
export class References {
  readonly files: DescriptionFiles;
  readonly #found = new Map<string, Located<unknown>>();

  constructor(files: DescriptionFiles) {
    this.files = files;
  }

  /** The value that one reference names, which may be a reference itself. Throws `BrokenReference`. */
  target(reference: string): Located<unknown> {
    const known = this.#found.get(reference);
    if (known) return known;
    const hash = reference.indexOf('#');
    const name = hash === -1 ? reference : reference.slice(0, hash);
    const pointer = hash === -1 ? '' : reference.slice(hash + 1);
    const file = this.files.byName.get(name);
    if (!file) {
      throw new BrokenReference(`"${reference}" is not read: ${this.files.refused.get(name) ?? 'no such file'}`);
    }
    const path = pathOfPointer(pointer, reference);
    let value: unknown = file.root;
    for (const key of path) {
      const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
      if (!isThere) throw new BrokenReference(`"${reference}" leads nowhere`);
      value = (value as JsonRecord)[key];
    }
    const located = { value, file: name, path };
    this.#found.set(reference, located);
    return located;
  }

  /** The object behind `value`, whichever number of references leads there. Throws `BrokenReference`. */
  resolve(value: unknown, expected: string): JsonRecord {
    let current = value;
    for (let steps = 0; steps < MAX_CHAIN; steps += 1) {
      if (!isJsonRecord(current)) throw new BrokenReference(`expected ${expected}`);
      if (typeof current.$ref !== 'string') return current;
      const found = this.target(current.$ref).value;
      // Beside a reference, OpenAPI 3.1 lets summary and description stand for the target's.
      const { $ref: _, ...beside } = current;
      current = isJsonRecord(found) && typeof found.$ref !== 'string' ? { ...found, ...wording(beside) } : found;
    }
    throw new BrokenReference(`the references of ${expected} go round in a circle`);
  }

  lineOf(file: string, path: readonly string[]): number | undefined {
    return this.files.byName.get(file)?.lineOf(path);
  }
}

function wording(beside: JsonRecord): JsonRecord {
  return Object.fromEntries(
    Object.entries(beside).filter(([name, value]) => /^(summary|description)$/.test(name) && typeof value === 'string'),
  );
}

function pathOfPointer(pointer: string, reference: string): readonly string[] {
  if (pointer === '') return [];
  let decoded: string;
  try {
    decoded = decodeURIComponent(pointer);
  } catch {
    decoded = pointer;
  }
  if (!decoded.startsWith('/')) throw new BrokenReference(`"${reference}" is not a JSON Pointer`);
  return decoded
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}
