/** What a model is told of a call that failed. */

import { readRetryAfterMs } from '../../agent-host/retry-after.ts';
import type { ToolError } from '../../tool-policy/tool-error.ts';
import { hideSecret, textOf } from './api-answer.ts';
import type { ExchangeFailed, ReceivedAnswer } from './http-exchange.ts';
import { essenceOf } from './media-type.ts';

const MAX_MESSAGE_LENGTH = 2_000;

/** An answer whose status is no success. */
export function errorOfAnswer(answer: ReceivedAnswer, isRead: boolean, secret: string | undefined): ToolError {
  const { status, retryAfter } = answer;
  const message = messageOf(answer, secret);
  const api = { status, ...(message ? { message } : {}) };
  const waitMs = retryAfter === undefined ? undefined : readRetryAfterMs(retryAfter, Date.now());
  if (status === 429) {
    const retryAfterMs = waitMs ?? readRetryAfterMs(undefined, Date.now());
    const hint = 'The API takes no more calls for now. Wait for the stated time, then try once more.';
    return { code: 'rate_limited', retryable: true, retryAfterMs, hint, api };
  }
  if (status === 503) {
    const retryAfterMs = waitMs ?? readRetryAfterMs(undefined, Date.now());
    const hint = 'The API is not available for now. Try once more after the stated time.';
    return { code: 'api_unavailable', retryable: true, retryAfterMs, hint, api };
  }
  if (status === 408 || status === 504) {
    return { code: 'api_timeout', retryable: isRead, hint: isRead ? 'Try once more.' : UNKNOWN_OUTCOME, api };
  }
  return { code: 'api_error', retryable: isRead && status >= 500, hint: hintFor(status, isRead), api };
}

const UNKNOWN_OUTCOME =
  'The call may have had its effect. Do not repeat it; look up with a reading tool whether it has, or tell the user.';

function hintFor(status: number, isRead: boolean): string {
  if (status >= 500) return isRead ? 'The API failed. Try once more later.' : `The API failed. ${UNKNOWN_OUTCOME}`;
  if (status >= 300 && status < 400) {
    return `The API sends the caller to another address, which is not followed.${isRead ? '' : ` ${UNKNOWN_OUTCOME}`}`;
  }
  switch (status) {
    case 401:
      return 'The API does not accept the credential. The user may have to log in again.';
    case 403:
      return 'The API does not allow this to the user. Do not try again in another way.';
    case 404:
    case 410:
      return 'The API does not have this. Check the ids in the arguments.';
    case 409:
      return 'The call contradicts the present state at the API. Look at the state first, then decide.';
    default:
      return 'The API refused the call. Its message says why; correct the arguments accordingly.';
  }
}

/** There was no answer. */
export function errorOfExchange(failure: ExchangeFailed, isRead: boolean): ToolError {
  const isUncertain = failure.mayHaveArrived && !isRead;
  switch (failure.reason) {
    case 'timeout':
      return {
        code: 'api_timeout',
        retryable: !isUncertain,
        hint: isUncertain ? UNKNOWN_OUTCOME : 'The API did not answer in time. Try once more.',
      };
    case 'address-refused':
      return {
        code: 'api_unreachable',
        retryable: false,
        hint: "The API's address is not allowed. Only the site's owner can change that; tell the user that it does not work.",
      };
    case 'unreachable':
    case 'interrupted':
    case 'answer-broken':
    case 'not-http':
      return {
        code: 'api_unreachable',
        retryable: !isUncertain && failure.reason !== 'not-http',
        hint: isUncertain ? UNKNOWN_OUTCOME : 'The API could not be reached. Try once more later.',
      };
  }
}

/** True when nobody knows whether a call that is no read has had its effect. */
export function isOutcomeUnknown(status: number | ExchangeFailed, isRead: boolean): boolean {
  if (isRead) return false;
  return typeof status === 'number' ? status >= 500 && status !== 503 : status.mayHaveArrived;
}

/** What the API said, as data: bounded, without control characters; of a page for people only its title. */
function messageOf({ bytes, headers, isCut }: ReceivedAnswer, secret: string | undefined): string | undefined {
  const mediaType = essenceOf(headers['content-type'] ?? '');
  const text = textOf(bytes, headers['content-type'], mediaType, isCut);
  if (text === undefined) return undefined;
  const isPage = mediaType === 'text/html' || /^\s*<(?:!doctype html|html)/i.test(text);
  const said = isPage ? (/<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? '') : text;
  const clean = hideSecret(said, secret)
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .trim();
  if (clean === '') return undefined;
  return clean.length <= MAX_MESSAGE_LENGTH ? clean : `${clean.slice(0, MAX_MESSAGE_LENGTH - 1).toWellFormed()}…`;
}
