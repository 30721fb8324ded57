/** Makes the HTTP request of one call out of its plan and arguments. */
import type { OutgoingHttpHeaders } from 'node:http';
import type { SourceCall } from '../tool-source.ts';
import { ArgumentsRefused, describeReceived } from './arguments-refused.ts';
import { faultOfHeaderValue, headerBytes } from './header-names.ts';
import { type JsonRecord, member } from './json-record.ts';
import { cookiePieces, encodeStrictly, headerText, pathText, queryPieces } from './parameter-style.ts';
import { writeBody } from './request-body.ts';
import type { PlannedParameter, ToolPlan } from './tool-plan.ts';

export interface ApiRequest {
  readonly method: string;
  readonly server: URL;
  /** Path and query, sent as they stand: an URL would resolve dots. */
  readonly path: string;
  /** Every header that is sent, except `Host` and `Connection`. */
  readonly headers: OutgoingHttpHeaders;
  readonly body?: Buffer;
}

/** A field of `_meta`, or the credential, cannot be sent as a header. */
export class MetaRefused extends Error {
  override readonly name = 'MetaRefused';
  readonly field: string;
  readonly expected: string;
  readonly received: string;

  constructor(field: string, expected: string, received: string) {
    super(`${field}: expected ${expected}`);
    this.field = field;
    this.expected = expected;
    this.received = received;
  }
}

const MAX_PATH_LENGTH = 16_384;
const USER_AGENT = 'parley';

/** Throws `ArgumentsRefused` or `MetaRefused`; nothing has been sent then. */
export function buildRequest(plan: ToolPlan, call: Pick<SourceCall, 'arguments' | 'meta' | 'credential'>): ApiRequest {
  const args = call.arguments;
  const headers: OutgoingHttpHeaders = { accept: plan.accept, 'user-agent': USER_AGENT };
  for (const parameter of given(plan, args, 'header')) {
    const text = headerText(args[parameter.argument], parameter);
    const expected = faultOfHeaderValue(text);
    if (expected !== undefined) refuse(parameter.argument, expected, args[parameter.argument]);
    headers[parameter.name.toLowerCase()] = headerBytes(text);
  }
  const cookies = given(plan, args, 'cookie').flatMap((parameter) => {
    return cookiePieces(parameter.name, args[parameter.argument], parameter);
  });
  if (cookies.length > 0) headers.cookie = cookies.join('; ');
  addMeta(headers, plan, call.meta);
  addCredential(headers, call.credential);

  const body = plan.body ? writeBody(plan.body, args) : undefined;
  if (body) {
    headers['content-type'] = body.contentType;
    headers['content-length'] = body.bytes.length;
  } else if (plan.method !== 'get' && plan.method !== 'head' && plan.method !== 'options') {
    headers['content-length'] = 0;
  }
  return {
    method: plan.method.toUpperCase(),
    server: plan.server,
    path: pathOf(plan, args),
    headers,
    ...(body ? { body: body.bytes } : {}),
  };
}

function given(plan: ToolPlan, args: JsonRecord, location: PlannedParameter['location']): readonly PlannedParameter[] {
  return plan.parameters.filter((parameter) => {
    const value = member(args, parameter.argument);
    return parameter.location === location && value !== undefined && value !== null;
  });
}

function pathOf(plan: ToolPlan, args: JsonRecord): string {
  const byName = new Map(
    plan.parameters.filter(({ location }) => location === 'path').map((each) => [each.name, each]),
  );
  const segments = plan.path.split('/').map((segment) => {
    const text = segment.split(/(\{[^{}]+\})/).map((piece) => {
      const parameter = /^\{[^{}]+\}$/.test(piece) ? byName.get(piece.slice(1, -1)) : undefined;
      if (!parameter) return piece.replaceAll(/[^\w.~:@!$&'()*+,;=%?-]/gu, encodeStrictly);
      const value = member(args, parameter.argument);
      if (value === undefined || value === null) refuse(parameter.argument, 'a value', value);
      return pathText(parameter.name, value, parameter, parameter.argument);
    });
    const whole = text.join('');
    // Dots change the path on their way, encoded or not (WHATWG URL, 4.4): the call would reach another operation.
    if (/^(?:\.|%2e){1,2}$/i.test(whole)) {
      const parameter = byName.get(segment.slice(1, -1));
      refuse(parameter?.argument ?? segment, 'a value other than "." and ".."', whole);
    }
    return whole;
  });
  const query = given(plan, args, 'query').flatMap((parameter) => {
    return queryPieces(parameter.name, args[parameter.argument], parameter);
  });
  const template = segments.join('/');
  const path = plan.server.pathname.replace(/\/$/, '') + (template.startsWith('/') ? template : `/${template}`);
  const separator = path.includes('?') ? '&' : '?';
  const whole = query.length === 0 ? path : `${path}${separator}${query.join('&')}`;
  if (whole.length > MAX_PATH_LENGTH) {
    const longest = plan.parameters
      .filter(({ location }) => location === 'path' || location === 'query')
      .map(({ argument }) => ({ argument, length: JSON.stringify(member(args, argument) ?? '').length }))
      .sort((a, b) => b.length - a.length)[0];
    refuse(longest?.argument ?? 'arguments', `an address of at most ${MAX_PATH_LENGTH} characters`, `${whole.length}`);
  }
  return whole;
}

/** Fields that are absent are not sent; nothing is invented. */
function addMeta(headers: OutgoingHttpHeaders, plan: ToolPlan, meta: JsonRecord): void {
  for (const [field, header] of [
    ['sessionId', plan.sessionHeader],
    ['idempotencyKey', plan.keyHeader],
  ] as const) {
    const value = member(meta, field);
    if (header === undefined || value === undefined) continue;
    const expected = faultOfHeaderValue(value);
    if (expected !== undefined) throw new MetaRefused(`_meta/${field}`, expected, typeof value);
    headers[header] = headerBytes(value as string);
  }
}

function addCredential(headers: OutgoingHttpHeaders, credential: SourceCall['credential']): void {
  if (!credential) return;
  const expected = faultOfHeaderValue(credential.value);
  if (expected !== undefined) throw new MetaRefused(credential.type, expected, 'a credential that cannot be sent');
  headers[credential.type] = headerBytes(credential.value);
}

function refuse(field: string, expected: string, received: unknown): never {
  throw new ArgumentsRefused([{ field, expected, received: describeReceived(received) }]);
}
