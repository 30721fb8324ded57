import { itemsOf, propertiesOf, typesOf } from './schema-walk.ts';
import type { JsonSchema } from './tool-definition.ts';

/**
 * Reads an object or a list that a model has sent as JSON text, wherever the schema wants one and does not take text. Anything
 * else stays as it is, and so does what is passed in.
 */
export function readArgumentsFromText(
  value: unknown,
  schema: JsonSchema,
  root: JsonSchema = schema,
  depth = 0,
): unknown {
  if (depth > MAX_DEPTH) return value;
  const read = typeof value === 'string' ? fromText(value, typesOf(schema, root)) : value;
  if (Array.isArray(read)) {
    const items = itemsOf(schema, root);
    return items
      ? mapped(
          read,
          read.map((item) => readArgumentsFromText(item, items, root, depth + 1)),
        )
      : read;
  }
  if (typeof read !== 'object' || read === null) return read;
  const properties = propertiesOf(schema, root);
  if (properties.size === 0) return read;
  let changed: Record<string, unknown> | undefined;
  for (const [name, member] of Object.entries(read)) {
    const property = properties.get(name);
    const next = property ? readArgumentsFromText(member, property, root, depth + 1) : member;
    if (next === member) continue;
    changed ??= { ...read };
    changed[name] = next;
  }
  return changed ?? read;
}

const MAX_DEPTH = 64;

function fromText(text: string, types: ReadonlySet<string>): unknown {
  if (types.has('string') || !(types.has('object') || types.has('array'))) return text;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof value !== 'object' || value === null) return text;
  return types.has(Array.isArray(value) ? 'array' : 'object') ? value : text;
}

function mapped(before: readonly unknown[], after: unknown[]): readonly unknown[] {
  return before.every((item, index) => item === after[index]) ? before : after;
}
