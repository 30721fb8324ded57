/** How the arguments of one tool become one HTTP call. */
import type { BodyKind, Method, ParameterForm, ParameterLocation } from './api-operation.ts';

export interface ToolPlan {
  readonly method: Method;
  /** Template, e.g. `/orders/{id}`. */
  readonly path: string;
  /** The server's address without a slash at its end; its path comes before `path`. */
  readonly server: URL;
  readonly parameters: readonly PlannedParameter[];
  readonly body?: PlannedBody;
  /** The headers for the call's session and idempotency key, where they are sent. */
  readonly sessionHeader?: string;
  readonly keyHeader?: string;
  /** `Accept`. */
  readonly accept: string;
}

export interface PlannedParameter extends ParameterForm {
  readonly argument: string;
  readonly name: string;
  readonly location: ParameterLocation;
}

export interface PlannedBody {
  readonly kind: BodyKind;
  readonly mediaType: string;
  readonly isRequired: boolean;
  /** Either one argument is the body, or each of its members is an argument of its own. */
  readonly shape:
    | { readonly type: 'whole'; readonly argument: string }
    | { readonly type: 'members'; readonly argumentByMember: ReadonlyMap<string, string> };
  /** Of a form: how each member is written. */
  readonly memberForms: ReadonlyMap<string, MemberForm>;
}

export interface MemberForm {
  readonly isFile: boolean;
  /** Of a part of a multipart body, or of a member of a form that is written in a media type of its own. */
  readonly contentType?: string;
  /** Set where the description states a style: the member is written like a query parameter. */
  readonly form?: ParameterForm;
}

/** `Retry` and redirects are for these only: they change nothing (RFC 9110, 9.2.1). */
export function isRead(method: Method): boolean {
  return method === 'get' || method === 'head' || method === 'options';
}
