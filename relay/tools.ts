/** The tool gateway as a part of the relay, from `parley.yaml`. Loaded only where that is set. */
import type { RelayTools } from './app.ts';
import { ConfigError } from './config.ts';
import { McpCallers } from './http/mcp-callers.ts';
import { mcpRoutes } from './http/mcp-routes.ts';
import { isLoopbackHost } from './http/origins.ts';
import type { Log } from './log.ts';
import { Pulse } from './pulse.ts';
import { deriveKey, type Secrets } from './sealing/secrets.ts';
import { CredentialDigests } from './sessions/credential-digests.ts';
import type { Store } from './store/store.ts';
import { ApiDescriptionError } from './tool-gateway/api-description/api-description-error.ts';
import { GatewayConfigError } from './tool-gateway/config/config-mistake.ts';
import { type OpenToolGateway, openToolGateway } from './tool-gateway/open-tool-gateway.ts';
import { openRules } from './verification/open-rules.ts';
import type { Verifications } from './verification/verifications.ts';

export interface OpenTools {
  /** Path of `parley.yaml`. */
  readonly file: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The address that the relay listens on. */
  readonly listensOn: string;
  readonly accountKey: string;
  readonly secrets: Secrets;
  readonly store: Store;
  readonly log: Log;
  readonly now?: () => number;
}

export interface OpenedTools extends RelayTools {
  /** For the routes by which visitors answer. */
  readonly verifications: Verifications;
  /** Reads the files anew; false: they have mistakes, and what was in force stays so. */
  reload(): Promise<boolean>;
}

const DIGEST_KEY_BYTES = 32;

/** Throws `ConfigError` with every mistake of the file. */
export async function openTools(options: OpenTools): Promise<OpenedTools> {
  const { file, environment, listensOn, accountKey, secrets, store, log, now = Date.now } = options;
  const digests = new CredentialDigests(deriveKey(secrets[0], 'credential digests', DIGEST_KEY_BYTES));
  const callers = new McpCallers({ store, digests, accountKey, now });
  const rules = openRules({ store, pulse: new Pulse(), log, secrets, now });
  const opened = await open({
    ...{ file, environment, isLoopback: isLoopbackHost(listensOn), callers, store, log, now },
    policyFor: (config) => rules.policyFor(config),
  });
  const mcp = mcpRoutes({
    gateway: opened.gateway,
    callers,
    rules: () => {
      const { setup, config } = opened.inForce();
      const { allowedHosts, allowedOrigins, maxBodyBytes } = config.mcp;
      const domains = Object.keys(config.domains ?? {});
      return { callers: setup.callers, allowedHosts, allowedOrigins, maxBodyBytes, domains };
    },
    onToolsChanged: (listener) => opened.onToolsChanged(listener),
    log,
  });
  return {
    routes: mcp.routes,
    digests,
    verifications: rules.verifications,
    reload: () => opened.reload(),
    close: async (patienceMs) => {
      await mcp.close(patienceMs);
      await opened.close();
      rules.close();
    },
  };
}

async function open(options: Parameters<typeof openToolGateway>[0]): Promise<OpenToolGateway> {
  try {
    return await openToolGateway(options);
  } catch (failure) {
    if (failure instanceof GatewayConfigError || failure instanceof ApiDescriptionError)
      throw new ConfigError(failure.message, { cause: failure });
    throw failure;
  }
}
