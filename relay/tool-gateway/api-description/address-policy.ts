/** Which network addresses a call may reach. */
import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';

/** A name led to an address that the owner has not named. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/**
 * Not the public internet: IANA's registries of special-purpose addresses (RFC 6890), with the shared space of carriers and
 * the addresses that carry an IPv4 address inside.
 */
const PRIVATE_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
const PRIVATE_V6 = [
  '::/128',
  '::1/128',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

const PRIVATE = blockListOf([...PRIVATE_V4, ...PRIVATE_V6]);

export class AddressPolicy {
  readonly #allowed: BlockList;
  readonly #allowedNames: ReadonlySet<string>;
  readonly #lookup: LookupFunction;

  /**
   * `allowed` are the private addresses that the owner named: addresses, ranges (`10.0.0.0/8`) or host names. Throws an
   * `Error` for an entry that is none of them.
   */
  constructor(allowed: readonly string[], lookup: LookupFunction = systemLookup as LookupFunction) {
    const isAddress = (entry: string) => isIP(entry.split('/')[0]!) !== 0;
    this.#allowed = blockListOf(allowed.filter(isAddress));
    const names = allowed.filter((entry) => !isAddress(entry)).map((name) => name.toLowerCase());
    const wrong = names.find((name) => !/^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/.test(name));
    if (wrong !== undefined) throw new Error(`"${wrong}" is neither an address, a range nor a host name`);
    this.#allowedNames = new Set(names);
    this.#lookup = lookup;
  }

  /** True for an address of the public internet and for one that the owner named. */
  allows(address: string): boolean {
    const plain = addressInside(address);
    return !isListed(PRIVATE, plain) || isListed(this.#allowed, plain);
  }

  /** Throws `AddressRefused` when the host of `server` is an address that may not be reached. Names are checked when looked up. */
  checkHost(server: URL): void {
    const host = bareHost(server);
    if (isIP(host) !== 0 && !this.allows(host)) throw new AddressRefused(refusal(host));
  }

  /** Looks a name up for a connection, which is then made to the very address that was checked. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.#lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) {
        callback(error, '', 0);
        return;
      }
      const addresses = Array.isArray(found) ? found : [];
      const isNamed = this.#allowedNames.has(hostname.toLowerCase());
      const reachable = isNamed ? addresses : addresses.filter(({ address }) => this.allows(address));
      const [first] = reachable;
      if (!first) callback(new AddressRefused(refusal(hostname)), '', 0);
      else if (options.all) callback(null, reachable);
      else callback(null, first.address, first.family);
    });
  };
}

/** The host without the brackets of an IPv6 address. */
export function bareHost(server: URL): string {
  return server.hostname.replace(/^\[|\]$/g, '');
}

function refusal(host: string): string {
  return `"${host}" is not an address of the public internet; the owner can name it as a private address`;
}

/** The IPv4 address that an IPv6 address carries (RFC 4291 2.5.5, RFC 6052, RFC 3056); otherwise the address itself. */
function addressInside(address: string): string {
  const bare = address.split('%')[0]!;
  if (!isIPv6(bare)) return bare;
  const groups = groupsOf(bare);
  const v4 = (at: number) =>
    [groups[at]! >> 8, groups[at]! & 255, groups[at + 1]! >> 8, groups[at + 1]! & 255].join('.');
  const startsWith = (...begin: number[]) => begin.every((group, index) => groups[index] === group);
  if (startsWith(0, 0, 0, 0, 0, 0xffff) || startsWith(0x64, 0xff9b, 0, 0, 0, 0)) return v4(6);
  if (startsWith(0, 0, 0, 0, 0xffff, 0)) return v4(6);
  if (startsWith(0, 0, 0, 0, 0, 0) && (groups[6] !== 0 || groups[7]! > 1)) return v4(6);
  return startsWith(0x2002) ? v4(1) : bare;
}

function groupsOf(address: string): readonly number[] {
  // The platform writes every form of an IPv6 address in one way, with hex groups only.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [left = '', right] = text.split('::');
  const read = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const before = read(left);
  const after = read(right ?? '');
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function blockListOf(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', length] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (length === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(length), family);
  }
  return list;
}

function isListed(list: BlockList, address: string): boolean {
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
