/** A real relay on a free port for tests of the widget, in front of any agent host, with its store in memory. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { HttpAgentHost } from '../../relay/agent-host/http-agent-host.ts';
import { createRelay } from '../../relay/app.ts';
import type { RelayConfig } from '../../relay/config.ts';
import { createLog } from '../../relay/log.ts';
import { Sealer } from '../../relay/sealing/sealer.ts';
import { openSecrets } from '../../relay/sealing/secrets.ts';
import { MemoryStore } from '../../relay/store/memory-store.ts';

export interface RelayForWidget {
  readonly address: string;
  close(): Promise<void>;
}

const CONFIG: RelayConfig = {
  applications: ['app-1'],
  allowedOrigins: undefined,
  host: '127.0.0.1',
  trustedProxies: false,
  toolCalls: 'full',
  turnGraceMs: Number.POSITIVE_INFINITY,
  maxMessageBytes: 16_384,
  limitsPerMinute: { sessions: 0, messages: 0, requests: 0, failures: 0 },
};

/** `idleMs`: how long the host may be silent. */
export async function startRelayForWidget(hostUrl: string, idleMs = 60_000): Promise<RelayForWidget> {
  const log = createLog('error', { write: () => {} });
  const agentHost = new HttpAgentHost({
    baseUrl: hostUrl,
    apiKey: 'key-0123456789-canary',
    log,
    idleMs,
    startMs: idleMs,
  });
  const store = new MemoryStore();
  const sealer = new Sealer(await openSecrets({ type: 'memory' }, undefined));
  const relay = createRelay({ config: CONFIG, store, sealer, agentHost, log });
  relay.server.listen(0, '127.0.0.1');
  await once(relay.server, 'listening');
  return {
    address: `http://127.0.0.1:${(relay.server.address() as AddressInfo).port}`,
    close: async () => {
      await relay.close(0);
      agentHost.close();
      await store.close();
    },
  };
}
