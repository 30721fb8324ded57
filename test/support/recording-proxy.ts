import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export interface RecordingProxy {
  readonly url: string;
  /** Every byte that was sent to clients so far: status lines, headers and bodies, in one. */
  received(): Buffer;
}

/**
 * Stands in front of a server until the test ends and keeps a copy of everything that comes out of it. It passes bytes on as they come,
 * and asks for them uncompressed, so that the copy can be searched.
 */
export async function recordInFrontOf(t: Pick<TestContext, 'after'>, target: string): Promise<RecordingProxy> {
  const pieces: Buffer[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method, url = '/', headers } = incoming;
    const forwarded = request(new URL(url, target), {
      method,
      headers: { ...headers, host: new URL(target).host, 'accept-encoding': 'identity' },
    });
    forwarded.on('response', (response) => {
      pieces.push(Buffer.from(headText(response)));
      outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.pipe(outgoing);
      response.on('error', () => outgoing.destroy());
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => Buffer.concat(pieces),
  };
}

function headText({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  return `${statusCode} ${statusMessage}\n${rawHeaders.join('\n')}\n\n`;
}
