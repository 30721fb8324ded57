#!/usr/bin/env node
/**
 * The command `parley`: a relay from the environment's settings. Ends with 78 when a setting is missing or wrong, with 0 when it
 * was asked to end and could do so in order, at once with 1 when it was asked a second time.
 */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { HttpAgentHost } from './agent-host/http-agent-host.ts';
import { createRelay } from './app.ts';
import { ConfigError, type ProcessConfig, readConfig } from './config.ts';
import type { WidgetAssets } from './http/asset-routes.ts';
import { createLog, failureForLog, type Log } from './log.ts';
import { Sealer } from './sealing/sealer.ts';
import { openSecrets, type Secrets } from './sealing/secrets.ts';
import { openStore, parseStoreLocation } from './store/open-store.ts';
import type { Store } from './store/store.ts';
import { StoreSettingError } from './store/store-setting-error.ts';
import type { OpenedTools } from './tools.ts';
import { keepYoungGenerationSmall } from './young-generation.ts';

/** EX_CONFIG of sysexits.h. */
const EXIT_CONFIG = 78;
const EXIT_FAILED = 1;
const DEFAULT_PORT = 8787;
const MAX_PORT_TRIES = 100;
/** When a connection or a part that does not close has to be left behind. */
const EXIT_AFTER_MS = 34_000;

try {
  if (process.argv[2] === 'check-tools') {
    const { checkToolsCommand } = await import('./check-tools/check-tools-command.ts');
    process.exit(await checkToolsCommand(process.argv.slice(3), process.env));
  }
  await run(readConfig(process.env, (path) => readFileSync(path, 'utf8')));
} catch (failure) {
  const isConfig = failure instanceof ConfigError || failure instanceof StoreSettingError;
  process.stderr.write(`${failure instanceof Error ? failure.message : String(failure)}\n`);
  process.exit(isConfig ? EXIT_CONFIG : EXIT_FAILED);
}

async function run(config: ProcessConfig): Promise<void> {
  const log = createLog(config.logLevel);
  const { hostBaseUrl: baseUrl, apiKey, upstreamIdleMs: idleMs, turnLimitMs: turnMs } = config;
  if (isPlainAcrossNetworks(baseUrl)) log.warn('MCP_HOST_BASE_URL is not https: the key can be read on the way');
  const agentHost = new HttpAgentHost({ baseUrl, apiKey, idleMs, turnMs, log });
  const secrets = await openSecrets(parseStoreLocation(config.store), config.secret);
  const sealer = new Sealer(secrets);
  const store = await openStore(config.store);
  const assets = builtAssets();
  if (!assets) log.warn('the widget is not built: /widget.js is not served');
  const tools = await openConfiguredTools(config, { store, log, secrets });
  const relay = createRelay({
    config,
    store,
    sealer,
    agentHost,
    log,
    ...(assets && { assets }),
    ...(tools && { tools, verifications: tools.verifications }),
  });

  const url = await listen(relay.server, config);
  keepYoungGenerationSmall();
  log.info({ url, applications: config.applications.length, store: config.store.split(':')[0] }, 'listening');

  let isLeaving = false;
  const leave = async (signal: NodeJS.Signals) => {
    if (isLeaving) process.exit(EXIT_FAILED);
    isLeaving = true;
    log.info({ signal }, 'shutting down');
    setTimeout(() => process.exit(EXIT_FAILED), EXIT_AFTER_MS).unref();
    try {
      await relay.close();
      agentHost.close();
      await store.close();
      process.exitCode = 0;
    } catch (failure) {
      log.error(failureForLog(failure), 'shutting down failed');
      process.exitCode = EXIT_FAILED;
    }
    // Whatever still holds the process (a library's timer) is not waited for.
    process.exit();
  };
  process.on('SIGTERM', leave);
  process.on('SIGINT', leave);
}

/** The tools are loaded only where they are configured: the relay without them stays small. */
async function openConfiguredTools(
  config: ProcessConfig,
  parts: { store: Store; log: Log; secrets: Secrets },
): Promise<OpenedTools | undefined> {
  const { configFile: file, apiKey: accountKey, host } = config;
  if (file === undefined) return undefined;
  const { openTools } = await import('./tools.ts');
  const tools = await openTools({ ...parts, file, accountKey, environment: process.env, listensOn: host });
  process.on('SIGHUP', () => void tools.reload());
  return tools;
}

/** Listens on the port that is set; without one on the first free port from 8787 on. Resolves to the address. */
async function listen(server: Server, { host, port }: ProcessConfig): Promise<string> {
  for (let tried = port ?? DEFAULT_PORT; ; tried += 1) {
    try {
      server.listen(tried, host);
      await once(server, 'listening');
      const { address, port: bound } = server.address() as AddressInfo;
      return `http://${address.includes(':') ? `[${address}]` : address}:${bound}`;
    } catch (failure) {
      const isTaken = failure instanceof Error && 'code' in failure && failure.code === 'EADDRINUSE';
      if (port !== undefined && isTaken) throw new ConfigError(`PORT ${port} is in use at ${host}.`);
      if (!isTaken || tried >= DEFAULT_PORT + MAX_PORT_TRIES) throw failure;
    }
  }
}

function isPlainAcrossNetworks(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** The widget's files lie in `dist/assets`, seen from the sources as from the built relay. */
function builtAssets(): WidgetAssets | undefined {
  const isBuilt = !import.meta.filename.endsWith('.ts');
  const project = join(import.meta.dirname, isBuilt ? '../..' : '..');
  const directory = join(project, 'dist/assets');
  if (!existsSync(join(directory, 'widget.js'))) return undefined;
  const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { version: string };
  return { directory, version };
}
