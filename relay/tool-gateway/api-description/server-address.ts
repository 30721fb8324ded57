/** Which server an operation's calls go to. A description alone never decides that: the owner names the origin. */
import { isIP } from 'node:net';
import { bareHost } from './address-policy.ts';
import { isJsonRecord, type JsonRecord, listMember, recordMember, textMember } from './json-record.ts';
import { namesIn } from './schema-conversion.ts';

export interface ServerChoice {
  /** The owner's own address for the API; wins over what the description says. */
  readonly baseUrl?: string | undefined;
  /** Origins that the description may name, e.g. `https://api.example.com`. */
  readonly allowedOrigins: readonly string[];
}

/** An address that the owner or a description gave cannot be used; the message is for the owner. */
class ServerRefused extends Error {
  override readonly name = 'ServerRefused';
}

/** The server for all operations that name none themselves. Throws `ServerRefused`. */
export function chooseServer(root: JsonRecord, choice: ServerChoice): URL {
  if (choice.baseUrl !== undefined) return readServer(choice.baseUrl, undefined);
  const named = root.swagger === undefined ? listMember(root, 'servers').map(addressOf) : swaggerServers(root);
  if (named.length === 0) throw new ServerRefused('the description names no server; set baseUrl');
  return firstAllowed(named, choice, undefined);
}

/** The server of an operation that names its own. Throws `ServerRefused`. */
export function chooseOwnServer(servers: readonly unknown[], choice: ServerChoice, base: URL): URL {
  return firstAllowed(servers.map(addressOf), choice, base);
}

function firstAllowed(named: readonly string[], choice: ServerChoice, base: URL | undefined): URL {
  const allowed = new Set(choice.allowedOrigins.map((origin) => readServer(origin, undefined).origin));
  if (base) allowed.add(base.origin);
  const refusals: string[] = [];
  for (const address of named) {
    try {
      const server = readServer(address, base);
      if (allowed.has(server.origin)) return server;
      refusals.push(`the origin ${server.origin} is not allowed; set baseUrl, or name the origin as allowed`);
    } catch (error) {
      refusals.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new ServerRefused(refusals.join('; '));
}

function readServer(address: string, base: URL | undefined): URL {
  const isRelative = /^(?![a-z][a-z0-9+.-]*:)(?!\/\/|\\)/i.test(address);
  if (isRelative && !base) throw new ServerRefused(`the server "${address}" has no origin; set baseUrl`);
  const server = URL.canParse(address, base?.href) ? new URL(address, base) : undefined;
  const isHttp = server?.protocol === 'http:' || server?.protocol === 'https:';
  if (!server || !isHttp || /^\/\//.test(address)) {
    throw new ServerRefused(`the server "${address}" is not an http or https address`);
  }
  if (server.username !== '' || server.password !== '' || server.search !== '' || server.hash !== '') {
    throw new ServerRefused('a server address may have no credential, no query and no fragment');
  }
  return server;
}

/** The address with its variables at their defaults. */
function addressOf(server: unknown): string {
  if (!isJsonRecord(server)) return '';
  const variables = recordMember(server, 'variables');
  return (textMember(server, 'url') ?? '').replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = variables[name];
    return isJsonRecord(variable) && typeof variable.default === 'string' ? variable.default : whole;
  });
}

function swaggerServers(root: JsonRecord): readonly string[] {
  const host = textMember(root, 'host');
  const basePath = textMember(root, 'basePath') ?? '';
  if (host === undefined) return basePath === '' ? [] : [basePath];
  const schemes = namesIn(root, 'schemes');
  return (schemes.length === 0 ? ['https'] : schemes.toSorted().reverse()).map(
    (scheme) => `${scheme}://${host}${basePath}`,
  );
}

/** Private addresses that the owner named by writing them as the host of an address of his own. */
export function addressesNamedIn({ baseUrl, allowedOrigins }: ServerChoice): readonly string[] {
  return [...(baseUrl === undefined ? [] : [baseUrl]), ...allowedOrigins]
    .filter((address) => URL.canParse(address))
    .map((address) => bareHost(new URL(address)))
    .filter((host) => isIP(host) !== 0 || host === 'localhost');
}
