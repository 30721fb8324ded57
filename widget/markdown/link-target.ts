/** Where a link leads, after everything that could hide it is undone. */
export interface LinkTarget {
  /** The whole address as `new URL` writes it: scheme first, an international host as punycode. */
  readonly href: string;
  /** What a reader must see before the click: the host, or the address of a `mailto:` or `tel:` link. */
  readonly place: string;
  /** Whether the link stays on the page's own host. */
  readonly isOwnHost: boolean;
  readonly title: string;
}

const allowedSchemes = /^(?:https?|mailto|tel):$/;
/** Characters that turn the order of the text around them, or mark a direction. */
const bidiControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * The target of `destination`, escapes and references already resolved, relative ones seen from `baseUrl`. Null when it is empty, is no
 * address or has another scheme than http, https, mailto and tel: then the text stays and is no link.
 */
export function resolveTarget(destination: string, title: string, baseUrl: string): LinkTarget | null {
  if (!destination) return null;
  let url: URL;
  try {
    // CommonMark encodes a backslash; the URL parser would take it for a slash and so for the beginning of a host.
    url = new URL(destination.replaceAll('\\', '%5C'), baseUrl);
  } catch {
    return null;
  }
  if (!allowedSchemes.test(url.protocol)) return null;
  return {
    href: url.href,
    place: url.host || url.pathname,
    isOwnHost: url.host !== '' && url.host === new URL(baseUrl).host,
    title: withoutBidiControls(title),
  };
}

export function withoutBidiControls(text: string): string {
  return text.replace(bidiControls, '');
}

/** Whether a link with this text already tells where it leads, so that the host need not be added. */
export function showsPlace(text: string, target: LinkTarget): boolean {
  if (target.isOwnHost && !/[^\s.]\.[^\s.]/.test(text)) return true;
  const shown = text.trim().replace(/^(?:https?:\/\/|mailto:|tel:)/i, '');
  const following = shown[target.place.length];
  return (
    shown.slice(0, target.place.length).toLowerCase() === target.place.toLowerCase() &&
    (following === undefined || '/?#'.includes(following))
  );
}
