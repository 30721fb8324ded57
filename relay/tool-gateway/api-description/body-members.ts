/** The members of a request body, where each of them can be an argument of its own. */
import { isJsonRecord, type JsonRecord, listMember, recordMember } from './json-record.ts';
import type { References } from './references.ts';
import { namesIn } from './schema-conversion.ts';

interface BodyMembers {
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

/**
 * The members of an object schema, `allOf` included; undefined where the object must stay whole. Of a form the members are
 * read in any case, as it is written member by member; rules about the form as a whole are the API's to check.
 */
export function readBodyMembers(schema: unknown, references: References, isForm: boolean): BodyMembers | undefined {
  const schemas = new Map<string, unknown>();
  const required = new Set<string>();
  const isRead = addMembers(schema, { references, schemas, required, isForm }, 0);
  return isRead && schemas.size > 0 ? { schemas, required } : undefined;
}

interface Reading {
  readonly references: References;
  readonly schemas: Map<string, unknown>;
  readonly required: Set<string>;
  readonly isForm: boolean;
}

function addMembers(schema: unknown, reading: Reading, depth: number): boolean {
  const { references, schemas, required, isForm } = reading;
  if (!isJsonRecord(schema) || depth > MAX_DEPTH) return false;
  const record: JsonRecord = references.resolve(schema, 'a schema');
  if (record.type !== undefined && record.type !== 'object') return false;
  if (!isForm && mustStayWhole(record)) return false;
  for (const [name, value] of Object.entries(recordMember(record, 'properties'))) {
    // Two schemas for one member: both count, which only the whole object can say.
    if (schemas.has(name) && !isForm) return false;
    schemas.set(name, value);
  }
  for (const name of namesIn(record, 'required')) required.add(name);
  return listMember(record, 'allOf').every((part) => addMembers(part, reading, depth + 1));
}

function mustStayWhole(record: JsonRecord): boolean {
  const isNullable = record.nullable === true || record['x-nullable'] === true;
  const isOpen = record.additionalProperties !== undefined && record.additionalProperties !== false;
  return isNullable || isOpen || WHOLE_OBJECT_KEYWORDS.some((name) => Object.hasOwn(record, name));
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
