/** Parameters, bodies and answers of Swagger 2. */
import type { ApiAnswer, ApiBody, ApiParameter, ParameterLocation, ParameterStyle } from './api-operation.ts';
import { isJsonRecord, type JsonRecord, listMember, textMember } from './json-record.ts';
import { bodyKindOf, bodyRank, essenceOf, isJsonMediaType, sentMediaType } from './media-type.ts';
import { jsonFirst } from './open-api-3.ts';
import type { OperationContext } from './read-operations.ts';
import { namesIn } from './schema-conversion.ts';

/** Undefined for what goes into the body. Throws an `Error` for a parameter that cannot be sent. */
export function swaggerParameter(raw: JsonRecord, context: OperationContext): ApiParameter | undefined {
  const name = textMember(raw, 'name')!;
  const place = raw.in;
  if (place === 'body' || place === 'formData') return undefined;
  if (place !== 'path' && place !== 'query' && place !== 'header') {
    throw new Error(`the parameter "${name}" stands in ${JSON.stringify(place)}, which is no place of Swagger 2`);
  }
  const description = textMember(raw, 'description');
  return {
    name,
    location: place,
    isRequired: raw.required === true || place === 'path',
    schema: schemaOf(raw),
    ...(description ? { description } : {}),
    examples: Object.hasOwn(raw, 'x-example') ? [raw['x-example']] : [],
    isDeprecated: false,
    allowsReserved: false,
    ...formOf(raw, place, context.note),
  };
}

const STYLE_BY_COLLECTION: Readonly<Record<string, ParameterStyle>> = {
  csv: 'form',
  multi: 'form',
  ssv: 'spaceDelimited',
  tsv: 'tabDelimited',
  pipes: 'pipeDelimited',
};

function formOf(
  raw: JsonRecord,
  place: ParameterLocation | 'formData',
  note: (reason: string) => void,
): { readonly style: ParameterStyle; readonly isExploded: boolean } {
  const isPlainList = place === 'path' || place === 'header';
  const format = textMember(raw, 'collectionFormat') ?? 'csv';
  const style = Object.hasOwn(STYLE_BY_COLLECTION, format) ? STYLE_BY_COLLECTION[format] : undefined;
  const isAllowed = style !== undefined && !(format === 'multi' && isPlainList);
  if (!isAllowed) note(`the parameter "${raw.name}" has the collectionFormat "${format}"; sent separated by commas`);
  if (!isAllowed || format === 'csv') return { style: isPlainList ? 'simple' : 'form', isExploded: false };
  return { style: style!, isExploded: format === 'multi' };
}

/** In Swagger 2 the keywords of a parameter's schema stand in the parameter itself. */
function schemaOf(raw: JsonRecord): JsonRecord {
  const {
    name: _,
    in: __,
    required: ___,
    description: ____,
    collectionFormat: _____,
    allowEmptyValue: ______,
    ...rest
  } = raw;
  return rest;
}

export function swaggerBody(parameters: readonly JsonRecord[], context: OperationContext): ApiBody | undefined {
  const inBody = parameters.find((parameter) => parameter.in === 'body');
  const fields = parameters.filter((parameter) => parameter.in === 'formData');
  const offered = consumedBy(context);
  if (fields.length > 0) return formBody(fields, offered, context);
  if (!inBody) return undefined;

  const [best] = offered
    .map((mediaType) => ({ mediaType, kind: bodyKindOf(mediaType) }))
    .sort((a, b) => bodyRank(a.kind, a.mediaType) - bodyRank(b.kind, b.mediaType));
  const description = textMember(inBody, 'description');
  const isBytes = best?.kind === 'binary';
  // A form whose fields are not described field by field is sent as JSON, as the schema of the body describes it.
  const isJson = best === undefined || best.kind === 'form' || best.kind === 'multipart';
  return {
    kind: isJson ? 'json' : best.kind,
    mediaType: isJson ? 'application/json' : sentMediaType(best.mediaType),
    isRequired: inBody.required === true,
    ...(description ? { description } : {}),
    schema: isBytes ? { type: 'string', format: 'binary' } : inBody.schema,
    encoding: {},
    otherMediaTypes: offered.filter((mediaType) => mediaType !== best?.mediaType),
  };
}

function consumedBy({ root, operation }: OperationContext): readonly string[] {
  return Object.hasOwn(operation, 'consumes') ? namesIn(operation, 'consumes') : namesIn(root, 'consumes');
}

function formBody(fields: readonly JsonRecord[], offered: readonly string[], context: OperationContext): ApiBody {
  const hasFile = fields.some((field) => field.type === 'file');
  const isForm = !hasFile && (offered.includes('application/x-www-form-urlencoded') || !offered.some(isMultipart));
  const properties = fields.map((field): [string, JsonRecord] => {
    const description = textMember(field, 'description');
    const schema = field.type === 'file' ? { type: 'string', format: 'binary' } : schemaOf(field);
    return [String(field.name), description === undefined ? schema : { ...schema, description }];
  });
  const required = fields.filter((field) => field.required === true).map((field) => String(field.name));
  const encoding = fields
    .filter((field) => field.type === 'array')
    .map((field): [string, JsonRecord] => {
      const { style, isExploded } = formOf(field, 'formData', context.note);
      return [String(field.name), { style, explode: isExploded }];
    });
  return {
    kind: isForm ? 'form' : 'multipart',
    mediaType: isForm ? 'application/x-www-form-urlencoded' : 'multipart/form-data',
    isRequired: required.length > 0,
    schema: { type: 'object', properties: Object.fromEntries(properties), required },
    encoding: Object.fromEntries(encoding),
    otherMediaTypes: [],
  };
}

function isMultipart(mediaType: string): boolean {
  return bodyKindOf(mediaType) === 'multipart';
}

export function swaggerAnswer({ root, operation, references }: OperationContext): ApiAnswer {
  const responses = isJsonRecord(operation.responses) ? operation.responses : {};
  const successful = Object.keys(responses).filter((status) => /^2\d\d$/.test(status));
  const statuses = successful.length === 0 && Object.hasOwn(responses, 'default') ? ['default'] : successful;
  const produced = (
    Object.hasOwn(operation, 'produces') ? listMember(operation, 'produces') : listMember(root, 'produces')
  )
    .filter((mediaType): mediaType is string => typeof mediaType === 'string')
    .map(essenceOf);
  const isJson = produced.length === 0 || produced.some(isJsonMediaType) || produced.includes('*/*');
  const schemas: unknown[] = [];
  for (const status of statuses) {
    try {
      const { schema } = references.resolve(responses[status], 'an answer');
      if (isJson && schema !== undefined && !(isJsonRecord(schema) && schema.type === 'file')) schemas.push(schema);
    } catch {
      // What an answer looks like is a help only; the call works without.
    }
  }
  return { mediaTypes: jsonFirst(new Set(produced)), schemas };
}
