/** Where in a file a tool or one of its arguments is described. */
import { isMap, isPair, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';

export interface DescribedFile {
  /** The line (from 1) of the operation, or of its argument where that can be found; undefined: the file does not have it. */
  lineOf(operation: string, argument?: string): number | undefined;
  /** The line of a key, by its path from the top. */
  lineOfPath(path: readonly string[]): number | undefined;
}

/** `text`: YAML or JSON. A file that cannot be read as either has no lines. */
export function describedFile(text: string): DescribedFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, strict: false });
  const lineAt = (node: unknown) => {
    const range = typeof node === 'object' && node !== null && 'range' in node ? (node as Node).range : undefined;
    return range ? lines.linePos(range[0]).line : undefined;
  };
  return {
    lineOf: (operation, argument) => {
      const found = findOperation(document.contents, operation);
      if (!found) return undefined;
      const name = argument?.split('/').at(-1);
      return (name === undefined ? undefined : lineAt(findNamed(found, name))) ?? lineAt(found);
    },
    lineOfPath: (path) => {
      for (let length = path.length; length > 0; length -= 1) {
        const parent: unknown = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
        const pair = isMap(parent)
          ? parent.items.find(({ key }) => isScalar(key) && key.value === path[length - 1])
          : undefined;
        if (pair) return lineAt(pair.key);
      }
      return undefined;
    },
  };
}

/** The mapping that has this `operationId`, in the form in which tools are named after it. */
function findOperation(node: unknown, operation: string): Node | undefined {
  if (isMap(node)) {
    const id: unknown = node.get('operationId');
    if (typeof id === 'string' && asName(id) === asName(operation)) return node;
    for (const pair of node.items) {
      const found = findOperation(pair.value, operation);
      if (found) return found;
    }
  }
  if (isSeq(node)) {
    for (const item of node.items) {
      const found = findOperation(item, operation);
      if (found) return found;
    }
  }
  return undefined;
}

/** A parameter of that name, or a key. */
function findNamed(node: unknown, name: string): Node | undefined {
  if (isMap(node)) {
    if (node.get('name') === name && node.has('in')) return node;
    for (const pair of node.items) {
      if (isPair(pair) && isScalar(pair.key) && pair.key.value === name) return pair.key;
      const found = findNamed(pair.value, name);
      if (found) return found;
    }
  }
  if (isSeq(node)) {
    for (const item of node.items) {
      const found = findNamed(item, name);
      if (found) return found;
    }
  }
  return undefined;
}

function asName(text: string): string {
  return text.replace(/[^A-Za-z0-9]+/g, '_').toLowerCase();
}
