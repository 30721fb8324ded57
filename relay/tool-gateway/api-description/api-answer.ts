/** An API's answer as the result of a tool. */

import type { SourceResult } from '../tool-source.ts';
import type { ReceivedAnswer } from './http-exchange.ts';
import { isJsonRecord } from './json-record.ts';
import { essenceOf, isJsonMediaType, isTextMediaType } from './media-type.ts';

/** The result of an answer with a status of success. It never is an error: the call has had its effect. */
export function resultOfAnswer(answer: ReceivedAnswer, toolName: string, secret: string | undefined): SourceResult {
  const { status, bytes, isCut } = answer;
  if (bytes.length === 0) {
    const text = `Done. The API answered with status ${status} and no content.`;
    return { content: [{ type: 'text', text }], structuredContent: {} };
  }
  const mediaType = essenceOf(answer.headers['content-type'] ?? '');
  const text = textOf(bytes, answer.headers['content-type'], mediaType, isCut);
  if (text === undefined) return binaryResult(answer, mediaType || 'application/octet-stream', toolName);

  const shown = hideSecret(text, secret);
  if (isCut) return cutResult(shown, bytes.length);
  const value = isJsonMediaType(mediaType) || /^\s*[[{]/.test(shown) ? readJson(shown) : undefined;
  if (value === undefined) return { content: [{ type: 'text', text: shown }], structuredContent: { result: shown } };
  return {
    content: [{ type: 'text', text: shown }],
    structuredContent: isJsonRecord(value) ? value : { result: value },
  };
}

/** The text without the credential of the call, which some APIs send back. */
export function hideSecret(text: string, secret: string | undefined): string {
  const bare = secret?.replace(/^\S+\s+(?=\S)/, '');
  return bare === undefined || bare.length < 6 ? text : text.replaceAll(bare, '[credential]');
}

/** The body as text; undefined for bytes that are none. */
export function textOf(
  bytes: Buffer,
  contentType: string | undefined,
  mediaType: string,
  isCut: boolean,
): string | undefined {
  const isText = mediaType === '' || isTextMediaType(mediaType) || mediaType === 'application/x-www-form-urlencoded';
  if (!isText) return undefined;
  const charset = /;\s*charset="?([\w.:-]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8';
  try {
    // A cut may have gone through a character: what is left of it is not decoded.
    return new TextDecoder(charset, { fatal: mediaType === '' }).decode(bytes, { stream: isCut });
  } catch {
    return mediaType === '' ? undefined : bytes.toString('utf8');
  }
}

function readJson(text: string): unknown {
  try {
    // Integers of 16 digits and more are not exact here; as text they are.
    return /\d{16}/.test(text) ? JSON.parse(text, exactIntegers) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function exactIntegers(this: unknown, _key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const isInexact = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  return isInexact && context?.source !== undefined && /^-?\d+$/.test(context.source) ? context.source : value;
}

function cutResult(text: string, length: number): SourceResult {
  const note = `The answer is longer than ${length} bytes; this is its beginning. Ask for less, e.g. a page or a filter.`;
  return {
    content: [
      { type: 'text', text: note },
      { type: 'text', text },
    ],
    structuredContent: { isCut: true, note, result: text },
  };
}

function binaryResult({ bytes, isCut }: ReceivedAnswer, mediaType: string, toolName: string): SourceResult {
  const uri = `parley-answer:${encodeURIComponent(toolName)}`;
  if (isCut) {
    const note = `The answer (${mediaType}) is longer than ${bytes.length} bytes and is not passed on.`;
    return { content: [{ type: 'text', text: note }], structuredContent: { isCut: true, note, mimeType: mediaType } };
  }
  return {
    content: [{ type: 'resource', resource: { uri, mimeType: mediaType, blob: bytes.toString('base64') } }],
    structuredContent: { mimeType: mediaType, bytes: bytes.length },
  };
}
