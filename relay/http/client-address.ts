/** The address by which a caller is limited. */
import { isIPv4, isIPv6 } from 'node:net';
import type { Request } from 'express';

/**
 * IPv4 as it is; IPv6 as its /64 network, which is what one subscriber has. Forwarding headers count only as far as the
 * application's trusted proxies vouch for them (the right-most address that is none of theirs), and only if they hold an address.
 */
export function limitedAddress(request: Request): string {
  const forwarded = request.ip ?? '';
  const address = isIPv4(forwarded) || isIPv6(forwarded) ? forwarded : (request.socket.remoteAddress ?? 'unknown');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  return isIPv6(address) ? networkOf(address) : address;
}

/** The first four groups of an IPv6 address, written out. */
function networkOf(address: string): string {
  const [withoutZone = ''] = address.split('%');
  const [head = '', tail] = withoutZone.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length - (tail.includes('.') ? 1 : 0);
  const groups = [...first, ...Array<string>(Math.max(0, zeros)).fill('0'), ...last];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
