/**
 * Makes up a call of an operation straight from its description, without the code under test: values that the description
 * allows, and where each of them must arrive.
 */
type Json = Record<string, unknown>;

export interface ExpectedCall {
  readonly method: string;
  readonly template: string;
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: readonly (readonly [name: string, value: unknown, isExploded: boolean])[];
  readonly header: Readonly<Record<string, unknown>>;
  readonly body?: { readonly mediaType: string; readonly value: unknown };
}

const HIDDEN_HEADERS = /^(authorization|accept|content-type|host|x-api-key|x-session-id|x-idempotency-key)$/i;

export function expectedCall(root: Json, method: string, template: string, item: Json, operation: Json): ExpectedCall {
  const make = new ValueMaker(root);
  const byKey = new Map<string, Json>();
  for (const raw of [...list(item.parameters), ...list(operation.parameters)]) {
    const parameter = make.resolve(raw);
    byKey.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  const path: Json = {};
  const header: Json = {};
  const query: [string, unknown, boolean][] = [];
  let body: ExpectedCall['body'];
  for (const parameter of byKey.values()) {
    const name = String(parameter.name);
    if (parameter.in === 'body') {
      body = { mediaType: 'application/json', value: make.value(parameter.schema, 0) };
      continue;
    }
    const value = make.value(parameter.schema ?? parameter, 0);
    const isExploded = root.swagger ? parameter.collectionFormat === 'multi' : parameter.explode !== false;
    if (parameter.in === 'path') path[name] = value;
    if (parameter.in === 'query') query.push([name, value, isExploded]);
    if (parameter.in === 'header' && !HIDDEN_HEADERS.test(name)) header[name] = value;
  }
  if (operation.requestBody) {
    const content = make.resolve(operation.requestBody).content as Json;
    const mediaType = Object.keys(content).find((each) => each === 'application/json') ?? Object.keys(content)[0]!;
    const { schema } = content[mediaType] as Json;
    body = { mediaType, value: mediaType === 'application/json' ? make.value(schema, 0) : `text ü` };
  }
  return { method, template, path, query, header, ...(body ? { body } : {}) };
}

/** The arguments by which a tool is asked for this call, by the names in its input schema. */
export function argumentsOf(expected: ExpectedCall, properties: Readonly<Json>): Json {
  const args: Json = {};
  const take = (name: string, place: string, value: unknown) => {
    const plain = name.replaceAll(/[^\w.-]+/g, '_').replaceAll(/^_+|_+$/g, '');
    const argument = !Object.hasOwn(args, plain) && Object.hasOwn(properties, plain) ? plain : `${place}_${plain}`;
    args[argument] = value;
  };
  for (const [name, value] of Object.entries(expected.path)) take(name, 'path', value);
  for (const [name, value] of expected.query) take(name, 'query', value);
  for (const [name, value] of Object.entries(expected.header)) take(name, 'header', value);
  if (!expected.body) return args;
  const { value } = expected.body;
  const isWhole = Object.hasOwn(properties, 'body') && !(isObject(value) && Object.hasOwn(value, 'body'));
  if (isWhole || !isObject(value)) args.body = value;
  else for (const [name, member] of Object.entries(value)) take(name, 'body', member);
  return args;
}

/** Makes values that a schema of OpenAPI 3.0 or Swagger 2 allows, with characters that need encoding where it can. */
class ValueMaker {
  readonly #root: Json;

  constructor(root: Json) {
    this.#root = root;
  }

  resolve(raw: unknown): Json {
    let value = raw as Json;
    while (typeof value?.$ref === 'string') {
      const keys = value.$ref
        .slice(2)
        .split('/')
        .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'));
      value = keys.reduce<unknown>((at, key) => (at as Json)[key], this.#root) as Json;
    }
    return value;
  }

  value(raw: unknown, depth: number): unknown {
    const schema = this.resolve(raw ?? {});
    if (Array.isArray(schema.enum)) return schema.enum.find((each) => each !== null) ?? null;
    const forms = list(schema.oneOf ?? schema.anyOf);
    // Some descriptions only say by anyOf which members are required: then all members of the object are made.
    if (forms.length > 0 && !schema.properties) return this.value(forms[0], depth);
    if (schema.allOf) {
      const parts = list(schema.allOf).map((part) => this.value(part, depth));
      return parts.every(isObject) ? Object.assign({}, ...parts) : parts[0];
    }
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
    switch (type ?? (schema.properties ? 'object' : 'string')) {
      case 'integer':
      case 'number':
        return Number(schema.minimum ?? 7) + (schema.exclusiveMinimum === true ? 1 : 0);
      case 'boolean':
        return true;
      case 'array': {
        const length = Math.max(depth < 3 ? 2 : 0, Number(schema.minItems ?? 0));
        const items = Array.from({ length: Math.min(length, Number(schema.maxItems ?? length)) }, () =>
          this.value(schema.items, depth + 1),
        );
        return schema.uniqueItems === true ? [...new Set(items)] : items;
      }
      case 'object':
        return this.#object(schema, depth);
      default:
        return this.#text(schema);
    }
  }

  #object(schema: Json, depth: number): Json {
    const required = new Set(list(schema.required));
    const members = Object.entries((schema.properties ?? {}) as Json).filter(([name, value]) => {
      return this.resolve(value).readOnly !== true && (required.has(name) || depth < 3);
    });
    return Object.fromEntries(members.map(([name, value]) => [name, this.value(value, depth + 1)]));
  }

  #text(schema: Json): string {
    switch (schema.format) {
      case 'date-time':
        return '2026-03-01T10:00:00Z';
      case 'date':
        return '2026-03-01';
      case 'uri':
        return 'https://example.com/a?b=c';
      case 'email':
        return 'a@example.com';
      case 'uuid':
        return '00000000-0000-4000-8000-000000000000';
      case 'byte':
        return 'aGk=';
      default:
        return schema.pattern === undefined
          ? `a/b c&ü${'x'.repeat(Math.max(0, Number(schema.minLength ?? 0) - 7))}`.slice(
              0,
              Number(schema.maxLength ?? 1_000),
            )
          : 'a';
    }
  }
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
