/** From the configuration to what a gateway is made from: opens the sources, and keeps those that have not changed. */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Log } from '../log.ts';
import { importReportText } from './api-description/import-report.ts';
import { loadApiDescription } from './api-description/load-api-description.ts';
import type { CallerRule } from './callers.ts';
import type { DomainConfig, ParleyConfig, ToolsConfig } from './config/config-schema.ts';
import type { CredentialRule } from './credential-rule.ts';
import { digest } from './digest.ts';
import type { DomainSetup, GatewaySetup } from './gateway-setup.ts';
import type { McpServerAddress } from './mcp-link.ts';
import { McpServerSource } from './mcp-server-source.ts';
import { MAX_NAME_CHARACTERS } from './public-names.ts';
import type { SourceCredential, ToolSource } from './tool-source.ts';

/** Sources by everything that makes them what they are. */
export type OpenSources = Map<string, ToolSource>;

export interface OpenedSetup {
  readonly setup: GatewaySetup;
  readonly sources: OpenSources;
  /** The API descriptions' files: a change in one of them is a change of the configuration. */
  readonly files: readonly string[];
}

/**
 * `configFile`: paths are relative to its folder. `kept`: the sources that are open already. Throws where an API description
 * cannot be read; then nothing new stays open. A server that is not there is no mistake: it may come.
 */
export async function openSetup(
  config: ParleyConfig,
  parts: { configFile: string; kept: OpenSources; log: Log },
): Promise<OpenedSetup> {
  const sources: OpenSources = new Map();
  const files: string[] = [];
  const directory = dirname(resolve(parts.configFile));
  const open = async (identity: unknown, make: () => ToolSource | Promise<ToolSource>): Promise<ToolSource> => {
    const key = digest(JSON.stringify(identity));
    const source = sources.get(key) ?? parts.kept.get(key) ?? (await make());
    sources.set(key, source);
    return source;
  };
  const openServer = (name: string, server: ServerConfig, credential: CredentialRule) => {
    const address = addressOf(server, directory);
    const listingCredential = credential.type === 'fixed' ? credential.credential : undefined;
    const log = parts.log.child({ domain: name });
    return open({ address, listingCredential }, () => new McpServerSource({ address, listingCredential, log }));
  };
  const openDomain = async (name: string, domain: DomainConfig, credential: CredentialRule): Promise<ToolSource> => {
    if (domain.mcp) return openServer(name, domain.mcp, credential);
    const file = resolve(directory, domain.openapi ?? '');
    const described = await descriptionFiles(file, parts.configFile);
    files.push(...described);
    const {
      baseUrl,
      allowedOrigins,
      metaHeaders,
      privateNetworks: privateAddresses,
      timeoutMs,
      maxResultBytes,
    } = domain;
    const content = await contentOf(described);
    const identity = {
      name,
      file,
      content,
      baseUrl,
      allowedOrigins,
      metaHeaders,
      privateAddresses,
      timeoutMs,
      maxResultBytes,
    };
    return open(identity, async () => {
      const source = await loadApiDescription({
        file,
        ...(baseUrl && { baseUrl: baseUrl.href }),
        allowedOrigins,
        privateAddresses,
        metaHeaders,
        timeoutMs,
        maxAnswerBytes: maxResultBytes,
        nameLength: MAX_NAME_CHARACTERS - name.length - 1,
        reservedArguments: ['domain'],
      });
      const { operations, tools, entries } = source.report;
      parts.log.info({ domain: name, operations, tools, remarks: entries.length }, 'an API description was read');
      for (const line of importReportText(source.report).split('\n').slice(1)) parts.log.debug({ domain: name }, line);
      return source;
    });
  };

  try {
    const domains: DomainSetup[] = [];
    if (config.tools) {
      const credential = credentialRule(config.tools.credential ?? (config.tools.url ? 'forward' : 'none'));
      domains.push({
        ...PLAIN,
        ...callSetup(config.tools),
        credential,
        source: await openServer('tools', config.tools, credential),
      });
    }
    for (const [name, domain] of Object.entries(config.domains ?? {})) {
      const credential = credentialRule(domain.credential);
      const { about, not, rename, transparent: isTransparent } = domain;
      const source = await openDomain(name, domain, credential);
      const calls = callSetup(domain);
      const isApi = domain.openapi !== undefined;
      // An API's answer is cut to its measure where it is read; here it stands twice, as text and as data, and in escapes.
      const maxResultBytes = isApi ? 4 * calls.maxResultBytes : calls.maxResultBytes;
      domains.push({ name, about, not, rename, isTransparent, isApi, credential, source, ...calls, maxResultBytes });
    }
    return { setup: { callers: callerRule(config), domains }, sources, files };
  } catch (failure) {
    await Promise.all([...sources].filter(([key]) => !parts.kept.has(key)).map(([, source]) => source.close()));
    throw failure;
  }
}

type ServerConfig = Pick<ToolsConfig, 'url' | 'command' | 'args' | 'env'>;

const PLAIN = { name: undefined, about: undefined, not: undefined, rename: {}, isTransparent: true } as const;

function callSetup({ repeats, timeoutMs, maxResultBytes, limits, allow, deny }: ToolsConfig | DomainConfig) {
  const { callsPerMinute, concurrentCalls, tools: callsPerMinuteOf } = limits;
  return { repeats, timeoutMs, maxResultBytes, allow, deny, callsPerMinute, concurrentCalls, callsPerMinuteOf };
}

function addressOf({ url, command = '', args, env }: ServerConfig, directory: string): McpServerAddress {
  return url ? { type: 'http', url } : { type: 'stdio', command, args, env, directory };
}

const DESCRIPTION_FILE = /\.(json|ya?ml)$/i;

/** The description, and what stands beside it and may be a part of it. */
async function descriptionFiles(file: string, configFile: string): Promise<readonly string[]> {
  const directory = dirname(file);
  const names = await readdir(directory).catch(() => []);
  const beside = names.filter((name) => DESCRIPTION_FILE.test(name)).map((name) => join(directory, name));
  return [...new Set([file, ...beside])].filter((found) => found !== resolve(configFile)).sort();
}

/** A file that cannot be read has no content; reading the description says so. */
async function contentOf(files: readonly string[]): Promise<string> {
  const contents = await Promise.all(files.map((file) => readFile(file).then(digest, () => '')));
  return digest(contents.join(' '));
}

function callerRule({ mcp }: ParleyConfig): CallerRule {
  return mcp.callers === 'tokens' ? { type: 'tokens', tokens: mcp.tokens ?? [] } : { type: mcp.callers };
}

function credentialRule(credential: DomainConfig['credential']): CredentialRule {
  if (credential === 'none') return { type: 'none' };
  if (credential === 'forward') return { type: 'forward', includingAccountKey: false };
  if (credential.fixed) {
    const { header: type, value } = credential.fixed;
    const fixed: SourceCredential = { type, value };
    return { type: 'fixed', credential: fixed };
  }
  return { type: 'forward', includingAccountKey: credential.forward?.includingAccountKey ?? false };
}
