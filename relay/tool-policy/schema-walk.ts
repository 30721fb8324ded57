/** The few things that the rules have to know of a JSON Schema without validating by it. */
import type { JsonSchema } from './tool-definition.ts';

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MOST_STEPS = 50;

/** What a `$ref` into the same schema stands for, or the schema itself. */
export function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let resolved = schema;
  for (let steps = 0; typeof resolved.$ref === 'string' && steps < MOST_STEPS; steps++) {
    const target = at(root, resolved.$ref);
    if (!target) return resolved;
    resolved = target;
  }
  return resolved;
}

function at(root: JsonSchema, reference: string): JsonSchema | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let value: unknown = root;
  for (const part of decodeURIComponent(reference.slice(2)).split('/')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return isSchema(value) ? value : undefined;
}

const PARTS = ['allOf', 'anyOf', 'oneOf'] as const;

/** The schemas that are put together into this one, itself first, references resolved. */
export function partsOf(schema: JsonSchema, root: JsonSchema, seen = new Set<JsonSchema>()): JsonSchema[] {
  const resolved = resolve(schema, root);
  if (seen.has(resolved)) return [];
  seen.add(resolved);
  const parts = PARTS.flatMap((key) => (Array.isArray(resolved[key]) ? (resolved[key] as unknown[]) : []));
  return [resolved, ...parts.filter(isSchema).flatMap((part) => partsOf(part, root, seen))];
}

/** The JSON types that a value may have; empty: the schema does not say. */
export function typesOf(schema: JsonSchema, root: JsonSchema): Set<string> {
  const types = new Set<string>();
  for (const part of partsOf(schema, root)) {
    for (const type of [part.type].flat()) if (typeof type === 'string') types.add(type);
    for (const value of [...(Array.isArray(part.enum) ? part.enum : []), ...('const' in part ? [part.const] : [])]) {
      types.add(value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
    }
    if (types.size === 0 && (isSchema(part.properties) || Array.isArray(part.required))) types.add('object');
  }
  return types;
}

/** The members that an object may have, by name, with everything that is said of each. */
export function propertiesOf(schema: JsonSchema, root: JsonSchema): Map<string, JsonSchema> {
  const properties = new Map<string, JsonSchema>();
  for (const part of partsOf(schema, root)) {
    for (const [name, property] of Object.entries(isSchema(part.properties) ? part.properties : {})) {
      if (isSchema(property)) properties.set(name, property);
    }
  }
  return properties;
}

/** What every item of a list is. */
export function itemsOf(schema: JsonSchema, root: JsonSchema): JsonSchema | undefined {
  return partsOf(schema, root)
    .map((part) => part.items)
    .find(isSchema);
}
