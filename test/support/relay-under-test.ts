/** A relay on a free port in front of a scripted host, with everything that a test wants to look at. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { HttpAgentHost } from '../../relay/agent-host/http-agent-host.ts';
import { createRelay, type Relay, type RelayParts } from '../../relay/app.ts';
import type { RelayConfig } from '../../relay/config.ts';
import { createLog } from '../../relay/log.ts';
import type { StartedSession } from '../../relay/protocol/requests.ts';
import { Sealer } from '../../relay/sealing/sealer.ts';
import { MemoryStore } from '../../relay/store/memory-store.ts';
import type { Store } from '../../relay/store/store.ts';
import { type ScriptedHost, startScriptedHost } from './scripted-host.ts';

export const PAGE = 'http://localhost:3000';
export const API_KEY = 'sk-CANARY-0123456789abcdef';

export interface RelayUnderTest {
  readonly url: string;
  readonly relay: Relay;
  readonly host: ScriptedHost;
  readonly store: Store;
  /** The log so far, one parsed line each. */
  readonly logged: Record<string, unknown>[];
  readonly logText: () => string;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  startSession(headers?: Record<string, string>): Promise<StartedSession>;
  chat(session: StartedSession, message: string, options?: ChatOptions): Promise<Response>;
  about(session: StartedSession, method: string, path?: string, headers?: Record<string, string>): Promise<Response>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ChatOptions {
  readonly messageId?: string;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

const CONFIG: RelayConfig = {
  applications: ['app-1', 'app-2'],
  allowedOrigins: undefined,
  host: '127.0.0.1',
  trustedProxies: false,
  toolCalls: 'names',
  turnGraceMs: 0,
  maxMessageBytes: 16_384,
  limitsPerMinute: { sessions: 0, messages: 0, requests: 0, failures: 0 },
};

/** `store` and `sharedHost` can serve several relays, `hostUrl` is any other host: whoever gave them disposes of them. */
export async function startRelay(
  options: Partial<RelayConfig> &
    Partial<Pick<RelayParts, 'store' | 'assets' | 'now' | 'verifications' | 'tools'>> & {
      sharedHost?: ScriptedHost;
      hostUrl?: string;
      idleMs?: number;
    } = {},
): Promise<RelayUnderTest> {
  const { store: givenStore, assets, now, verifications, tools, sharedHost, hostUrl, idleMs, ...config } = options;
  const ownHost = sharedHost || hostUrl ? undefined : await startScriptedHost();
  const host = sharedHost ?? ownHost;
  const store = givenStore ?? new MemoryStore();
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const agentHost = new HttpAgentHost({
    baseUrl: hostUrl ?? host?.url ?? '',
    apiKey: API_KEY,
    log,
    ...(idleMs && { idleMs }),
  });
  const relay = createRelay({
    config: { ...CONFIG, ...config },
    store,
    sealer: new Sealer(['a secret of the tests, 32 bytes or more']),
    agentHost,
    log,
    ...(assets && { assets }),
    ...(now && { now }),
    ...(verifications && { verifications }),
    ...(tools && { tools }),
  });
  relay.server.listen(0, '127.0.0.1');
  await once(relay.server, 'listening');
  const url = `http://127.0.0.1:${(relay.server.address() as AddressInfo).port}`;
  const post: RelayUnderTest['post'] = (path, body, headers = {}) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: PAGE, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return {
    url,
    relay,
    get host() {
      if (!host) throw new Error('this relay has another host');
      return host;
    },
    store,
    get logged() {
      return lines.map((line) => JSON.parse(line));
    },
    logText: () => lines.join(''),
    post,
    startSession: async (headers = {}) => (await post('/session', {}, headers)).json(),
    chat: (session, message, { messageId, headers = {}, signal } = {}) =>
      fetch(`${url}/chat`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: PAGE, 'x-session-token': session.token, ...headers },
        body: JSON.stringify({ sessionId: session.sessionId, message, ...(messageId && { messageId }) }),
        ...(signal && { signal }),
      }),
    about: (session, method, path = '', headers = {}) =>
      fetch(`${url}/session/${session.sessionId}${path}`, {
        method,
        headers: { origin: PAGE, 'x-session-token': session.token, ...headers },
      }),
    [Symbol.asyncDispose]: async () => {
      await relay.close(0);
      agentHost.close();
      if (!givenStore) await store.close();
      await ownHost?.[Symbol.asyncDispose]();
    },
  };
}
