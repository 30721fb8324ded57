/** Deeper than any real call; beyond it the arguments are refused instead of risking the stack. */
const MAX_DEPTH = 1_000;

/** The value cannot be written so that two different values never give the same text. `path` is a JSON Pointer. */
export class NotCanonicalError extends Error {
  override readonly name = 'NotCanonicalError';
  readonly path: string;

  constructor(path: string, message: string) {
    super(`${path || 'the value'}: ${message}`);
    this.path = path;
  }
}

export interface CanonicalJsonOptions {
  /** Leaves out object members that are null or an empty string, at every depth; items of lists always stay. */
  readonly isPruned?: boolean;
}

/**
 * One text for one JSON value: members sorted by UTF-16 code unit, no space, numbers and strings as ECMAScript writes them,
 * no Unicode normalisation; a lone surrogate is written as its escape. Throws `NotCanonicalError` for anything that is no
 * JSON value, for numbers that are not finite, and for integers beyond ±(2^53 − 1), which JSON readers fold into one another.
 * Source: RFC 8785 (which leaves out lone surrogates), RFC 7493 section 2.2.
 */
export function canonicalJson(value: unknown, options: CanonicalJsonOptions = {}): string {
  return write(value, '', 0, options.isPruned ?? false);
}

function write(value: unknown, path: string, depth: number, isPruned: boolean): string {
  if (depth > MAX_DEPTH) throw new NotCanonicalError('', `is nested more than ${MAX_DEPTH} levels deep`);
  if (value === null) return 'null';
  switch (typeof value) {
    case 'boolean':
      return value ? 'true' : 'false';
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return writeNumber(value, path);
    case 'object':
      return Array.isArray(value)
        ? `[${Array.from(value, (item, index) => write(item, `${path}/${index}`, depth + 1, isPruned)).join(',')}]`
        : writeObject(value, path, depth, isPruned);
    default:
      throw new NotCanonicalError(path, `expected a JSON value, received ${typeof value}`);
  }
}

function writeNumber(value: number, path: string): string {
  if (!Number.isFinite(value)) throw new NotCanonicalError(path, `expected a finite number, received ${value}`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new NotCanonicalError(path, 'the integer is too large to be exact in JSON; send it as a string');
  }
  return JSON.stringify(value);
}

function writeObject(value: object, path: string, depth: number, isPruned: boolean): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new NotCanonicalError(path, 'expected a plain object');
  }
  const members: string[] = [];
  for (const [name, member] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (isPruned && (member === null || member === '')) continue;
    const memberPath = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    members.push(`${JSON.stringify(name)}:${write(member, memberPath, depth + 1, isPruned)}`);
  }
  return `{${members.join(',')}}`;
}
