/**
 * What visitors cost who do not read or do not stay: the memory of one relay with five readers of 40 MB each who stop reading, and how
 * soon the host is let go by 40 visitors who leave. Run: `npm run bench:leaving`. Exits with 1 when a bound is missed.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { startRelay } from './relay-cost/contenders.ts';
import { residentBytes } from './relay-cost/process-figures.ts';

const STOPPED_READERS = 5;
const ANSWER_BYTES = 40_000_000;
const LEAVING_VISITORS = 40;
const BOUNDS = { memoryMb: 45, abortedWithinMs: 500 };
/** For the relay to fill all buffers there are. */
const SETTLE_MS = 4_000;
const LOOK_EVERY_MS = 250;
const WARM_UP_TURNS = 20;
const MB = 1_048_576;

const CHUNK = `type: chunk\ndata: ${JSON.stringify({ chunk: 'word '.repeat(200), timestamp: '2026-01-01T00:00:00Z' })}\n\n`;

/** When the connection of each answer was closed, in the order of the answers. */
const closings: Promise<number>[] = [];

const host = createServer(async (request, response) => {
  if (request.method === 'HEAD' || request.method === 'DELETE') {
    response.end();
    return;
  }
  if (request.url?.endsWith('/session')) {
    request.resume();
    response.writeHead(201, { 'content-type': 'application/json' });
    const session = { sessionId: `s-${Math.random()}`, userId: 'u', sessionSecret: `secret-${Math.random()}` };
    response.end(JSON.stringify({ ...session, createdAt: '', initialMessage: 'Hi' }));
    return;
  }
  await answer(await textOf(request), response);
});

/** `fill`: forty megabytes as fast as they are taken; anything else: a word every 20 ms for ever. */
async function answer(body: string, response: ServerResponse): Promise<void> {
  closings.push(once(response, 'close').then(() => performance.now()));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  const isFilling = JSON.parse(body).message === 'fill';
  for (let sent = 0; !response.destroyed && (!isFilling || sent < ANSWER_BYTES); sent += CHUNK.length) {
    if (!response.write(CHUNK)) await room(response);
    if (!isFilling) await delay(20);
  }
}

/** Resolves when the answer takes more, or nobody wants it any more. */
function room(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go);
      response.off('close', go);
      resolve();
    };
    response.on('drain', go);
    response.on('close', go);
  });
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request) text += piece;
  return text;
}

/** Asks over a connection of its own, reads until the first chunk is there and then no more. */
async function askAndStop(url: string, message: string): Promise<Socket> {
  const headers = { 'content-type': 'application/json' };
  const started = await fetch(`${url}/session`, { method: 'POST', headers, body: '{}' });
  const { sessionId, token } = (await started.json()) as { sessionId: string; token: string };
  const body = JSON.stringify({ sessionId, message });
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(
    `POST /chat HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nX-Session-Token: ${token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  let received = '';
  while (!received.includes('event: chunk')) {
    const [piece] = (await once(socket, 'data')) as [Buffer];
    received += piece.toString();
  }
  socket.pause();
  socket.on('error', () => {});
  return socket;
}

function askAll(count: number, message: string): Promise<Socket[]> {
  return Promise.all(Array.from({ length: count }, () => askAndStop(relay.url, message)));
}

host.listen(0, '127.0.0.1');
await once(host, 'listening');
// Without grace a turn ends with its last reader; otherwise it would go on without one.
const relay = await startRelay(`http://127.0.0.1:${(host.address() as AddressInfo).port}`, { TURN_GRACE_MS: '0' });
const { url, pid } = relay;
let memoryMb: number;
let abortedMs: readonly number[];
try {
  // So that what a relay needs for its first answers is not counted.
  for (let turn = 0; turn < WARM_UP_TURNS; turn += 1) (await askAndStop(url, 'words')).destroy();
  await delay(SETTLE_MS);
  const before = residentBytes(pid);
  const stopped = await askAll(STOPPED_READERS, 'fill');
  let highest = 0;
  for (let waitedMs = 0; waitedMs < SETTLE_MS; waitedMs += LOOK_EVERY_MS) {
    await delay(LOOK_EVERY_MS);
    highest = Math.max(highest, residentBytes(pid));
  }
  memoryMb = (highest - before) / MB;
  for (const socket of stopped) socket.destroy();

  const first = closings.length;
  const visitors = await askAll(LEAVING_VISITORS, 'words');
  const leftAtMs = performance.now();
  for (const socket of visitors) socket.destroy();
  const never = delay(BOUNDS.abortedWithinMs * 4).then(() => Number.POSITIVE_INFINITY);
  const closedAtMs = await Promise.all(closings.slice(first).map((closing) => Promise.race([closing, never])));
  abortedMs = closedAtMs.map((atMs) => atMs - leftAtMs);
} finally {
  await relay.stop();
  host.closeAllConnections();
  host.close();
}

const aborted = abortedMs.filter((ms) => ms <= BOUNDS.abortedWithinMs).length;
console.log(
  `${STOPPED_READERS} readers of ${ANSWER_BYTES / 1e6} MB who stop reading: ${memoryMb.toFixed(1)} MB at the most`,
);
console.log(
  `${LEAVING_VISITORS} visitors who leave: the host is let go ${aborted} times within ${BOUNDS.abortedWithinMs} ms, at the latest after ${Math.max(...abortedMs).toFixed(0)} ms`,
);
if (memoryMb > BOUNDS.memoryMb || aborted !== LEAVING_VISITORS) {
  console.log(`MISSED: the bounds are ${BOUNDS.memoryMb} MB and ${LEAVING_VISITORS} of ${LEAVING_VISITORS}`);
  process.exitCode = 1;
}
