import { createHmac } from 'node:crypto';

export interface SignedPostOptions {
  readonly url: string;
  /** Shared with the owner's service. */
  readonly secret: string;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 16_384;

/**
 * Sends JSON to a service of the owner's, signed so that it can tell who asks: `x-parley-signature: t=<Unix seconds>,v1=<hex>`,
 * where `v1` is HMAC-SHA-256 of `<t>.<body>` under the shared secret. Resolves to the answer's JSON (undefined: it was empty);
 * rejects for a status that is not 2xx, for an answer that is too large or no JSON, and with the signal's reason.
 */
export async function signedPost(options: SignedPostOptions, body: unknown, signal: AbortSignal): Promise<unknown> {
  const text = JSON.stringify(body);
  const seconds = Math.floor(Date.now() / 1_000);
  const mac = createHmac('sha256', options.secret).update(`${seconds}.${text}`).digest('hex');
  const response = await fetch(options.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-parley-signature': `t=${seconds},v1=${mac}` },
    body: text,
    // A redirect would carry the code somewhere else.
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS)]),
  });
  const answer = await readAnswer(response);
  if (!response.ok) throw new Error(`the service answered with status ${response.status}`);
  return answer === '' ? undefined : JSON.parse(answer);
}

async function readAnswer(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`the service answered with more than ${MAX_ANSWER_BYTES} bytes`);
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}
