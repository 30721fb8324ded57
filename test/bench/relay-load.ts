/**
 * How many streams one relay holds: 5,000 that are silent and 1,000 with ten events a second, its memory for each beside nginx's, and
 * what is left of 1,000 visitors who come and leave. Run: `npm run bench:load [silent streams] [busy streams]`. Exits with 1 when a bound
 * is missed. Needs `nginx` and some 15,000 file descriptors.
 */
import { readdirSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { type Contender, startNginx, startPacedHost, startRelay } from './relay-cost/contenders.ts';
import { cpuMs, residentBytes } from './relay-cost/process-figures.ts';

const SILENT_STREAMS = Number(process.argv[2] ?? 5_000);
const BUSY_STREAMS = Number(process.argv[3] ?? 1_000);
const EVENTS_PER_BUSY_STREAM = 100;
const BUSY_EVERY_MS = 100;
const COMINGS_AND_GOINGS = 1_000;
/** So many requests are begun at once. */
const LOT = 50;
const BOUNDS = { memoryMb: 600, timesNginx: 2, leftoverMb: 30 };
const MB = 1_048_576;

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY, keepAlive: true });

interface Answer {
  readonly response: IncomingMessage;
  leave(): void;
}

function send(url: string, body: unknown, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json', ...headers },
    });
    outgoing.on('response', (response) => resolve({ response, leave: () => outgoing.destroy() }));
    outgoing.on('error', reject);
    outgoing.end(JSON.stringify(body));
  });
}

async function json(response: IncomingMessage): Promise<Record<string, string>> {
  let text = '';
  for await (const piece of response.setEncoding('utf8')) text += piece;
  return JSON.parse(text);
}

async function openAtRelay({ url }: Contender, message: string): Promise<Answer> {
  const started = await send(`${url}/session`, {}, {});
  const { sessionId, token = '' } = await json(started.response);
  return send(`${url}/chat`, { sessionId, message }, { 'x-session-token': token });
}

function openAtNginx({ url }: Contender, message: string): Promise<Answer> {
  return send(`${url}/stream/app/chat`, { sessionId: 's', message }, {});
}

/** Opens streams in lots. Each must be answered with 200. */
async function openMany(count: number, open: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  while (answers.length < count) {
    const lot = await Promise.all(Array.from({ length: Math.min(LOT, count - answers.length) }, open));
    for (const answer of lot) {
      if (answer.response.statusCode !== 200) throw new Error(`a stream was answered ${answer.response.statusCode}`);
      answer.response.on('error', () => undefined);
      answers.push(answer);
    }
  }
  return answers;
}

const SILENT = '1 3600000';
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Memory once the garbage of the opening is gone: the least of some looks. */
async function settledBytes(pid: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < 10; look += 1) {
    await pause(500);
    least = Math.min(least, residentBytes(pid));
  }
  return least;
}

const openFiles = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

async function holdSilent(contender: Contender, open: () => Promise<Answer>) {
  const before = await settledBytes(contender.pid);
  let endedCount = 0;
  const answers = await openMany(SILENT_STREAMS, open);
  for (const { response } of answers) response.on('close', () => (endedCount += 1)).resume();
  const bytesEach = ((await settledBytes(contender.pid)) - before) / SILENT_STREAMS;
  return { answers, bytesEach, endedCount: () => endedCount };
}

/** The events of a stream that is read to its end. */
async function countEvents({ response }: Answer): Promise<number> {
  let count = 0;
  let isDone = false;
  let rest = '';
  for await (const piece of response.setEncoding('utf8')) {
    const frames = (rest + piece).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      if (frame.includes('type: chunk')) count += 1;
      if (frame.includes('type: done')) isDone = true;
    }
  }
  return isDone ? count : -1;
}

const host = await startPacedHost();
const nginx = await startNginx(host.url);
const relay = await startRelay(host.url, { UPSTREAM_IDLE_MS: '3600000' });
const missed: string[] = [];
const bound = (isMet: boolean, text: string) => {
  console.log(`${isMet ? 'met   ' : 'MISSED'}  ${text}`);
  if (!isMet) missed.push(text);
};
try {
  const atNginx = await holdSilent(nginx, () => openAtNginx(nginx, SILENT));
  for (const { leave } of atNginx.answers) leave();

  await openMany(50, () => openAtRelay(relay, '3')).then((warm) => Promise.all(warm.map(countEvents)));
  const baseFiles = openFiles(relay.pid);
  const silent = await holdSilent(relay, () => openAtRelay(relay, SILENT));
  console.log(`${SILENT_STREAMS} silent streams: ${(silent.bytesEach / 1024).toFixed(1)} KB each`);
  console.log(`nginx: ${(atNginx.bytesEach / 1024).toFixed(1)} KB each`);
  bound(
    silent.bytesEach <= BOUNDS.timesNginx * atNginx.bytesEach,
    `memory of a silent stream ≤ ${BOUNDS.timesNginx}× nginx’s`,
  );

  const cpuBefore = cpuMs(relay.pid);
  const beganAtMs = performance.now();
  const busy = await openMany(BUSY_STREAMS, () => openAtRelay(relay, `${EVENTS_PER_BUSY_STREAM} ${BUSY_EVERY_MS}`));
  const counts = await Promise.all(busy.map(countEvents));
  const tookMs = performance.now() - beganAtMs;
  const usedMs = cpuMs(relay.pid) - cpuBefore;
  const events = counts.reduce((sum, count) => sum + count, 0);
  console.log(
    `${BUSY_STREAMS} busy streams: ${events} events in ${(tookMs / 1000).toFixed(1)} s, ${((usedMs * 1000) / events).toFixed(1)} µs of CPU each, opening them included`,
  );
  bound(
    counts.every((count) => count === EVENTS_PER_BUSY_STREAM),
    'every busy stream had every event',
  );
  bound(silent.endedCount() === 0, 'no silent stream has ended');
  const memoryMb = residentBytes(relay.pid) / MB;
  bound(memoryMb < BOUNDS.memoryMb, `${memoryMb.toFixed(0)} MB < ${BOUNDS.memoryMb} MB`);

  for (const { leave } of silent.answers) leave();
  await comeAndLeave(COMINGS_AND_GOINGS / 10);
  const restedBytes = await settledBytes(relay.pid);
  await comeAndLeave(COMINGS_AND_GOINGS);
  const leftoverMb = ((await settledBytes(relay.pid)) - restedBytes) / MB;
  bound(leftoverMb < BOUNDS.leftoverMb, `${COMINGS_AND_GOINGS} who came and left: ${leftoverMb.toFixed(1)} MB more`);
  // The host's side of the silent turns, which run on without their readers.
  const leftFiles = openFiles(relay.pid) - baseFiles - SILENT_STREAMS;
  bound(leftFiles < LOT * 2, `${leftFiles} more open files, connections that are kept for the next request included`);
} finally {
  agent.destroy();
  await Promise.all([relay, nginx, host].map((each) => each.stop()));
}
process.exitCode = missed.length > 0 ? 1 : 0;

/** Each starts a conversation, sends a message, and leaves after the first event. */
async function comeAndLeave(times: number): Promise<void> {
  for (let done = 0; done < times; done += LOT) {
    await Promise.all(
      Array.from({ length: LOT }, async () => {
        const { response, leave } = await openAtRelay(relay, '5');
        response.on('error', () => undefined);
        await new Promise((resolve) => response.once('data', resolve));
        leave();
      }),
    );
  }
}
