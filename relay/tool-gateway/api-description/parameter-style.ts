/**
 * Writes a value into a path, a query, a header or a cookie. Sources: OpenAPI 3.1.1 "Style Values" and appendix C,
 * RFC 6570 sections 3.2.2 to 3.2.9. Where the two differ (OpenAPI 3.0 separates a `label` list by points also when it is
 * not exploded), RFC 6570 wins, as OpenAPI 3.1.1 does. What they leave open is decided here and said so.
 */
import type { ParameterForm } from './api-operation.ts';
import { ArgumentsRefused, describeReceived } from './arguments-refused.ts';
import { isJsonRecord } from './json-record.ts';
import { isJsonMediaType } from './media-type.ts';

type Encode = (text: string) => string;

/** Percent-encodes all but RFC 3986's unreserved characters. */
export function encodeStrictly(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/[!'()*]/g, (each) => {
    return `%${each.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}

/**
 * RFC 6570's reserved expansion (3.2.3), except for the characters that would end the value and begin another: a model's
 * text must not add a parameter. `[` and `]` are no characters of a query (RFC 3986, 3.4).
 */
function encodeKeepingReserved(text: string): string {
  return text.toWellFormed().replaceAll(/%(?![0-9a-fA-F]{2})|[^\w.~:/?@!$'()*,;=%-]/gu, (each) => encodeStrictly(each));
}

/** As in a form's body: a space is `+` (WHATWG URL, "application/x-www-form-urlencoded serializing"). */
export function encodeForForm(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replaceAll(/[!'()~]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}

function encodeNothing(text: string): string {
  return text;
}

/** One value as text: JSON for objects and lists, for which styles have no rule at this depth. */
export function primitiveText(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value);
}

/** The expansion of one path parameter. Throws `ArgumentsRefused` for a value that would take the segment away. */
export function pathText(name: string, value: unknown, form: ParameterForm, field: string): string {
  const text = expandPath(name, value, form);
  if (text === '') {
    throw new ArgumentsRefused([{ field, expected: 'a value that is not empty', received: describeReceived(value) }]);
  }
  return text;
}

function expandPath(name: string, value: unknown, form: ParameterForm): string {
  if (form.mediaType !== undefined) return encodeStrictly(contentText(value, form.mediaType));
  const encode = encodeStrictly;
  if (form.style === 'matrix') return expandMatrix(name, value, form.isExploded, encode);
  if (form.style === 'label') {
    if (isEmptyComposite(value)) return '';
    const separator = form.isExploded ? '.' : ',';
    return `.${simplePieces(value, form.isExploded, encode).join(separator)}`;
  }
  return simplePieces(value, form.isExploded, encode).join(',');
}

function expandMatrix(name: string, value: unknown, isExploded: boolean, encode: Encode): string {
  const pair = (key: string, text: string) => (text === '' ? `;${encode(key)}` : `;${encode(key)}=${text}`);
  if (isEmptyComposite(value)) return '';
  if (!isExploded) return pair(name, simplePieces(value, false, encode).join(','));
  if (Array.isArray(value))
    return present(value)
      .map((item) => pair(name, encode(primitiveText(item))))
      .join('');
  if (isJsonRecord(value)) {
    return members(value)
      .map(([key, item]) => pair(key, encode(primitiveText(item))))
      .join('');
  }
  return pair(name, encode(primitiveText(value)));
}

/** `a`, `b` of a list; `k`, `v` or `k=v` of an object; the one value otherwise. */
function simplePieces(value: unknown, isExploded: boolean, encode: Encode): readonly string[] {
  if (Array.isArray(value)) return present(value).map((item) => encode(primitiveText(item)));
  if (!isJsonRecord(value)) return [encode(primitiveText(value))];
  return members(value).flatMap(([key, item]) => {
    const text = encode(primitiveText(item));
    return isExploded ? [`${encode(key)}=${text}`] : [encode(key), text];
  });
}

/** `name=value` pieces of a query or a form's body, in their order; none for an empty list or object. */
export function queryPieces(
  name: string,
  value: unknown,
  form: ParameterForm,
  encodeValue: Encode = encodeStrictly,
): readonly string[] {
  const encode = form.allowsReserved ? encodeKeepingReserved : encodeValue;
  const key = encodeValue(name);
  if (form.mediaType !== undefined) return [`${key}=${encode(contentText(value, form.mediaType))}`];
  if (isEmptyComposite(value)) return [];
  if (form.style === 'deepObject' && typeof value === 'object' && value !== null) {
    return deepPieces(name, value, encodeValue, encode);
  }
  if (Array.isArray(value) && form.isExploded) {
    return present(value).map((item) => `${key}=${encode(primitiveText(item))}`);
  }
  if (isJsonRecord(value) && form.isExploded) {
    return members(value).map(([member, item]) => `${encodeValue(member)}=${encode(primitiveText(item))}`);
  }
  return [`${key}=${simplePieces(value, false, encode).join(delimiterOf(form, encodeValue))}`];
}

function delimiterOf({ style }: ParameterForm, encode: Encode): string {
  if (style === 'spaceDelimited') return encode(' ');
  if (style === 'pipeDelimited') return encode('|');
  return style === 'tabDelimited' ? encode('\t') : ',';
}

/**
 * `name[a][b]=v`. OpenAPI describes one level; further levels go on in the same way, and a list's items by their index,
 * which is the only form that stays clear for lists of objects. The brackets are encoded (OpenAPI 3.1.1): some servers
 * refuse bare ones.
 */
function deepPieces(path: string, value: unknown, encodeKey: Encode, encode: Encode): readonly string[] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object') return [`${encodeKey(path)}=${encode(primitiveText(value))}`];
  return Object.entries(value).flatMap(([key, item]) => deepPieces(`${path}[${key}]`, item, encodeKey, encode));
}

/** A header's value, which is not percent-encoded. */
export function headerText(value: unknown, form: ParameterForm): string {
  if (form.mediaType !== undefined) return contentText(value, form.mediaType);
  return simplePieces(value, form.isExploded, encodeNothing).join(',');
}

/** Pairs of the `Cookie` header: several values are several cookies, as `&` separates nothing there (OpenAPI 3.1.1, D). */
export function cookiePieces(name: string, value: unknown, form: ParameterForm): readonly string[] {
  return queryPieces(name, value, form);
}

/** Text of a parameter or part that is written in a media type of its own. */
export function contentText(value: unknown, mediaType: string): string {
  return isJsonMediaType(mediaType) ? JSON.stringify(value) : primitiveText(value);
}

/** Items that are there: null is RFC 6570's "undefined" (2.3), which is left out. */
function present(list: readonly unknown[]): readonly unknown[] {
  return list.filter((item) => item !== null && item !== undefined);
}

function members(record: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  return Object.entries(record).filter(([, item]) => item !== null && item !== undefined);
}

function isEmptyComposite(value: unknown): boolean {
  if (Array.isArray(value)) return present(value).length === 0;
  return isJsonRecord(value) && members(value).length === 0;
}
