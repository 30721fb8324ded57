import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A line to a server of this machine that can be made slow or dumb without being closed. */
export interface SlowLine {
  readonly port: number;
  /** Holds back every piece for so long, in both directions; `Infinity`: for ever, as a packet filter does. */
  delayMs: number;
  close(): Promise<void>;
}

export async function startSlowLine(targetPort: number): Promise<SlowLine> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (piece) => {
        if (line.delayMs === 0) to.write(piece);
        else if (line.delayMs !== Number.POSITIVE_INFINITY) setTimeout(() => to.write(piece), line.delayMs).unref();
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const line: SlowLine = {
    port: (server.address() as AddressInfo).port,
    delayMs: 0,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return line;
}
