/**
 * The one form in which origins are compared: scheme and host in lower case (host in ASCII form), a default port left out.
 * Nothing else is folded: a trailing dot makes another host. Undefined for what is not an http(s) origin, such as `null`, a
 * list, or an address with a path.
 */
export function normaliseOrigin(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  const isBare = url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
  return isBare && !/[\s,*?#@\\]/.test(text) ? url.origin : undefined;
}
