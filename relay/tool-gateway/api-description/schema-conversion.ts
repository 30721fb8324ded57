/**
 * Schemas of OpenAPI 3.0, 3.1 and Swagger 2 to JSON Schema 2020-12. What is referred to stays referred to: each target
 * becomes one definition, converted once and shared by all tools, so that cycles stay cycles and a thousand tools cost the
 * memory of their differences. It is one walk over one recursive format, and so one file.
 * Sources: OpenAPI 3.0.4 "Schema Object", OpenAPI 3.1.1 "Schema Object", Swagger 2.0.
 */
import type { JsonSchema } from '../tool-source.ts';
import { EndlessReferences, type InPlaceKind } from './endless-references.ts';
import { isJsonRecord, type JsonRecord, listMember, recordMember, textMember } from './json-record.ts';
import type { References } from './references.ts';
import { INNER_SCHEMA_KEYWORDS, isPattern, SAME_SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS } from './schema-keywords.ts';
import { convertValueKeywords } from './value-keywords.ts';

/** What is only read never goes to the API (`readOnly`), what is only written never comes from it (`writeOnly`). */
type Direction = 'to-api' | 'from-api';

export type Dialect = 'swagger-2' | 'openapi-3.0' | 'openapi-3.1';

/** Takes what had to be changed, in words for the owner. */
export type Note = (reason: string) => void;

/** A converted schema and the references that it holds. */
interface ConvertedSchema {
  readonly schema: JsonSchema;
  readonly references: ReadonlySet<string>;
}

interface Definition extends ConvertedSchema {
  readonly name: string;
  readonly notes: readonly string[];
  /** Length of its JSON text. */
  readonly size: number;
}

interface Place {
  readonly direction: Direction;
  readonly references: Set<string>;
  readonly note: Note;
  readonly depth: number;
  /** The reference whose target is being converted, as long as the same value is meant. */
  readonly owner?: string;
  readonly kind: InPlaceKind;
  /** Within a copy of a base: references back into its circle are left out. */
  readonly isCopyOfBase?: boolean;
  /** Members that the surrounding composition hides in this direction. */
  readonly hidden: ReadonlySet<string>;
}

const MAX_DEPTH = 60;
const NOTHING_HIDDEN: ReadonlySet<string> = new Set();

export class SchemaConversion {
  readonly #references: References;
  readonly #dialect: Dialect;
  readonly #endless: EndlessReferences;
  readonly #definitions = { 'to-api': new Map<string, Definition>(), 'from-api': new Map<string, Definition>() };
  readonly #names = new Map<string, string>();
  readonly #takenNames = new Set<string>();

  constructor(references: References, dialect: Dialect) {
    this.#references = references;
    this.#dialect = dialect;
    this.#endless = new EndlessReferences(references);
  }

  /** Throws `BrokenReference` when a reference within the schema leads nowhere. */
  convert(schema: unknown, direction: Direction, note: Note): ConvertedSchema {
    const references = new Set<string>();
    const place = { direction, references, note, depth: 0, kind: 'other' as const, hidden: NOTHING_HIDDEN };
    return { schema: this.#convert(schema, place), references };
  }

  /**
   * The definitions that `references` need, whichever number of steps away, by their names, and the length of their JSON
   * text; undefined as soon as that is above `maxSize`. `noteOf` takes the notes of each target once.
   */
  definitions(
    references: ReadonlySet<string>,
    direction: Direction,
    maxSize: number,
    noteOf: (reference: string, reason: string) => void,
  ): { readonly schemas: JsonRecord; readonly size: number } | undefined {
    const reached = new Set(references);
    const schemas: [string, JsonSchema][] = [];
    let size = 0;
    // A set that grows while it is walked is walked to its end.
    for (const reference of reached) {
      const definition = this.#definition(reference, direction);
      for (const note of definition.notes) noteOf(reference, note);
      size += definition.size;
      if (size > maxSize) return undefined;
      schemas.push([definition.name, definition.schema]);
      for (const further of definition.references) reached.add(further);
    }
    return { schemas: Object.fromEntries(schemas), size };
  }

  /** True when the schema, followed through references, is hidden in this direction. */
  isHidden(schema: unknown, direction: Direction): boolean {
    if (!isJsonRecord(schema)) return false;
    const keyword = direction === 'to-api' ? 'readOnly' : 'writeOnly';
    if (schema[keyword] === true) return true;
    if (typeof schema.$ref !== 'string') return false;
    try {
      return this.#references.resolve(schema, 'a schema')[keyword] === true;
    } catch {
      return false;
    }
  }

  #definition(reference: string, direction: Direction): Definition {
    const known = this.#definitions[direction].get(reference);
    if (known) return known;
    const { value } = this.#references.target(reference);
    const references = new Set<string>();
    const notes = new Set<string>();
    const schema = this.#convert(value, {
      direction,
      references,
      note: (reason) => notes.add(reason),
      depth: 0,
      owner: reference,
      kind: 'other',
      hidden: NOTHING_HIDDEN,
    });
    const size = JSON.stringify(schema).length;
    const definition = { name: this.#nameOf(reference), schema, references, notes: [...notes], size };
    this.#definitions[direction].set(reference, definition);
    return definition;
  }

  #nameOf(reference: string): string {
    const known = this.#names.get(reference);
    if (known !== undefined) return known;
    // Only characters that stand for themselves in a JSON Pointer within a URI.
    const last = reference.slice(reference.lastIndexOf('/') + 1).replaceAll(/%[0-9a-f]{2}|~[01]|[^\w.-]/gi, '_');
    const base = /^(?:__proto__|)$/.test(last) ? 'schema' : last;
    let name = base;
    for (let count = 2; this.#takenNames.has(name); count += 1) name = `${base}_${count}`;
    this.#takenNames.add(name);
    this.#names.set(reference, name);
    return name;
  }

  #convert(schema: unknown, place: Place): JsonSchema {
    if (schema === true || schema === undefined) return {};
    // As an object: readers of tools lists expect each schema to be one.
    if (schema === false) return { not: {} };
    if (!isJsonRecord(schema)) {
      place.note('a schema that is neither an object nor true or false allows anything now');
      return {};
    }
    if (place.depth > MAX_DEPTH) {
      place.note(`what is nested more than ${MAX_DEPTH} levels deep allows anything now`);
      return {};
    }
    if (typeof schema.$ref === 'string') return this.#convertReference(schema, schema.$ref, place);
    return this.#withNull(schema, this.#convertKeywords(schema, place));
  }

  #convertReference(schema: JsonRecord, reference: string, place: Place): JsonSchema {
    // Fails early, with the words of the reference at fault.
    this.#references.target(reference);
    const beside = this.#besideReference(schema, place);
    if (place.owner !== undefined && this.#endless.isCircle(place.owner, reference)) {
      if (place.isCopyOfBase) return beside;
      if (place.kind === 'allOf') {
        const base = this.#references.resolve({ $ref: reference }, 'a schema');
        const copy = this.#convert(base, { ...place, depth: place.depth + 1, owner: reference, isCopyOfBase: true });
        return { ...copy, ...beside };
      }
      if (this.#endless.isCircleWithoutAllOf(place.owner, reference)) {
        place.note(`a reference to ${reference} within itself, without any level between, allows anything now`);
        return beside;
      }
    }
    place.references.add(reference);
    return { $ref: `#/$defs/${this.#nameOf(reference)}`, ...beside };
  }

  /** What stands beside `$ref`: words always count, rules only since OpenAPI 3.1. */
  #besideReference(schema: JsonRecord, place: Place): JsonSchema {
    const { $ref: _, ...beside } = schema;
    if (Object.keys(beside).length === 0) return {};
    if (this.#dialect === 'openapi-3.1') return this.#withNull(beside, this.#convertKeywords(beside, place));
    const description = textMember(beside, 'description');
    return description === undefined ? {} : { description };
  }

  #convertKeywords(schema: JsonRecord, place: Place): JsonSchema {
    const { note } = place;
    const out = convertValueKeywords(schema, this.#dialect, note);
    const inner: Place = {
      direction: place.direction,
      references: place.references,
      note,
      depth: place.depth + 1,
      kind: 'other',
      hidden: NOTHING_HIDDEN,
    };

    this.#convertObject(schema, out, place, inner);
    this.#convertItems(schema, out, inner, note);
    for (const name of INNER_SCHEMA_KEYWORDS) {
      if (schema[name] !== undefined) out[name] = keepBoolean(schema[name]) ?? this.#convert(schema[name], inner);
    }
    this.#convertComposition(schema, out, place);
    return out;
  }

  #convertObject(schema: JsonRecord, out: Record<string, unknown>, place: Place, inner: Place): void {
    const properties = recordMember(schema, 'properties');
    const hidden = this.#hiddenNames(schema, place);
    const shown = Object.entries(properties).filter(([name]) => !hidden.has(name));
    if (Object.hasOwn(schema, 'properties')) {
      out.properties = Object.fromEntries(shown.map(([name, value]) => [name, this.#convert(value, inner)]));
    }
    if (Array.isArray(schema.required)) {
      const required = [...new Set(schema.required)].filter((name) => typeof name === 'string' && !hidden.has(name));
      if (required.length > 0) out.required = required;
    } else if (schema.required !== undefined && typeof schema.required !== 'boolean') {
      inner.note('"required" is not a list and is left out');
    }
    for (const name of ['patternProperties', 'dependentSchemas']) {
      const schemas = Object.entries(recordMember(schema, name));
      const usable = schemas.filter(([key]) => name !== 'patternProperties' || isPattern(key));
      if (usable.length < schemas.length) inner.note('a pattern of "patternProperties" cannot be read and is left out');
      if (usable.length > 0) {
        out[name] = Object.fromEntries(usable.map(([key, value]) => [key, this.#convert(value, inner)]));
      }
    }
    const dependent = Object.entries(recordMember(schema, 'dependentRequired')).filter(([, names]) =>
      Array.isArray(names),
    );
    if (dependent.length > 0) out.dependentRequired = Object.fromEntries(dependent);
  }

  /** Names of members that are not for this direction, also those that a sibling within an `allOf` declares. */
  #hiddenNames(schema: JsonRecord, place: Place): ReadonlySet<string> {
    const hidden = new Set(place.hidden);
    this.#addHiddenNames(schema, place.direction, hidden, 0);
    return hidden;
  }

  #addHiddenNames(schema: unknown, direction: Direction, hidden: Set<string>, depth: number): void {
    if (depth > 10 || !isJsonRecord(schema)) return;
    let resolved: JsonRecord = schema;
    if (typeof schema.$ref === 'string') {
      try {
        resolved = this.#references.resolve(schema, 'a schema');
      } catch {
        return;
      }
    }
    for (const [name, value] of Object.entries(recordMember(resolved, 'properties'))) {
      if (this.isHidden(value, direction)) hidden.add(name);
    }
    for (const part of listMember(resolved, 'allOf')) this.#addHiddenNames(part, direction, hidden, depth + 1);
  }

  #convertItems(schema: JsonRecord, out: Record<string, unknown>, inner: Place, note: Note): void {
    const { items } = schema;
    const prefix = Array.isArray(items) ? items : listMember(schema, 'prefixItems');
    if (prefix.length > 0) out.prefixItems = prefix.map((item) => this.#convert(item, inner));
    const rest = Array.isArray(items) ? schema.additionalItems : items;
    if (rest === undefined) return;
    if (typeof rest !== 'boolean' && !isJsonRecord(rest)) note('"items" is not a schema and is left out');
    else out.items = keepBoolean(rest) ?? this.#convert(rest, inner);
  }

  #convertComposition(schema: JsonRecord, out: Record<string, unknown>, place: Place): void {
    const hidden = Array.isArray(schema.allOf) ? this.#hiddenNames(schema, place) : place.hidden;
    for (const name of SCHEMA_LIST_KEYWORDS) {
      const parts = listMember(schema, name);
      if (parts.length === 0 || (place.isCopyOfBase && name !== 'allOf')) continue;
      const kind = name === 'allOf' ? 'allOf' : 'other';
      const within = { ...place, depth: place.depth + 1, kind, hidden } as const;
      const converted = parts.map((part) => this.#mapped(schema, name, part, this.#convert(part, within)));
      // A form that was cut allows anything, and would make every other form the second one that fits.
      const isCut = converted.some((part) => Object.keys(part).length === 0);
      out[name === 'oneOf' && isCut ? 'anyOf' : name] = converted;
    }
    for (const name of SAME_SCHEMA_KEYWORDS) {
      if (schema[name] === undefined || (place.isCopyOfBase && name !== 'not')) continue;
      out[name] = this.#convert(schema[name], { ...place, depth: place.depth + 1, kind: 'other' });
    }
    const discriminator = recordMember(schema, 'discriminator');
    const property = textMember(discriminator, 'propertyName') ?? textMember(schema, 'discriminator');
    if (property === undefined) return;
    const forms = Object.entries(recordMember(discriminator, 'mapping')).map(
      ([value, target]) => `${JSON.stringify(value)}: ${String(target).split('/').at(-1)}`,
    );
    const list = forms.length === 0 ? '' : ` (${forms.join(', ')})`;
    out.description = [out.description, `The member "${property}" says which form it is${list}.`]
      .filter(Boolean)
      .join('\n');
  }

  /** A form with the value of the discriminator that the mapping gives it, so that no two forms fit the same object. */
  #mapped(schema: JsonRecord, keyword: string, part: unknown, converted: JsonSchema): JsonSchema {
    const discriminator = recordMember(schema, 'discriminator');
    const property = textMember(discriminator, 'propertyName');
    const reference = isJsonRecord(part) ? textMember(part, '$ref') : undefined;
    if (keyword === 'allOf' || property === undefined || reference === undefined) return converted;
    const schemaName = reference.slice(reference.lastIndexOf('/') + 1);
    const values = Object.entries(recordMember(discriminator, 'mapping'))
      .filter(([, target]) => target === reference || target === schemaName)
      .map(([value]) => value);
    if (values.length === 0 || !('$ref' in converted)) return converted;
    return { ...converted, properties: { [property]: { enum: values } }, required: [property] };
  }

  /** `nullable` of OpenAPI 3.0 and `x-nullable` of Swagger 2: null is allowed too. */
  #withNull(schema: JsonRecord, converted: JsonSchema): JsonSchema {
    if (schema.nullable !== true && schema['x-nullable'] !== true) return converted;
    const { type } = converted;
    if (type !== undefined) {
      const types = Array.isArray(type) ? type : [type];
      const withNull = { ...converted, type: types.includes('null') ? types : [...types, 'null'] };
      return SCHEMA_LIST_KEYWORDS.some((name) => name in converted)
        ? { anyOf: [converted, { type: 'null' }] }
        : withNull;
    }
    const isRestricted = Object.keys(converted).some((name) => name === '$ref' || /Of$|^not$|^const$/.test(name));
    return isRestricted ? { anyOf: [converted, { type: 'null' }] } : converted;
  }
}

function keepBoolean(schema: unknown): boolean | undefined {
  return typeof schema === 'boolean' ? schema : undefined;
}

/** The member of a raw schema that is a list of strings, e.g. `required`. */
export function namesIn(schema: JsonRecord, name: string): readonly string[] {
  return listMember(schema, name).filter((each): each is string => typeof each === 'string');
}
