/** Parameters, bodies and answers of OpenAPI 3.0 and 3.1. */
import type { ApiAnswer, ApiBody, ApiParameter, ParameterLocation, ParameterStyle } from './api-operation.ts';
import { isJsonRecord, type JsonRecord, listMember, member, recordMember, textMember } from './json-record.ts';
import { bodyKindOf, bodyRank, essenceOf, isJsonMediaType, sentMediaType } from './media-type.ts';
import type { OperationContext } from './read-operations.ts';
import type { References } from './references.ts';

const STYLES_BY_LOCATION: Readonly<Record<ParameterLocation, readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

/** Throws an `Error` for a parameter that cannot be sent. */
export function openApiParameter(raw: JsonRecord, { note, references }: OperationContext): ApiParameter | undefined {
  const name = textMember(raw, 'name')!;
  const location = raw.in as ParameterLocation;
  const styles = Object.hasOwn(STYLES_BY_LOCATION, location) ? STYLES_BY_LOCATION[location] : undefined;
  if (!styles)
    throw new Error(`the parameter "${name}" stands in ${JSON.stringify(raw.in)}, which is no place of OpenAPI`);

  const [mediaType, content] = Object.entries(recordMember(raw, 'content'))[0] ?? [];
  const style = textMember(raw, 'style') ?? styles[0]!;
  // OpenAPI 3.2 calls by "cookie" what a cookie needs anyway.
  const isKnown = (styles as readonly string[]).includes(style) || (location === 'cookie' && style === 'cookie');
  if (!isKnown)
    note(
      `the parameter "${name}" has the style "${style}", which does not exist in ${location}; sent as "${styles[0]}"`,
    );
  const usedStyle = isKnown && style !== 'cookie' ? (style as ParameterStyle) : styles[0]!;
  const schema = mediaType === undefined ? raw.schema : isJsonRecord(content) ? content.schema : undefined;
  const description = textMember(raw, 'description');
  return {
    name,
    location,
    isRequired: raw.required === true || location === 'path',
    schema,
    ...(description ? { description } : {}),
    examples: [...examplesOf(raw, references), ...(isJsonRecord(content) ? examplesOf(content, references) : [])],
    isDeprecated: raw.deprecated === true,
    style: usedStyle,
    isExploded: typeof raw.explode === 'boolean' ? raw.explode : usedStyle === 'form',
    allowsReserved: raw.allowReserved === true && location === 'query',
    ...(mediaType === undefined ? {} : { mediaType }),
  };
}

export function openApiBody({ operation, references, note }: OperationContext): ApiBody | undefined {
  if (operation.requestBody === undefined) return undefined;
  const body = references.resolve(operation.requestBody, 'a request body');
  const offered = Object.entries(recordMember(body, 'content')).filter(([, value]) => isJsonRecord(value));
  if (offered.length === 0) {
    note('the request body has no content and is left out');
    return undefined;
  }
  const [best, ...others] = offered
    .map(([mediaType, value]) => ({
      mediaType,
      value: value as JsonRecord,
      kind: kindOf(mediaType, value, references),
    }))
    .sort((a, b) => bodyRank(a.kind, a.mediaType) - bodyRank(b.kind, b.mediaType));
  const description = textMember(body, 'description');
  return {
    kind: best!.kind,
    mediaType:
      best!.kind === 'binary' && essenceOf(best!.mediaType) === '*/*'
        ? 'application/octet-stream'
        : sentMediaType(best!.mediaType),
    isRequired: body.required === true,
    ...(description ? { description } : {}),
    schema: withExamples(best!.value, references),
    encoding: recordMember(best!.value, 'encoding'),
    otherMediaTypes: others.map(({ mediaType }) => mediaType),
  };
}

// The widest media type can be JSON or bytes: the schema says which.
function kindOf(mediaType: string, value: unknown, references: References): ApiBody['kind'] {
  if (essenceOf(mediaType) !== '*/*' || !isJsonRecord(value) || !isJsonRecord(value.schema))
    return bodyKindOf(mediaType);
  return references.resolve(value.schema, 'a schema').format === 'binary' ? 'binary' : 'json';
}

/** The schema of a media type with the examples that stand beside it. */
function withExamples(value: JsonRecord, references: References): unknown {
  const examples = examplesOf(value, references);
  if (examples.length === 0 || !isJsonRecord(value.schema) || Object.hasOwn(value.schema, '$ref')) return value.schema;
  return { ...value.schema, examples: [...listMember(value.schema, 'examples'), ...examples] };
}

/** Values of `example` and `examples` of a parameter or media type. */
function examplesOf(raw: JsonRecord, references: References): readonly unknown[] {
  const named = Object.values(recordMember(raw, 'examples')).flatMap((example) => {
    try {
      const value = member(references.resolve(example, 'an example'), 'value');
      return value === undefined ? [] : [value];
    } catch {
      // An example is no reason to lose an operation.
      return [];
    }
  });
  return Object.hasOwn(raw, 'example') ? [raw.example, ...named] : named;
}

export function openApiAnswer({ operation, references }: OperationContext): ApiAnswer {
  const responses = recordMember(operation, 'responses');
  const successful = Object.keys(responses).filter((status) => /^2(?:\d\d|XX)$/i.test(status));
  const statuses = successful.length === 0 && Object.hasOwn(responses, 'default') ? ['default'] : successful;
  const mediaTypes = new Set<string>();
  const schemas: unknown[] = [];
  for (const status of statuses) {
    let content: JsonRecord;
    try {
      content = recordMember(references.resolve(responses[status], 'an answer'), 'content');
    } catch {
      // What an answer looks like is a help only; the call works without.
      continue;
    }
    for (const [mediaType, value] of Object.entries(content)) {
      mediaTypes.add(essenceOf(mediaType));
      if (isJsonMediaType(mediaType) && isJsonRecord(value) && value.schema !== undefined) schemas.push(value.schema);
    }
  }
  return { mediaTypes: jsonFirst(mediaTypes), schemas };
}

/** Media types for `Accept`, JSON before all others. */
export function jsonFirst(mediaTypes: Iterable<string>): readonly string[] {
  return [...mediaTypes].sort((a, b) => Number(isJsonMediaType(b)) - Number(isJsonMediaType(a)));
}
