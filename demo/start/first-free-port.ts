import { once } from 'node:events';
import { createServer } from 'node:net';

const MAX_TRIES = 100;

/** `preferred`, or the next port after it on which nothing listens at `host`. Rejects with the system's error after 100. */
export async function firstFreePort(host: string, preferred: number): Promise<number> {
  for (let port = preferred; ; port += 1) {
    const server = createServer();
    try {
      server.listen(port, host);
      await once(server, 'listening');
      server.close();
      await once(server, 'close');
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || port === preferred + MAX_TRIES) throw error;
    }
  }
}
