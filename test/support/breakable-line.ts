/** A line between a page and a relay that a test can cut: a TCP proxy on a free port. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

export class BreakableLine {
  /** While true, nobody gets through. */
  isDown = false;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async to(address: string): Promise<BreakableLine> {
    const { hostname, port } = new URL(address);
    const server = createServer((near) => {
      if (line.isDown) {
        near.destroy();
        return;
      }
      const far = connect(Number(port), hostname);
      for (const socket of [near, far]) {
        line.#sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          line.#sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
      }
      near.pipe(far);
      far.pipe(near);
    });
    const line = new BreakableLine(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return line;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resets every connection that is open now. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    this.isDown = true;
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
