import { once } from 'node:events';
import { createServer } from 'node:net';

const MAX_TRIES = 100;

export interface HeldPort {
  readonly port: number;
  /** Lets go of it, for the program that is to listen there. */
  release(): Promise<void>;
}

/**
 * Takes `preferred`, or the next port after it on which nothing listens at `host`, and keeps it, so that of two that start at
 * the same time each has its own. Rejects with the system's error after 100.
 */
export async function holdPort(host: string, preferred: number): Promise<HeldPort> {
  for (let port = preferred; ; port += 1) {
    const server = createServer();
    try {
      server.listen(port, host);
      await once(server, 'listening');
      server.unref();
      return {
        port,
        release: async () => {
          server.close();
          await once(server, 'close');
        },
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || port === preferred + MAX_TRIES) throw error;
    }
  }
}
