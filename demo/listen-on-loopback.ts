import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a demo server tells the process that started it, once it takes connections. */
export interface ListeningMessage {
  readonly type: 'listening';
  /** Origin without a slash at the end, e.g. `http://127.0.0.1:40313`. */
  readonly url: string;
}

export interface LoopbackServer {
  /** Origin without a slash at the end. */
  readonly url: string;
  /** Takes no new connections and cuts the open ones; resolves when the port is free. */
  close(): Promise<void>;
}

/**
 * Serves on 127.0.0.1, port 0 meaning a free one: the demo is for this machine only.
 * Rejects with the system's error (`EADDRINUSE`) when the port is taken.
 */
export async function listenOnLoopback(handler: RequestListener, port = 0): Promise<LoopbackServer> {
  const server = createServer(handler);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: boundPort } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${boundPort}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Runs a demo server as a process of its own: says where it listens, to the process that started it or on the
 * terminal, and closes in order at SIGTERM or SIGINT. Only for entry files.
 */
export async function runAsProcess(
  name: string,
  handler: RequestListener,
  { port, onClosed }: { port: number; onClosed?: () => void },
): Promise<void> {
  const server = await listenOnLoopback(handler, port);
  const message: ListeningMessage = { type: 'listening', url: server.url };
  if (process.send === undefined) console.log(`${name} listens on ${server.url}`);
  else process.send(message);

  let isClosing = false;
  const stop = async () => {
    if (isClosing) return;
    isClosing = true;
    await server.close();
    onClosed?.();
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
