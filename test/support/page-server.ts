import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** Serves one HTML page at `/` on a free port of this machine until the test ends; resolves to its origin. */
export async function servePage(t: Pick<TestContext, 'after'>, html: string): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url?.split('?')[0] !== '/') {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
