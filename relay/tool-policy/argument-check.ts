/** Judges a call's arguments before anything is called, and tells every fault at once. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { ARGUMENT_FORMATS, formatOf, unitOf } from './argument-formats.ts';
import { readArgumentsFromText } from './arguments-from-text.ts';
import { nearest } from './nearest.ts';
import { isSchema, propertiesOf, resolve, typesOf } from './schema-walk.ts';
import { strictSchema } from './strict-schema.ts';
import type { JsonSchema } from './tool-definition.ts';
import type { ArgumentFault } from './tool-error.ts';

export type CheckedArguments =
  | { readonly type: 'right'; readonly arguments: Readonly<Record<string, unknown>> }
  | { readonly type: 'wrong'; readonly faults: readonly [ArgumentFault, ...ArgumentFault[]] };

const MOST_FAULTS = 20;
const MAX_SHOWN = 80;

/** One tool's arguments. Throws for a schema that is none. */
export class ArgumentCheck {
  readonly #schema: JsonSchema;
  readonly #validate: ValidateFunction;

  constructor(schema: JsonSchema) {
    this.#schema = strictSchema(schema);
    this.#validate = createAjv().compile(withoutId(this.#schema));
  }

  /** The arguments, lists and objects read from text where that is what was meant, or what is wrong with them. */
  check(args: Readonly<Record<string, unknown>>): CheckedArguments {
    const read = readArgumentsFromText(args, this.#schema) as Record<string, unknown>;
    if (this.#validate(read)) return { type: 'right', arguments: read };
    const faults = new Map<string, ArgumentFault>();
    for (const error of mainErrors(this.#validate.errors ?? [])) {
      if (this.#isEcho(error)) continue;
      const fault = this.#faultOf(error, read);
      // One fault a field: the first says what is wrong, the others follow from it.
      if (!faults.has(fault.field) && faults.size < MOST_FAULTS) faults.set(fault.field, fault);
    }
    const [first, ...others] = faults.values();
    return { type: 'wrong', faults: [first ?? UNREADABLE, ...others] };
  }

  /** A member with a fault in it also counts as one that no part of the schema has accepted. */
  #isEcho({ keyword, params, instancePath }: ErrorObject): boolean {
    if (keyword !== 'unevaluatedProperties') return false;
    const inside = schemaAt(this.#schema, instancePath.split('/').slice(1).map(unescaped));
    return inside !== undefined && propertiesOf(inside, this.#schema).has(String(params.unevaluatedProperty));
  }

  #faultOf(error: ErrorObject, args: unknown): ArgumentFault {
    const { keyword, params } = error;
    const at = error.instancePath.split('/').slice(1).map(unescaped);
    const field = (...more: string[]) => [...at, ...more].join('/');
    const inside = schemaAt(this.#schema, at);
    switch (keyword) {
      case 'required':
      case 'dependentRequired': {
        const name = String(params.missingProperty);
        const wanted = inside && propertiesOf(inside, this.#schema).get(name);
        return fault(
          field(name),
          `${expectedOf(name, wanted, this.#schema)} (required)`,
          'nothing',
          exampleOf(name, wanted, this.#schema),
        );
      }
      case 'additionalProperties':
      case 'unevaluatedProperties': {
        const name = String(params.additionalProperty ?? params.unevaluatedProperty);
        const known = inside ? [...propertiesOf(inside, this.#schema).keys()] : [];
        const meant = nearest(name, known);
        const expected = meant ? `no such field; "${meant}" is near` : `no such field; there are: ${known.join(', ')}`;
        return fault(field(name), expected, shown(valueAt(args, [...at, name])), meant && `"${meant}": …`);
      }
      default: {
        const name = at.findLast((part) => !/^\d+$/.test(part)) ?? '';
        const expected = expectedBy(error) ?? expectedOf(name, inside, this.#schema);
        const unit =
          inside && isNumber(inside, this.#schema) ? unitOf({ name, description: inside.description }) : undefined;
        return fault(
          field() || 'arguments',
          unit && !expected.includes(unit) ? `${expected} (${unit})` : expected,
          shown(valueAt(args, at)),
          exampleOf(name, inside, this.#schema),
        );
      }
    }
  }
}

const UNREADABLE: ArgumentFault = { field: 'arguments', expected: 'arguments that fit the schema', received: 'others' };

function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    strictNumbers: true,
    allErrors: true,
    validateFormats: true,
    logger: false,
    addUsedSchema: false,
  });
  ajvFormats.default(ajv);
  for (const [name, { isRight }] of Object.entries(ARGUMENT_FORMATS)) ajv.addFormat(name, isRight);
  return ajv;
}

/** An `$id` would make references relative to it, and two tools with the same one a failure. */
function withoutId(schema: JsonSchema): JsonSchema {
  const { $id: _, $schema: __, ...rest } = schema;
  return rest;
}

/**
 * Leaves out what follows from something else: of alternatives only the one that is nearest to what came is told, and what
 * `anyOf` itself says only when no alternative is near.
 */
function mainErrors(errors: readonly ErrorObject[]): ErrorObject[] {
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  let left = [...errors];
  for (const choice of choices) {
    const prefix = `${choice.schemaPath}/`;
    const inside = left.filter((error) => error !== choice && error.schemaPath.startsWith(prefix));
    if (inside.length === 0) continue;
    const branches = Map.groupBy(inside, (error) => error.schemaPath.slice(prefix.length).split('/')[0] ?? '');
    const deep = [...branches.values()].filter((branch) =>
      branch.every((error) => error.instancePath.length > choice.instancePath.length || error.keyword === 'required'),
    );
    const [best] = deep.sort((a, b) => a.length - b.length);
    left = left.filter((error) => !inside.includes(error) || best?.includes(error));
    if (best) left = left.filter((error) => error !== choice);
  }
  return left.filter(({ keyword }) => keyword !== 'if');
}

/** What a keyword says that the type alone does not. */
function expectedBy({ keyword, params }: ErrorObject): string | undefined {
  switch (keyword) {
    case 'minimum':
    case 'exclusiveMinimum':
    case 'maximum':
    case 'exclusiveMaximum':
      return `a number ${params.comparison} ${params.limit}`;
    case 'multipleOf':
      return `a multiple of ${params.multipleOf}`;
    case 'minLength':
      return `a text of at least ${params.limit} characters`;
    case 'maxLength':
      return `a text of at most ${params.limit} characters`;
    case 'minItems':
      return `a list of at least ${params.limit} items`;
    case 'maxItems':
      return `a list of at most ${params.limit} items`;
    case 'uniqueItems':
      return 'a list in which no item is there twice';
    case 'minProperties':
    case 'maxProperties':
      return `an object with ${keyword === 'minProperties' ? 'at least' : 'at most'} ${params.limit} members`;
    case 'pattern':
      return `a text like ${params.pattern}`;
    case 'oneOf':
      return Array.isArray(params.passingSchemas) ? 'a value that fits one alternative only' : undefined;
    case 'not':
      return 'another value';
    case 'false schema':
      return 'nothing';
    default:
      return undefined;
  }
}

function expectedOf(name: string, schema: JsonSchema | undefined, root: JsonSchema): string {
  if (!schema) return 'a value';
  const resolved = resolve(schema, root);
  if (Array.isArray(resolved.enum))
    return `one of ${cut(resolved.enum.map((value) => JSON.stringify(value)).join(', '), 300)}`;
  if ('const' in resolved) return JSON.stringify(resolved.const);
  const format = formatOf({ name, format: resolved.format, description: resolved.description });
  if (format) return ARGUMENT_FORMATS[format.name]?.expected ?? format.name;
  if (typeof resolved.format === 'string') return `a text in the format ${resolved.format}`;
  const types = [...typesOf(resolved, root)].map((type) => TYPE_WORDS[type] ?? type);
  const said = types.length > 0 ? types.join(' or ') : 'a value of another form';
  const unit = isNumber(resolved, root) ? unitOf({ name, description: resolved.description }) : undefined;
  return unit ? `${said} (${unit})` : said;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

function isNumber(schema: JsonSchema, root: JsonSchema): boolean {
  const types = typesOf(schema, root);
  return types.has('number') || types.has('integer');
}

/** From the schema where it has one, or made from what it says. */
function exampleOf(name: string, schema: JsonSchema | undefined, root: JsonSchema, depth = 0): string | undefined {
  const value = schema && exampleValue(name, schema, root, depth);
  return value === undefined ? undefined : cut(JSON.stringify(value), MAX_SHOWN * 2);
}

function exampleValue(name: string, schema: JsonSchema, root: JsonSchema, depth: number): unknown {
  const resolved = resolve(schema, root);
  const { examples, example, enum: values } = resolved;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (example !== undefined) return example;
  if ('const' in resolved) return resolved.const;
  if (Array.isArray(values)) return values[0];
  if (resolved.default !== undefined) return resolved.default;
  const format = formatOf({ name, format: resolved.format, description: resolved.description });
  if (format) return ARGUMENT_FORMATS[format.name]?.example;
  const types = typesOf(resolved, root);
  if (types.has('integer') || types.has('number')) {
    const { minimum, exclusiveMinimum, maximum } = resolved;
    if (typeof minimum === 'number') return minimum;
    if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1;
    return typeof maximum === 'number' && maximum < 1 ? maximum : 1;
  }
  if (types.has('boolean')) return true;
  if (depth > 2) return undefined;
  if (types.has('array'))
    return [exampleValue(name, isSchema(resolved.items) ? resolved.items : {}, root, depth + 1)].filter(isKnown);
  if (types.has('object')) {
    const required = Array.isArray(resolved.required) ? resolved.required : [];
    const members = [...propertiesOf(resolved, root)].filter(([member]) => required.includes(member));
    return Object.fromEntries(members.map(([member, part]) => [member, exampleValue(member, part, root, depth + 1)]));
  }
  return undefined;
}

function isKnown(value: unknown): boolean {
  return value !== undefined;
}

/** What is said of the value at a path; undefined where no single schema can be named. */
function schemaAt(root: JsonSchema, path: readonly string[]): JsonSchema | undefined {
  let schema: JsonSchema | undefined = root;
  for (const part of path) {
    if (!schema) return undefined;
    const property: JsonSchema | undefined = propertiesOf(schema, root).get(part);
    const items: unknown = resolve(schema, root).items;
    schema = property ?? (/^\d+$/.test(part) && isSchema(items) ? items : undefined);
  }
  return schema;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const part of path) found = (found as Record<string, unknown> | undefined)?.[part];
  return found;
}

function fault(field: string, expected: string, received: string, example: string | undefined): ArgumentFault {
  return { field, expected, received, ...(example !== undefined && { example }) };
}

/** What came, short, as JSON, so that text can be told from a number. */
function shown(value: unknown): string {
  return value === undefined ? 'nothing' : cut(JSON.stringify(value), MAX_SHOWN);
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
