/** What a tutorial writes: Express, `fetch`, and the body piped on. Argument: the host's address. Prints its own. */
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import express from 'express';

const hostUrl = process.argv[2] ?? '';
const app = express();
app.use(express.json());
app.post(/.*/, async (request, response) => {
  const upstream = await fetch(hostUrl + request.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'key', 'x-session-secret': 'secret' },
    body: JSON.stringify(request.body),
  });
  response.writeHead(upstream.status, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  Readable.fromWeb(upstream.body as ReadableStream).pipe(response);
});
const server = app.listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
