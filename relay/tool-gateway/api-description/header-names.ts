/**
 * Headers that a description may declare as parameters and that no model fills: they say who calls, from where, and where
 * to; or they belong to the connection. Sources: RFC 9110, 7.6.1 (connection), RFC 7239 and its forerunners (forwarding).
 */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'authorization',
  'client-ip',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'cookie2',
  'date',
  'expect',
  'fastly-client-ip',
  'forwarded',
  'host',
  'http2-settings',
  'keep-alive',
  'origin',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'referer',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'true-client-ip',
  'upgrade',
  'user-agent',
  'via',
  'x-api-key',
  'x-appengine-user-ip',
  'x-azure-clientip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-host',
  'x-http-method',
  'x-http-method-override',
  'x-mcp-auth',
  'x-method-override',
  'x-original-forwarded-for',
  'x-original-url',
  'x-parley-token',
  'x-real-ip',
  'x-remote-addr',
  'x-remote-ip',
  'x-rewrite-url',
]);

const OWN_PREFIXES = ['sec-', 'proxy-', 'x-forwarded', 'cf-', 'x-envoy-', 'x-amzn-', 'x-auth-request-'];

/** True for a header whose value only the relay decides. */
export function isOwnHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return OWN_HEADERS.has(lower) || OWN_PREFIXES.some((prefix) => lower.startsWith(prefix));
}

/** RFC 9110, 5.6.2. */
export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name);
}

const MAX_HEADER_VALUE_LENGTH = 4_096;

/** Why the value cannot be a header's, in words for a model; undefined when it can. */
export function faultOfHeaderValue(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'text';
  if (value.length > MAX_HEADER_VALUE_LENGTH) return `at most ${MAX_HEADER_VALUE_LENGTH} characters`;
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(value) ? 'text without line breaks and control characters' : undefined;
}

/** The value as the platform takes it: one character per byte of its UTF-8 form. */
export function headerBytes(value: string): string {
  return Buffer.from(value.toWellFormed(), 'utf8').toString('latin1').trim();
}
