/** The gateway behind `/mcp` on a free port, with the domains that a test gives it. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { McpCallers } from '../../relay/http/mcp-callers.ts';
import { type McpRules, mcpRoutes } from '../../relay/http/mcp-routes.ts';
import { problemAnswer } from '../../relay/http/problem-answer.ts';
import { requestContext } from '../../relay/http/request-context.ts';
import { createLog } from '../../relay/log.ts';
import { CredentialDigests } from '../../relay/sessions/credential-digests.ts';
import { MemoryStore } from '../../relay/store/memory-store.ts';
import type { Store } from '../../relay/store/store.ts';
import type { CallerRule } from '../../relay/tool-gateway/callers.ts';
import type { DomainSetup } from '../../relay/tool-gateway/gateway-setup.ts';
import { McpServerSource } from '../../relay/tool-gateway/mcp-server-source.ts';
import { createToolGateway } from '../../relay/tool-gateway/tool-gateway.ts';
import type { ToolSource } from '../../relay/tool-gateway/tool-source.ts';

export const ACCOUNT_KEY = 'account-key-CANARY';

export interface GatewayUnderTest {
  readonly url: string;
  readonly store: Store;
  readonly digests: CredentialDigests;
  readonly logText: () => string;
  [Symbol.asyncDispose](): Promise<void>;
}

export type DomainUnderTest = Partial<DomainSetup> & Pick<DomainSetup, 'source'>;

export async function startGateway(given: {
  domains: readonly DomainUnderTest[];
  callers?: CallerRule;
  store?: Store;
  rules?: Partial<McpRules>;
  now?: () => number;
}): Promise<GatewayUnderTest> {
  const { callers: rule = { type: 'open' }, now = Date.now } = given;
  const store = given.store ?? new MemoryStore();
  const lines: string[] = [];
  const log = createLog('debug', { write: (line) => void lines.push(line) });
  const digests = new CredentialDigests(randomBytes(32));
  const callers = new McpCallers({ store, digests, accountKey: ACCOUNT_KEY, now });
  const domains = given.domains.map((domain) => ({ ...DOMAIN, ...domain }));
  const gateway = createToolGateway({ setup: { callers: rule, domains }, callers, store, policy: undefined, log, now });
  const listeners = new Set<() => void>();
  for (const { source } of domains) {
    source.onChange(() => {
      for (const listener of listeners) listener();
    });
  }
  const rules: McpRules = {
    callers: rule,
    allowedHosts: [],
    allowedOrigins: [],
    domains: domains.flatMap(({ name }) => name ?? []),
    maxBodyBytes: 1_000_000,
    ...given.rules,
  };
  const mcp = mcpRoutes({
    gateway,
    callers,
    rules: () => rules,
    onToolsChanged: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    log,
  });
  const app = express();
  app.use(requestContext(log), mcp.routes, problemAnswer(log));
  const server = createServer(app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    store,
    digests,
    logText: () => lines.join(''),
    [Symbol.asyncDispose]: async () => {
      await mcp.close(1_000);
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await Promise.all(domains.map(({ source }) => source.close()));
      if (!given.store) await store.close();
    },
  };
}

/** A domain's source over an MCP server at an address. */
export function mcpSource(url: string): ToolSource {
  return new McpServerSource({
    address: { type: 'http', url: new URL(url) },
    listingCredential: undefined,
    log: createLog('silent'),
  });
}

/** What a domain is where a test says nothing else. */
export const DOMAIN: Omit<DomainSetup, 'source'> = {
  name: undefined,
  about: undefined,
  not: undefined,
  credential: { type: 'forward', includingAccountKey: false },
  repeats: 'relay',
  timeoutMs: 30_000,
  maxResultBytes: 1_000_000,
  callsPerMinute: 0,
  callsPerMinuteOf: {},
  concurrentCalls: 1_000,
  allow: undefined,
  deny: [],
  rename: {},
  isTransparent: false,
};
