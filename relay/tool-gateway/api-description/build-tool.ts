/** Makes a tool and its plan out of an operation. */
import type { JsonSchema, SourceTool } from '../tool-source.ts';
import type { ApiBody, ApiOperation, ApiParameter, ParameterStyle } from './api-operation.ts';
import { ArgumentNames } from './argument-names.ts';
import { isBytesSchema, itemsOf, readBodyMembers } from './body-members.ts';
import { isHeaderName, isOwnHeader } from './header-names.ts';
import { isJsonRecord, type JsonRecord, recordMember, textMember } from './json-record.ts';
import { essenceOf, isJsonMediaType, isTextMediaType } from './media-type.ts';
import { outputSchemaOf } from './output-schema.ts';
import type { References } from './references.ts';
import type { Note, SchemaConversion } from './schema-conversion.ts';
import { isRead, type MemberForm, type PlannedBody, type PlannedParameter, type ToolPlan } from './tool-plan.ts';

/** When `X-Session-Id` and `X-Idempotency-Key` are sent: where the operation declares them, always, or never. */
export type MetaHeaders = 'declared' | 'always' | 'never';

interface ToolContext {
  readonly references: References;
  readonly conversion: SchemaConversion;
  readonly server: URL;
  readonly metaHeaders: MetaHeaders;
  /** Names that no argument may have, because the gateway has arguments of its own. */
  readonly reservedArguments: readonly string[];
  /** Headers and cookies of the security schemes, in lower case with their place: `header x-token`. */
  readonly credentialParameters: ReadonlySet<string>;
  readonly note: Note;
  /** Takes what was changed in a schema that several operations share. */
  readonly noteOf: (reference: string, reason: string) => void;
}

export interface BuiltTool {
  readonly tool: Omit<SourceTool, 'name'>;
  readonly plan: ToolPlan;
}

/** Longer input schemas cost more than any model has room for. */
const MAX_INPUT_SCHEMA_LENGTH = 400_000;

const SESSION_HEADER = 'x-session-id';
const KEY_HEADER = 'x-idempotency-key';

const FILE_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'A file.',
  properties: {
    data: { type: 'string', contentEncoding: 'base64', description: 'The bytes of the file in base64.' },
    filename: { type: 'string', description: 'Name of the file, e.g. invoice.pdf.' },
    mimeType: { type: 'string', description: 'Media type of the file, e.g. application/pdf.' },
  },
  required: ['data'],
  additionalProperties: false,
};

/** Throws `BrokenReference`, or an `Error` that says in words for the owner why the operation cannot be a tool. */
export function buildTool(operation: ApiOperation, context: ToolContext): BuiltTool {
  const input = new InputSchema(context);
  const parameters: PlannedParameter[] = [];
  const declared = new Map<string, string>();
  for (const parameter of inOrder(operation.parameters)) {
    const meta = parameter.location === 'header' ? parameter.name.toLowerCase() : '';
    if (meta === SESSION_HEADER || meta === KEY_HEADER) declared.set(meta, parameter.name);
    else if (isForModel(parameter, context)) parameters.push(input.addParameter(parameter));
  }
  const body = operation.body ? input.addBody(operation.body) : undefined;

  const headerFor = (name: string) =>
    context.metaHeaders === 'never' || (context.metaHeaders === 'declared' && !declared.has(name)) ? undefined : name;
  const sessionHeader = headerFor(SESSION_HEADER);
  const keyHeader = headerFor(KEY_HEADER);
  const plan: ToolPlan = {
    method: operation.method,
    path: operation.path,
    server: context.server,
    parameters,
    ...(body ? { body } : {}),
    ...(sessionHeader ? { sessionHeader } : {}),
    ...(keyHeader ? { keyHeader } : {}),
    accept: acceptOf(operation),
  };
  const outputSchema = outputSchemaOf(operation.answer, context);
  const tool: Omit<SourceTool, 'name'> = {
    ...(operation.summary ? { title: operation.summary } : {}),
    description: descriptionOf(operation, body?.shape.type === 'whole'),
    inputSchema: input.finish(),
    ...(outputSchema ? { outputSchema } : {}),
    annotations: annotationsOf(operation),
    ...(keyHeader ? { takesIdempotencyKey: true } : {}),
  };
  return { tool, plan };
}

const LOCATION_ORDER = ['path', 'query', 'header', 'cookie'] as const;

/** The path's first: they keep their names when others have the same. */
function inOrder(parameters: readonly ApiParameter[]): readonly ApiParameter[] {
  return parameters.toSorted((a, b) => LOCATION_ORDER.indexOf(a.location) - LOCATION_ORDER.indexOf(b.location));
}

function isForModel({ name, location }: ApiParameter, { credentialParameters, note }: ToolContext): boolean {
  const isHeader = location === 'header';
  if (isHeader && !isHeaderName(name)) {
    note(`the header "${name}" has no name that can be sent and is left out`);
    return false;
  }
  const isCredential = credentialParameters.has(`${location} ${isHeader ? name.toLowerCase() : name}`);
  if (!isCredential && !(isHeader && isOwnHeader(name))) return true;
  note(`the ${location} parameter "${name}" is never filled by a model and is no argument`);
  return false;
}

function annotationsOf({ method }: ApiOperation): NonNullable<SourceTool['annotations']> {
  if (isRead(method)) return { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };
  return {
    readOnlyHint: false,
    destructiveHint: method !== 'post',
    idempotentHint: method === 'put' || method === 'delete',
    openWorldHint: true,
  };
}

/** A body that is one argument has its words there. */
function descriptionOf(operation: ApiOperation, isBodyWhole: boolean): string {
  const { method, path, summary, description, isDeprecated, body } = operation;
  const isRepeated = summary !== undefined && description?.startsWith(summary);
  const words = [isDeprecated ? 'Deprecated.' : undefined, isRepeated ? undefined : summary, description];
  const text = [...words, isBodyWhole ? undefined : body?.description].filter(Boolean).join('\n\n');
  return text === '' || text === 'Deprecated.'
    ? [text, `${method.toUpperCase()} ${path}`].filter(Boolean).join(' ')
    : text;
}

function acceptOf({ answer }: ApiOperation): string {
  const [first, ...others] = answer.mediaTypes.filter((mediaType) =>
    /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+$/.test(mediaType),
  );
  if (first === undefined) return 'application/json, */*;q=0.5';
  const listed = [first, ...others.map((mediaType) => `${mediaType};q=0.8`)];
  return isJsonMediaType(first) && first !== 'application/json'
    ? [...listed, 'application/json;q=0.9'].join(', ')
    : listed.join(', ');
}

/** Gathers the arguments of one tool. */
class InputSchema {
  readonly #context: ToolContext;
  readonly #names: ArgumentNames;
  readonly #properties: [string, JsonSchema][] = [];
  readonly #required: string[] = [];
  readonly #references = new Set<string>();

  constructor(context: ToolContext) {
    this.#context = context;
    this.#names = new ArgumentNames(context.reservedArguments);
  }

  addParameter(parameter: ApiParameter): PlannedParameter {
    const { name, location, style, isExploded, allowsReserved, mediaType } = parameter;
    const argument = this.#names.take(name, location);
    this.#add(argument, describe(this.#convert(parameter.schema), parameter), parameter.isRequired);
    return {
      argument,
      name,
      location,
      style,
      isExploded,
      allowsReserved,
      ...(mediaType === undefined ? {} : { mediaType }),
    };
  }

  addBody(body: ApiBody): PlannedBody {
    const { references } = this.#context;
    if (body.otherMediaTypes.length > 0) {
      this.#context.note(`the body is sent as ${body.mediaType}; not offered: ${body.otherMediaTypes.join(', ')}`);
    }
    const base = { kind: body.kind, mediaType: body.mediaType, isRequired: body.isRequired };
    const isForm = body.kind === 'form' || body.kind === 'multipart';
    if (body.kind === 'text' || body.kind === 'binary') {
      return { ...base, shape: this.#addWhole(body, rawBodySchema(body)), memberForms: new Map() };
    }
    const members = readBodyMembers(body.schema, references, isForm);
    if (body.kind === 'multipart' && !members) {
      this.#context.note('the parts of the body are not described one by one; files cannot be sent');
    }
    const memberForms = new Map(
      isForm && members
        ? [...members.schemas].map(([name, schema]) => [name, this.#memberForm(name, schema, body)] as const)
        : [],
    );
    if (!members) return { ...base, shape: this.#addWhole(body, this.#convert(body.schema)), memberForms };

    const sent = [...members.schemas].filter(([, schema]) => !this.#context.conversion.isHidden(schema, 'to-api'));
    const isAllOptional = sent.every(([name]) => !members.required.has(name));
    const schemaOf = (name: string, schema: unknown) => this.#memberSchema(schema, memberForms.get(name));
    if (!body.isRequired && !isAllOptional) {
      const whole = {
        type: 'object',
        properties: Object.fromEntries(sent.map(([name, schema]) => [name, schemaOf(name, schema)])),
        required: sent.map(([name]) => name).filter((name) => members.required.has(name)),
        additionalProperties: false,
      };
      return { ...base, shape: this.#addWhole(body, whole), memberForms };
    }
    const argumentByMember = new Map<string, string>();
    for (const [name, schema] of sent) {
      const argument = this.#names.take(name, 'body');
      argumentByMember.set(name, argument);
      this.#add(argument, schemaOf(name, schema), members.required.has(name));
    }
    return { ...base, shape: { type: 'members', argumentByMember }, memberForms };
  }

  finish(): JsonSchema {
    const { conversion, noteOf } = this.#context;
    const definitions = conversion.definitions(this.#references, 'to-api', MAX_INPUT_SCHEMA_LENGTH, noteOf);
    if (!definitions) throw new Error(`its arguments need more than ${MAX_INPUT_SCHEMA_LENGTH / 1_000} kB of schemas`);
    return {
      type: 'object',
      properties: Object.fromEntries(this.#properties),
      ...(this.#required.length > 0 ? { required: this.#required } : {}),
      additionalProperties: false,
      ...(this.#references.size > 0 ? { $defs: definitions.schemas } : {}),
    };
  }

  #addWhole(body: ApiBody, schema: JsonSchema): PlannedBody['shape'] {
    const argument = this.#names.take('body', 'request');
    this.#add(argument, describe(schema, { description: body.description }), body.isRequired);
    return { type: 'whole', argument };
  }

  #add(argument: string, schema: JsonSchema, isRequired: boolean): void {
    this.#properties.push([argument, schema]);
    if (isRequired) this.#required.push(argument);
  }

  #convert(schema: unknown): JsonSchema {
    const { schema: converted, references } = this.#context.conversion.convert(schema, 'to-api', this.#context.note);
    for (const reference of references) this.#references.add(reference);
    return converted;
  }

  #memberSchema(schema: unknown, form: MemberForm | undefined): JsonSchema {
    if (!form?.isFile) return this.#convert(schema);
    const { references } = this.#context;
    const description = isJsonRecord(schema)
      ? textMember(references.resolve(schema, 'a schema'), 'description')
      : undefined;
    if (itemsOf(schema, references) === undefined) return describe(FILE_SCHEMA, { description });
    return describe({ type: 'array', items: FILE_SCHEMA }, { description });
  }

  #memberForm(name: string, schema: unknown, body: ApiBody): MemberForm {
    const { references, note } = this.#context;
    const encoding: JsonRecord = recordMember(body.encoding, name);
    const items = itemsOf(schema, references);
    const stated = textMember(encoding, 'contentType')?.split(',')[0]?.trim();
    const isBinaryType = stated !== undefined && !isTextMediaType(stated) && stated !== '*/*';
    const hasNoType = isJsonRecord(schema) && Object.keys(schema).every((key) => key === 'description');
    const isFile =
      body.kind === 'multipart' && (isBytesSchema(items ?? schema, references) || (isBinaryType && hasNoType));
    if (encoding.headers !== undefined) note(`the headers of the part "${name}" are not sent`);
    if (isFile) return { isFile, ...(stated && !stated.includes('*') ? { contentType: stated } : {}) };

    const hasStyle = encoding.style !== undefined || encoding.explode !== undefined;
    if (hasStyle) {
      const style = (textMember(encoding, 'style') ?? 'form') as ParameterStyle;
      const isExploded = typeof encoding.explode === 'boolean' ? encoding.explode : style === 'form';
      return { isFile, form: { style, isExploded, allowsReserved: encoding.allowReserved === true } };
    }
    return { isFile, ...(stated && !stated.includes('*') ? { contentType: stated } : {}) };
  }
}

function rawBodySchema({ kind, mediaType }: ApiBody): JsonSchema {
  if (kind === 'text') return { type: 'string', description: `Text in the format ${essenceOf(mediaType)}.` };
  return { type: 'string', contentEncoding: 'base64', description: `The bytes (${essenceOf(mediaType)}) in base64.` };
}

/** The schema with the words and examples of the parameter that it is for. */
function describe(
  schema: JsonSchema,
  words: {
    readonly description?: string | undefined;
    readonly examples?: readonly unknown[];
    readonly isDeprecated?: boolean;
  },
): JsonSchema {
  const { description, examples = [], isDeprecated = false } = words;
  return {
    ...schema,
    ...(description ? { description } : {}),
    ...(examples.length > 0 && schema.examples === undefined ? { examples } : {}),
    ...(isDeprecated ? { deprecated: true } : {}),
  };
}
