/** The members of a request body, where each of them can be an argument of its own. */
import { isJsonRecord, type JsonRecord, listMember, recordMember } from './json-record.ts';
import type { References } from './references.ts';
import { namesIn } from './schema-conversion.ts';

export interface BodyMembers {
  readonly schemas: ReadonlyMap<string, unknown>;
  readonly required: ReadonlySet<string>;
}

/** Keywords that say something about the object as a whole, which would be lost. */
const WHOLE_OBJECT_KEYWORDS = [
  'anyOf',
  'oneOf',
  'not',
  'if',
  'patternProperties',
  'propertyNames',
  'dependentSchemas',
  'dependentRequired',
  'minProperties',
  'maxProperties',
  'discriminator',
  'enum',
  'const',
];

const MAX_DEPTH = 8;

/** The members of an object schema, `allOf` included; undefined where the object must stay whole. */
export function readBodyMembers(schema: unknown, references: References): BodyMembers | undefined {
  const schemas = new Map<string, unknown>();
  const required = new Set<string>();
  const isRead = addMembers(schema, references, schemas, required, 0);
  return isRead && schemas.size > 0 ? { schemas, required } : undefined;
}

function addMembers(
  schema: unknown,
  references: References,
  schemas: Map<string, unknown>,
  required: Set<string>,
  depth: number,
): boolean {
  if (!isJsonRecord(schema) || depth > MAX_DEPTH) return false;
  const record: JsonRecord = references.resolve(schema, 'a schema');
  const isObject = record.type === undefined || record.type === 'object';
  const isNullable = record.nullable === true || record['x-nullable'] === true;
  const isOpen = record.additionalProperties !== undefined && record.additionalProperties !== false;
  if (!isObject || isNullable || isOpen || WHOLE_OBJECT_KEYWORDS.some((name) => Object.hasOwn(record, name)))
    return false;
  for (const [name, value] of Object.entries(recordMember(record, 'properties'))) {
    // Two schemas for one member: both count, which only the whole object can say.
    if (schemas.has(name)) return false;
    schemas.set(name, value);
  }
  for (const name of namesIn(record, 'required')) required.add(name);
  return listMember(record, 'allOf').every((part) => addMembers(part, references, schemas, required, depth + 1));
}

/** True for a schema whose value is bytes (OpenAPI 3.0: `format: binary`; 3.1: a `contentMediaType` without encoding). */
export function isBytesSchema(schema: unknown, references: References): boolean {
  if (!isJsonRecord(schema)) return false;
  const record = references.resolve(schema, 'a schema');
  if (record.type === 'file' || record.format === 'binary') return true;
  if (typeof record.contentMediaType !== 'string' || record.contentEncoding !== undefined) return false;
  return !/^text\/|json$/.test(record.contentMediaType);
}

/** The schema of a list's items, when the schema is a list's. */
export function itemsOf(schema: unknown, references: References): unknown {
  if (!isJsonRecord(schema)) return undefined;
  const record = references.resolve(schema, 'a schema');
  return record.type === 'array' ? record.items : undefined;
}
