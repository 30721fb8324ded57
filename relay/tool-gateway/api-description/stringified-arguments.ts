import type { JsonSchema } from '../tool-source.ts';
import { isJsonRecord, type JsonRecord } from './json-record.ts';

type Kind = 'object' | 'array';

const MAX_DEPTH = 20;

/**
 * The arguments with each object or list that a model wrote as a JSON string read, where the schema wants an object or a
 * list and no string and the text is exactly that. Everything else stays as it is, so that the check can refuse it.
 */
export function readStringifiedArguments(schema: JsonSchema, args: JsonRecord): JsonRecord {
  const definitions = isJsonRecord(schema.$defs) ? schema.$defs : {};
  return read(schema, args, definitions, 0) as JsonRecord;
}

function read(schema: unknown, value: unknown, definitions: JsonRecord, depth: number): unknown {
  const found = behindReferences(schema, definitions);
  if (found === undefined || depth > MAX_DEPTH) return value;
  const present = typeof value === 'string' ? readText(found, value, definitions) : value;
  if (Array.isArray(present)) {
    if (!isJsonRecord(found.items)) return present;
    const items = present.map((item) => read(found.items, item, definitions, depth + 1));
    return items.some((item, index) => item !== present[index]) ? items : present;
  }
  if (!isJsonRecord(present) || !isJsonRecord(found.properties)) return present;
  const properties = found.properties;
  const entries = Object.entries(present).map(([name, item]): [string, unknown] => {
    return [name, Object.hasOwn(properties, name) ? read(properties[name], item, definitions, depth + 1) : item];
  });
  return entries.some(([name, item]) => item !== present[name]) ? Object.fromEntries(entries) : present;
}

function readText(schema: JsonRecord, text: string, definitions: JsonRecord): unknown {
  const kinds = kindsOf(schema, definitions, 0);
  if (kinds === undefined || kinds.size === 0 || !/^\s*[[{]/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value) ? kinds.has('array') : isJsonRecord(value) && kinds.has('object')) return value;
  } catch {
    // It is no JSON: the check of the arguments says so.
  }
  return text;
}

/** Whether the schema takes objects or lists; undefined when it takes a string as well, or says nothing. */
function kindsOf(schema: unknown, definitions: JsonRecord, depth: number): ReadonlySet<Kind> | undefined {
  const found = behindReferences(schema, definitions);
  if (found === undefined || depth > MAX_DEPTH) return undefined;
  const types = found.type === undefined ? undefined : Array.isArray(found.type) ? found.type : [found.type];
  if (types) {
    if (types.includes('string')) return undefined;
    return new Set(types.filter((type): type is Kind => type === 'object' || type === 'array'));
  }
  for (const name of ['anyOf', 'oneOf'] as const) {
    const forms = found[name];
    if (!Array.isArray(forms)) continue;
    const kinds = new Set<Kind>();
    for (const form of forms) {
      const some = kindsOf(form, definitions, depth + 1);
      if (some === undefined) return undefined;
      for (const kind of some) kinds.add(kind);
    }
    return kinds;
  }
  if (Array.isArray(found.allOf)) {
    return found.allOf.map((form) => kindsOf(form, definitions, depth + 1)).find((kinds) => kinds !== undefined);
  }
  return isJsonRecord(found.properties) ? new Set(['object']) : undefined;
}

function behindReferences(schema: unknown, definitions: JsonRecord): JsonRecord | undefined {
  let current = schema;
  for (let steps = 0; steps < MAX_DEPTH; steps += 1) {
    if (!isJsonRecord(current)) return undefined;
    if (typeof current.$ref !== 'string') return current;
    const name = current.$ref.replace('#/$defs/', '');
    current = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  }
  return undefined;
}
