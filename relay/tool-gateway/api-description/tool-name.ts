import { createHash } from 'node:crypto';

/** Length that the tools' users allow for a name, the domain's prefix included. */
export const MAX_TOOL_NAME_LENGTH = 64;
const HASH_LENGTH = 8;

/**
 * `name` with only letters, digits, `_` and `-`, at most `maxLength` (≥ 16) characters long. A name that is too long keeps
 * its beginning and ends in eight hex digits made from `identity`, so that two names that begin alike stay two.
 */
export function fitToolName(name: string, maxLength: number, identity: string): string {
  const plain = plainName(name);
  return plain.length > 0 && plain.length <= maxLength ? plain : withHash(plain, maxLength, identity);
}

function plainName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]+/g, '_').replaceAll(/^_+|_+$/g, '');
}

function withHash(plain: string, maxLength: number, identity: string): string {
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, HASH_LENGTH);
  const begin = plain.slice(0, maxLength - HASH_LENGTH - 1).replace(/[_-]+$/, '');
  return begin === '' ? `tool_${hash}` : `${begin}_${hash}`;
}

interface NamedOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId?: string | undefined;
}

/**
 * A name for each operation, in their order: the `operationId`, or method and path. Names do not depend on the order of
 * the operations. Where several would share a name, the one whose `operationId` needs no change keeps it, and each of the
 * others takes a hash of its method and path, for which room is made.
 */
export function nameOperations(operations: readonly NamedOperation[], maxLength: number): readonly string[] {
  const first = operations.map((operation) => fitToolName(sourceOf(operation), maxLength, identityOf(operation)));
  const users = Map.groupBy(operations.keys(), (index) => first[index]!.toLowerCase());
  return operations.map((operation, index) => {
    const name = first[index]!;
    const sharers = users.get(name.toLowerCase())!;
    if (sharers.length === 1) return name;
    const owners = sharers.filter((sharer) => operations[sharer]!.operationId === first[sharer]);
    if (owners.length === 1 && owners[0] === index) return name;
    return withHash(name, maxLength, identityOf(operation));
  });
}

function sourceOf({ method, path, operationId }: NamedOperation): string {
  return operationId !== undefined && plainName(operationId) !== '' ? operationId : `${method}${path}`;
}

function identityOf({ method, path }: NamedOperation): string {
  return `${method} ${path}`;
}
