/** Writes the body of a call. */
import { randomUUID } from 'node:crypto';
import type { ParameterForm } from './api-operation.ts';
import { ArgumentsRefused, describeReceived } from './arguments-refused.ts';
import { isJsonRecord, type JsonRecord, member } from './json-record.ts';
import { contentText, encodeForForm, primitiveText, queryPieces } from './parameter-style.ts';
import type { MemberForm, PlannedBody } from './tool-plan.ts';

interface WrittenBody {
  readonly contentType: string;
  readonly bytes: Buffer;
}

type Arguments = JsonRecord;

/** The body that the arguments make; undefined when it is optional and none of them is given. Throws `ArgumentsRefused`. */
export function writeBody(body: PlannedBody, args: Arguments): WrittenBody | undefined {
  const gathered = gather(body, args);
  if (gathered === undefined) return undefined;
  const { value, fieldOf } = gathered;
  switch (body.kind) {
    case 'json':
      return { contentType: body.mediaType, bytes: Buffer.from(JSON.stringify(value), 'utf8') };
    case 'text':
      return { contentType: withCharset(body.mediaType), bytes: Buffer.from(primitiveText(value), 'utf8') };
    case 'binary':
      return { contentType: body.mediaType, bytes: readBase64(value, fieldOf('')) };
    case 'form':
      return { contentType: body.mediaType, bytes: Buffer.from(writeForm(body, value), 'utf8') };
    case 'multipart':
      return writeMultipart(body, value, fieldOf);
  }
}

function gather(
  { shape, isRequired }: PlannedBody,
  args: Arguments,
): { readonly value: unknown; readonly fieldOf: (name: string) => string } | undefined {
  if (shape.type === 'whole') {
    const value = member(args, shape.argument);
    const fieldOf = (name: string) => (name === '' ? shape.argument : `${shape.argument}/${name}`);
    return value === undefined ? undefined : { value, fieldOf };
  }
  const { argumentByMember } = shape;
  const given = [...argumentByMember].filter(([, argument]) => member(args, argument) !== undefined);
  if (given.length === 0 && !isRequired) return undefined;
  return {
    value: Object.fromEntries(given.map(([name, argument]) => [name, args[argument]])),
    fieldOf: (name) => argumentByMember.get(name) ?? name,
  };
}

function withCharset(mediaType: string): string {
  return mediaType.startsWith('text/') && !mediaType.includes('charset') ? `${mediaType}; charset=utf-8` : mediaType;
}

const FORM_DEFAULT: ParameterForm = { style: 'form', isExploded: true, allowsReserved: false };

/** OpenAPI 3.1.1, "Encoding the x-www-form-urlencoded Media Type": objects as JSON unless a style is stated. */
function writeForm(body: PlannedBody, value: unknown): string {
  if (!isJsonRecord(value)) return primitiveText(value);
  return Object.entries(value)
    .filter(([, item]) => item !== null && item !== undefined)
    .flatMap(([name, item]) => {
      const form = body.memberForms.get(name);
      const isOwnType = form?.contentType !== undefined || (form?.form === undefined && isJsonRecord(item));
      const used = isOwnType
        ? { ...FORM_DEFAULT, mediaType: form?.contentType ?? 'application/json' }
        : (form?.form ?? FORM_DEFAULT);
      return queryPieces(name, item, used, encodeForForm);
    })
    .join('&');
}

/** RFC 7578; names are escaped as browsers do it (HTML, "multipart/form-data encoding algorithm"). */
function writeMultipart(body: PlannedBody, value: unknown, fieldOf: (name: string) => string): WrittenBody {
  const boundary = `parley-${randomUUID()}`;
  const parts: Buffer[] = [];
  const add = (name: string, headers: readonly string[], bytes: Buffer) => {
    const [disposition = '', ...others] = headers;
    const head = [
      `--${boundary}`,
      `Content-Disposition: form-data; name="${escapeName(name)}"${disposition}`,
      ...others,
    ];
    parts.push(Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'utf8'), bytes, Buffer.from('\r\n'));
  };
  for (const [name, item] of Object.entries(isJsonRecord(value) ? value : {})) {
    if (item === null || item === undefined) continue;
    const form = body.memberForms.get(name);
    if (form?.form) {
      for (const text of styledTexts(item, form.form)) add(name, [''], Buffer.from(text, 'utf8'));
      continue;
    }
    // Each item of a list is a part of its own (OpenAPI 3.0.4, "Encoding multipart Media Types").
    const items = Array.isArray(item) && form?.contentType === undefined ? item : form?.isFile ? [item].flat() : [item];
    for (const [index, each] of items.entries()) {
      const field = Array.isArray(item) ? `${fieldOf(name)}/${index}` : fieldOf(name);
      if (form?.isFile) addFile(name, each, form, field, add);
      else addValue(name, each, form, add);
    }
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  const mediaType = body.mediaType.split(';', 1)[0];
  return { contentType: `${mediaType}; boundary=${boundary}`, bytes: Buffer.concat(parts) };
}

type AddPart = (name: string, headers: readonly string[], bytes: Buffer) => void;

function addValue(name: string, value: unknown, form: MemberForm | undefined, add: AddPart): void {
  const contentType = form?.contentType ?? (typeof value === 'object' ? 'application/json' : undefined);
  const text = contentType === undefined ? primitiveText(value) : contentText(value, contentType);
  add(name, contentType === undefined ? [''] : ['', `Content-Type: ${contentType}`], Buffer.from(text, 'utf8'));
}

function addFile(name: string, value: unknown, form: MemberForm, field: string, add: AddPart): void {
  const file = isJsonRecord(value) ? value : {};
  const filename = typeof file.filename === 'string' ? file.filename : name;
  const mimeType = typeof file.mimeType === 'string' ? file.mimeType : (form.contentType ?? 'application/octet-stream');
  if (!/^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/.test(mimeType)) {
    const received = describeReceived(mimeType);
    throw new ArgumentsRefused([
      { field: `${field}/mimeType`, expected: 'a media type', received, example: 'application/pdf' },
    ]);
  }
  const headers = [`; filename="${escapeName(filename)}"`, `Content-Type: ${mimeType}`];
  add(name, headers, readBase64(file.data, `${field}/data`));
}

/** Texts of a member with a stated style, unencoded: one for each part. */
function styledTexts(value: unknown, form: ParameterForm): readonly string[] {
  if (!Array.isArray(value)) return [primitiveText(value)];
  const items = value.filter((item) => item !== null).map(primitiveText);
  if (form.isExploded) return items;
  const delimiter = { spaceDelimited: ' ', pipeDelimited: '|', tabDelimited: '\t' }[form.style as string] ?? ',';
  return [items.join(delimiter)];
}

function escapeName(name: string): string {
  return name.toWellFormed().replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}

function readBase64(value: unknown, field: string): Buffer {
  const text = typeof value === 'string' ? value.replaceAll(/\s/g, '') : undefined;
  const isBase64 =
    text !== undefined && /^[A-Za-z0-9+/_-]*={0,2}$/.test(text) && text.replace(/=+$/, '').length % 4 !== 1;
  if (!isBase64) {
    throw new ArgumentsRefused([
      { field, expected: 'bytes in base64', received: describeReceived(value), example: 'aGVsbG8=' },
    ]);
  }
  return Buffer.from(text, text.includes('-') || text.includes('_') ? 'base64url' : 'base64');
}
