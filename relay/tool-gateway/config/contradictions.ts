/** What a configuration may not say together, although each key by itself is right. */
import type { ParleyConfig, ToolsConfig } from './config-schema.ts';

export interface Contradiction {
  readonly path: readonly string[];
  readonly expected: string;
}

export function contradictionsIn(config: ParleyConfig, isLoopback: boolean): readonly Contradiction[] {
  const { mcp, tools, domains = {} } = config;
  const found: Contradiction[] = [];
  const say = (path: readonly string[], expected: string) => found.push({ path, expected });

  if (tools && config.domains) say(['tools'], 'either "tools" (one server, as it is) or "domains", not both');
  if (!tools && Object.keys(domains).length === 0) say([], '"tools" or at least one of "domains"');
  if (mcp.callers === 'tokens' && !mcp.tokens) say(['mcp', 'callers'], '"mcp.tokens" with it');
  if (mcp.callers !== 'tokens' && mcp.tokens) say(['mcp', 'tokens'], '"callers: tokens" with it');
  if (mcp.callers === 'open' && !isLoopback)
    say(['mcp', 'callers'], 'tokens, session or api; "open" is only for a relay that listens on loopback');
  if (tools) checkServer(['tools'], tools, say);

  for (const [name, domain] of Object.entries(domains)) {
    const at = ['domains', name];
    const { openapi, mcp: server, baseUrl, allowedOrigins } = domain;
    if ((openapi === undefined) === (server === undefined)) say(at, 'either "openapi" or "mcp"');
    if (server) checkServer([...at, 'mcp'], server, say);
    if (server && baseUrl) say([...at, 'baseUrl'], 'it only with "openapi"; an MCP server’s address is "mcp.url"');
    if (server && allowedOrigins.length > 0)
      say([...at, 'allowedOrigins'], 'it only with "openapi"; an MCP server’s address is "mcp.url"');
    const isForwarding =
      domain.credential === 'forward' ||
      (typeof domain.credential === 'object' && domain.credential.forward !== undefined);
    if (server?.command !== undefined && domain.credential !== 'none') {
      say(
        [...at, 'credential'],
        isForwarding
          ? 'none: a program on standard input cannot be given a caller’s credential'
          : 'none; give the program its secret in "mcp.env"',
      );
    }
    const rival = Object.keys(domains).find((other) => other !== name && `${name}_`.startsWith(`${other}_`));
    if (rival)
      say(at, `a name that does not begin with the other domain’s "${rival}_": their tools could not be told apart`);
  }
  for (const [path, credential] of credentialsOf(config)) {
    if (typeof credential !== 'object') continue;
    if ((credential.forward === undefined) === (credential.fixed === undefined))
      say(path, 'either "forward" or "fixed"');
    if (credential.fixed && mcp.callers === 'api') {
      say(path, 'no fixed credential with "callers: api": the API could not tell who calls');
    }
  }
  const { verification } = config;
  if (verification?.send === 'webhook' && !verification.webhook)
    say(['verification', 'send'], '"verification.webhook" with it');
  if (verification?.send === 'smtp' && !verification.smtp) say(['verification', 'send'], '"verification.smtp" with it');
  // The address of a mail can come from nowhere else; a label that a page has given is none.
  if (verification?.send === 'smtp' && !verification.recipient)
    say(['verification', 'send'], '"verification.recipient" with it, to ask for the visitor’s address');
  return found;
}

function checkServer(
  path: readonly string[],
  { url, command, args }: Pick<ToolsConfig, 'url' | 'command' | 'args'>,
  say: (path: readonly string[], expected: string) => void,
): void {
  if ((url === undefined) === (command === undefined)) say(path, 'either "url" or "command"');
  if (command === undefined && args.length > 0) say([...path, 'args'], 'it only with "command"');
}

function credentialsOf({ tools, domains = {} }: ParleyConfig) {
  return [
    ...(tools ? [[['tools', 'credential'], tools.credential] as const] : []),
    ...Object.entries(domains).map(([name, { credential }]) => [['domains', name, 'credential'], credential] as const),
  ];
}
