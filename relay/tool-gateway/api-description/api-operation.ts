/** One operation of an API, in one form for every kind of description. */
import type { JsonRecord } from './json-record.ts';

export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
export type Method = (typeof METHODS)[number];

export interface ApiOperation {
  readonly method: Method;
  /** Template, e.g. `/orders/{id}`. */
  readonly path: string;
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly isDeprecated: boolean;
  readonly parameters: readonly ApiParameter[];
  readonly body?: ApiBody;
  readonly answer: ApiAnswer;
  /** The operation's or its path's own servers, where it has any. */
  readonly servers?: readonly unknown[];
}

export type ParameterLocation = 'path' | 'query' | 'header' | 'cookie';

/** `tabDelimited` is Swagger 2's `tsv`. */
export type ParameterStyle =
  | 'simple'
  | 'label'
  | 'matrix'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'tabDelimited'
  | 'deepObject';

/** How a value is written into an address, a header or a form (OpenAPI 3.1.1, "Style Values"). */
export interface ParameterForm {
  readonly style: ParameterStyle;
  readonly isExploded: boolean;
  /** Characters of RFC 3986's "reserved" stay as they are. */
  readonly allowsReserved: boolean;
  /** Set for a parameter with `content`: the value is written in this media type, and style does not matter. */
  readonly mediaType?: string;
}

export interface ApiParameter extends ParameterForm {
  readonly name: string;
  readonly location: ParameterLocation;
  readonly isRequired: boolean;
  /** Not converted yet; words and examples of the parameter are in it. */
  readonly schema: unknown;
  readonly description?: string;
  readonly examples: readonly unknown[];
  readonly isDeprecated: boolean;
}

export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'binary';

export interface ApiBody {
  readonly kind: BodyKind;
  /** As it is sent, without wildcard. */
  readonly mediaType: string;
  readonly isRequired: boolean;
  readonly description?: string;
  readonly schema: unknown;
  /** `encoding` of a form: how each member is written. */
  readonly encoding: JsonRecord;
  /** Media types that the API takes as well and that are not offered. */
  readonly otherMediaTypes: readonly string[];
}

export interface ApiAnswer {
  /** For the `Accept` header, the best first. */
  readonly mediaTypes: readonly string[];
  /** Schemas of the JSON answers that mean success. */
  readonly schemas: readonly unknown[];
}
