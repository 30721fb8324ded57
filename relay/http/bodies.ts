/** The JSON bodies of the relay's routes: read, checked, and refused with what was expected and what came. */
import express, { type RequestHandler } from 'express';
import { z } from 'zod';
import { RelayError } from '../errors.ts';

const MAX_USER_ID_CHARACTERS = 256;
const HAS_CONTROL_CHARACTERS = /[\p{Cc}\u2028\u2029]/u;

interface FieldHelp {
  readonly expected: string;
  readonly example: string;
}

/** What each field wants, as the caller is told. */
const FIELD_HELP: Readonly<Record<string, FieldHelp>> = {
  body: { expected: 'a JSON object', example: '{"message":"Hello"}' },
  userId: {
    expected: `a text of 1 to ${MAX_USER_ID_CHARACTERS} characters without control characters`,
    example: 'visitor-4711',
  },
  application: { expected: 'the id of an application that this chat offers, or nothing', example: '(leave it out)' },
  sessionId: { expected: 'the sessionId that POST /session gave', example: 'b1JpZ2luYWwtc2Vzc2lvbg' },
  transactionId: { expected: 'the transactionId of the event that asked', example: 'q3Jz1mH0c2VjcmV0LXR4LWlk' },
  code: { expected: 'the code that the visitor was sent: six digits', example: '493027' },
  continues: {
    expected: 'the transactionId of a released transaction, in place of a message',
    example: 'q3Jz1mH0c2VjcmV0LXR4LWlk',
  },
  message: { expected: 'a text that is not blank', example: 'Where is my order?' },
  messageId: {
    expected: 'a text of 1 to 128 visible ASCII characters, another one for each message',
    example: '6f3b0d0e-2c0c-4f43-8f0e-8a52a9a3f0b1',
  },
};

export const startSessionBody = z.object({
  userId: z
    .string()
    .min(1)
    .max(MAX_USER_ID_CHARACTERS)
    .refine((text) => !HAS_CONTROL_CHARACTERS.test(text))
    .optional(),
  application: z.string().optional(),
});

const transactionId = z.string().regex(/^[A-Za-z0-9_-]{22}$/);

export const chatBody = z.object({
  sessionId: z.string(),
  message: z
    .string()
    .refine((text) => text.trim() !== '')
    .optional(),
  continues: transactionId.optional(),
  messageId: z
    .string()
    .regex(/^[\x21-\x7e]{1,128}$/)
    .optional(),
});

export const verificationBody = z.object({
  transactionId,
  code: z.string().min(1).max(64).optional(),
  approve: z.literal(true).optional(),
  decline: z.literal(true).optional(),
});

/** Escaping can make JSON six times as long as its text; the rest is room for the other fields. */
const maxBodyBytes = (maxMessageBytes: number) => maxMessageBytes * 6 + 4_096;

/** Reads the body as JSON. Anything but `application/json` in plain form is refused. */
export function jsonBody(maxMessageBytes: number): RequestHandler[] {
  return [
    (request, _response, next) => {
      if (!request.is('application/json')) throw new RelayError('unsupported_media_type', { field: 'content-type' });
      next();
    },
    express.json({ strict: false, inflate: false, limit: maxBodyBytes(maxMessageBytes) }),
  ];
}

/** Throws `invalid_request` that names the first wrong field. Fields that are not known are ignored. */
export function parseBody<Body>(schema: z.ZodType<Body>, body: unknown): Body {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join('.') || 'body';
  throw invalidField(field, valueAt(body, issue?.path ?? []));
}

export function invalidField(field: string, received: unknown): RelayError {
  return new RelayError('invalid_request', { field, ...FIELD_HELP[field], received: describe(received) });
}

/** Throws `message_too_long`. */
export function checkMessageLength(message: string, maxMessageBytes: number): void {
  const bytes = Buffer.byteLength(message);
  if (bytes <= maxMessageBytes) return;
  throw new RelayError('message_too_long', {
    field: 'message',
    expected: `at most ${maxMessageBytes} bytes of UTF-8`,
    received: `${bytes} bytes`,
  });
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value = body;
  for (const key of path) value = (value as Record<PropertyKey, unknown>)[key];
  return value;
}

/** Says what came without repeating it: it may be private, and it may be long. */
function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value !== 'string') return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
  if (value.trim() === '') return 'a blank text';
  const length = `${value.length} characters`;
  return HAS_CONTROL_CHARACTERS.test(value)
    ? `a text of ${length}, some of them control characters`
    : `a text of ${length}`;
}
