/**
 * An agent host for measuring: a message `<events>` or `<events> <ms between two>` is answered with so many, one at a time, so
 * that each event travels in a packet of its own. The chunk text begins with the monotonic time in nanoseconds at which it was
 * written, which the reader compares with its own clock (one machine, one clock). Printed line: its address.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const TICK_MS = 10;

const server = createServer((request, response) => {
  if (request.method !== 'POST') {
    response.end();
    return;
  }
  if (request.url?.endsWith('/session')) {
    request.resume();
    response.writeHead(201, { 'content-type': 'application/json' });
    const sessionId = `host-session-${Math.random()}`;
    response.end(
      JSON.stringify({
        sessionId,
        userId: 'u',
        sessionSecret: `secret-${Math.random()}`,
        createdAt: '',
        initialMessage: 'Hi',
      }),
    );
    return;
  }
  let body = '';
  request.on('data', (piece: Buffer) => {
    body += piece.toString();
  });
  request.on('end', () => {
    const [eventCount = 0, everyMs = TICK_MS] = JSON.parse(body).message.split(' ').map(Number);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' });
    response.flushHeaders();
    response.socket?.setNoDelay(true);
    let sent = 0;
    const timer = setInterval(() => {
      if (sent < eventCount) {
        sent += 1;
        const chunk = `${process.hrtime.bigint()} and twelve or so more words of an answer, as models write them`;
        response.write(`type: chunk\ndata: ${JSON.stringify({ chunk, timestamp: '2026-01-01T00:00:00Z' })}\n\n`);
        return;
      }
      clearInterval(timer);
      response.end(`type: done\ndata: {"timestamp":"2026-01-01T00:00:00Z"}\n\n`);
    }, everyMs);
    response.on('close', () => clearInterval(timer));
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
