/** Checks the arguments of a call against the tool's input schema. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { ArgumentFault } from '../../tool-policy/tool-error.ts';
import type { JsonSchema } from '../tool-source.ts';
import { describeReceived } from './arguments-refused.ts';
import { isJsonRecord } from './json-record.ts';

const MAX_FAULTS = 10;

/** A check per schema, made at its first use: a large API has a thousand tools, of which a conversation uses a few. */
export class ArgumentCheck {
  readonly #ajv: Ajv2020;
  readonly #checks = new WeakMap<JsonSchema, ValidateFunction>();

  constructor() {
    this.#ajv = new Ajv2020({ strict: false, allErrors: true, verbose: true, addUsedSchema: false, logger: false });
    // ajv-formats is a CommonJS module whose types do not say so.
    (addFormats as unknown as (ajv: Ajv2020) => void)(this.#ajv);
  }

  /** What is wrong with the arguments; empty when nothing is. */
  faults(schema: JsonSchema, args: Readonly<Record<string, unknown>>): readonly ArgumentFault[] {
    let check = this.#checks.get(schema);
    if (!check) {
      check = this.#ajv.compile(schema as object);
      this.#checks.set(schema, check);
    }
    if (check(args)) return [];
    const faults = new Map<string, ArgumentFault>();
    for (const error of check.errors ?? []) {
      const fault = faultOf(error, args);
      if (fault && !faults.has(fault.field)) faults.set(fault.field, fault);
    }
    return [...faults.values()].slice(0, MAX_FAULTS);
  }
}

function faultOf(error: ErrorObject, args: unknown): ArgumentFault | undefined {
  const base = error.instancePath.slice(1);
  const at = (name: string) => [base, name].filter((part) => part !== '').join('/');
  const parameters = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required': {
      const name = String(parameters.missingProperty);
      const properties = isJsonRecord(error.parentSchema) ? error.parentSchema.properties : undefined;
      const schema = isJsonRecord(properties) ? properties[name] : undefined;
      return { field: at(name), expected: expectedOf(schema), received: 'nothing', ...exampleOf(schema) };
    }
    case 'additionalProperties': {
      const known = isJsonRecord(error.parentSchema) && isJsonRecord(error.parentSchema.properties);
      const names = known ? Object.keys(error.parentSchema!.properties as object).join(', ') : '';
      const name = String(parameters.additionalProperty);
      return { field: at(name), expected: names === '' ? 'no member' : `only: ${names}`, received: name };
    }
    case 'if':
      return undefined;
    default: {
      const expected = error.keyword === 'enum' ? expectedOf(error.parentSchema) : (error.message ?? error.keyword);
      const received = describeReceived(base === '' ? args : error.data);
      return {
        field: base === '' ? 'arguments' : base,
        expected: expected.replace(/^must /, ''),
        received,
        ...exampleOf(error.parentSchema),
      };
    }
  }
}

function expectedOf(schema: unknown): string {
  if (!isJsonRecord(schema)) return 'a value';
  if (Array.isArray(schema.enum))
    return `one of ${schema.enum
      .slice(0, 20)
      .map((each) => JSON.stringify(each))
      .join(', ')}`;
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : schema.type;
  const format = typeof schema.format === 'string' ? ` (${schema.format})` : '';
  return typeof type === 'string' ? `${type}${format}` : 'a value';
}

function exampleOf(schema: unknown): { readonly example?: string } {
  if (!isJsonRecord(schema) || !Array.isArray(schema.examples) || schema.examples.length === 0) return {};
  return { example: describeReceived(schema.examples[0]) };
}
