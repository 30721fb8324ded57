import { type JsonRecord, listMember } from './json-record.ts';
import type { Dialect, Note } from './schema-conversion.ts';
import {
  BOOLEAN_KEYWORDS,
  COUNT_KEYWORDS,
  isCount,
  isPattern,
  NUMBER_KEYWORDS,
  TEXT_KEYWORDS,
  TYPES,
} from './schema-keywords.ts';

/** The keywords of a schema that hold no other schema, as JSON Schema 2020-12 writes them. */
export function convertValueKeywords(schema: JsonRecord, dialect: Dialect, note: Note): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  convertType(schema, out, note);
  convertText(schema, dialect, out, note);
  convertNumbers(schema, out, note);
  convertValues(schema, out, note);
  return out;
}

function convertType(schema: JsonRecord, out: Record<string, unknown>, note: Note): void {
  const { type } = schema;
  if (type === undefined) return;
  if (type === 'file') {
    out.type = 'string';
    return;
  }
  const types = [...new Set(Array.isArray(type) ? type : [type])].filter((each) => TYPES.has(each));
  if (types.length === 0) note(`the type ${JSON.stringify(type)} is unknown and allows anything now`);
  else out.type = types.length === 1 && !Array.isArray(type) ? types[0] : types;
}

function convertNumbers(schema: JsonRecord, out: Record<string, unknown>, note: Note): void {
  for (const name of COUNT_KEYWORDS) {
    if (isCount(schema[name])) out[name] = schema[name];
    else if (schema[name] !== undefined) note(`"${name}" is not a whole number from 0 and is left out`);
  }
  for (const name of NUMBER_KEYWORDS) {
    if (typeof schema[name] === 'number') out[name] = schema[name];
    else if (schema[name] !== undefined && typeof schema[name] !== 'boolean') {
      note(`"${name}" is not a number and is left out`);
    }
  }
  // Before 3.1 these two say of the limit beside them that the limit itself is not allowed.
  for (const [flag, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (schema[flag] === true && typeof schema[limit] === 'number') {
      out[flag] = schema[limit];
      delete out[limit];
    }
  }
  const { multipleOf } = schema;
  if (typeof multipleOf === 'number' && multipleOf > 0) out.multipleOf = multipleOf;
  else if (multipleOf !== undefined) note('"multipleOf" is not a number above 0 and is left out');
}

function convertText(schema: JsonRecord, dialect: Dialect, out: Record<string, unknown>, note: Note): void {
  for (const name of TEXT_KEYWORDS) if (typeof schema[name] === 'string') out[name] = schema[name];
  const { pattern, format } = schema;
  if (typeof pattern === 'string') {
    if (isPattern(pattern)) out.pattern = pattern;
    else {
      note(`the pattern ${JSON.stringify(pattern)} is no ECMA 262 pattern and stands in the description only`);
      out.description = [out.description, `Pattern: ${pattern}`].filter(Boolean).join('\n');
    }
  }
  if (dialect !== 'openapi-3.1' && format === 'byte') {
    delete out.format;
    out.contentEncoding = 'base64';
  }
}

function convertValues(schema: JsonRecord, out: Record<string, unknown>, note: Note): void {
  for (const name of BOOLEAN_KEYWORDS) if (typeof schema[name] === 'boolean') out[name] = schema[name];
  if (Array.isArray(schema.enum)) {
    const isNullable = schema.nullable === true || schema['x-nullable'] === true;
    out.enum = isNullable && !schema.enum.includes(null) ? [...schema.enum, null] : schema.enum;
  } else if (schema.enum !== undefined) note('"enum" is not a list and is left out');
  if (Object.hasOwn(schema, 'const')) out.const = schema.const;
  if (Object.hasOwn(schema, 'default')) out.default = schema.default;
  const examples = [...listMember(schema, 'examples'), ...(Object.hasOwn(schema, 'example') ? [schema.example] : [])];
  if (examples.length > 0) out.examples = examples;
}
