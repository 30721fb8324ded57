import { formatOf } from './argument-formats.ts';
import { isSchema, partsOf } from './schema-walk.ts';
import type { JsonSchema } from './tool-definition.ts';

/**
 * The schema by which arguments are judged, made from the one that the source gives: a member that it does not know is a fault
 * wherever it lists its members and does not say that others may come; formats that the words of a description ask for are
 * asked for. What it says itself stays.
 */
export function strictSchema(schema: JsonSchema): JsonSchema {
  return strict(schema, schema, '', false) as JsonSchema;
}

const COMPOSED = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', '$ref', 'dependentSchemas'];

/** `isPart`: the schema is one of several that judge the same value, so that it cannot say alone what is too much. */
function strict(value: unknown, root: JsonSchema, name: string, isPart: boolean): unknown {
  if (!isSchema(value)) return value;
  const isComposed = COMPOSED.some((key) => key in value);
  const made: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) made[key] = strictMember(key, member, root, name);
  const format = formatOf({ name, format: value.format, description: value.description });
  const mayBeText = [value.type].flat().includes('string');
  if (format && mayBeText && !('enum' in value) && !('const' in value) && !('pattern' in value))
    made.format = format.name;
  if (!isPart && isClosed(value, root)) made[isComposed ? 'unevaluatedProperties' : 'additionalProperties'] = false;
  return made;
}

function strictMember(key: string, member: unknown, root: JsonSchema, name: string): unknown {
  switch (key) {
    case 'properties':
    case 'patternProperties':
      return mapMembers(member, (property, of) => strict(property, root, of, false));
    case '$defs':
    case 'definitions':
    case 'dependentSchemas':
      return mapMembers(member, (definition) => strict(definition, root, '', true));
    case 'items':
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'contains':
      return strict(member, root, name, false);
    case 'prefixItems':
      return Array.isArray(member) ? member.map((item) => strict(item, root, name, false)) : member;
    case 'allOf':
    case 'anyOf':
    case 'oneOf':
      return Array.isArray(member) ? member.map((part) => strict(part, root, name, true)) : member;
    case 'not':
    case 'if':
    case 'then':
    case 'else':
      return strict(member, root, name, true);
    default:
      return member;
  }
}

/** Lists members, and no part of it says anything about others. */
function isClosed(schema: JsonSchema, root: JsonSchema): boolean {
  const parts = partsOf(schema, root);
  const says = ['additionalProperties', 'unevaluatedProperties', 'patternProperties', 'if'];
  return parts.some((part) => isSchema(part.properties)) && !parts.some((part) => says.some((key) => key in part));
}

function mapMembers(value: unknown, map: (member: unknown, name: string) => unknown): unknown {
  if (!isSchema(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, map(member, name)]));
}
