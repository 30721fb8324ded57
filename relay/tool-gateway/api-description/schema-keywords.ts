/** The keywords of JSON Schema 2020-12 that are carried over, by the form that their value must have. */

export const NUMBER_KEYWORDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;
export const COUNT_KEYWORDS = [
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
] as const;
export const TEXT_KEYWORDS = ['title', 'description', 'format', 'contentEncoding', 'contentMediaType'] as const;
export const BOOLEAN_KEYWORDS = ['uniqueItems', 'deprecated'] as const;
/** Their schema is about another value than the one at hand: a member, an item, a name. */
export const INNER_SCHEMA_KEYWORDS = [
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contains',
  'propertyNames',
  'contentSchema',
] as const;
/** Their schema is about the same value. */
export const SAME_SCHEMA_KEYWORDS = ['not', 'if', 'then', 'else'] as const;
export const SCHEMA_LIST_KEYWORDS = ['allOf', 'anyOf', 'oneOf'] as const;
export const TYPES: ReadonlySet<unknown> = new Set([
  'null',
  'boolean',
  'object',
  'array',
  'number',
  'string',
  'integer',
]);

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** True where a validator can read the pattern: ECMA 262 with the `u` flag. */
export function isPattern(value: string): boolean {
  try {
    new RegExp(value, 'u');
    return true;
  } catch {
    return false;
  }
}
