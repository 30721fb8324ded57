/**
 * What it costs to bring an answer through: CPU per event and added delay of the relay beside others, side by side in one run, one
 * event per packet, median of interleaved rounds. Run: `npm run bench:relay`. Exits with 1 when a bound is missed.
 */
import { FrameReader } from '../../../relay/protocol/frame-reader.ts';
import { type Contender, directToHost, startNginx, startPacedHost, startProxy, startRelay } from './contenders.ts';
import { cpuMs } from './process-figures.ts';

const ROUNDS = 7;
const STREAMS = 60;
const EVENTS_PER_STREAM = 300;
const BOUNDS = { toHttpProxyMiddleware: 1.25, toFetchAndPipe: 0.8, addedDelayMs: 2 };

interface Round {
  readonly cpuUsPerEvent: number;
  readonly medianDelayMs: number;
}

/** Opens all streams, reads them to the end and counts: every event must have come. */
async function play(contender: Contender): Promise<Round> {
  const delays: number[] = [];
  const signal = AbortSignal.timeout(60_000);
  const visitors = await Promise.all(Array.from({ length: STREAMS }, () => contender.ready(signal)));
  const before = contender.pid ? cpuMs(contender.pid) : 0;
  await Promise.all(visitors.map((openTurn) => readTurn(contender.name, openTurn, delays)));
  const usedMs = contender.pid ? cpuMs(contender.pid) - before : 0;
  const expected = STREAMS * EVENTS_PER_STREAM;
  if (delays.length !== expected) throw new Error(`${contender.name}: ${delays.length} of ${expected} events came`);
  return { cpuUsPerEvent: (usedMs * 1000) / expected, medianDelayMs: median(delays) };
}

type OpenTurn = Awaited<ReturnType<Contender['ready']>>;

async function readTurn(name: string, openTurn: OpenTurn, delays: number[]): Promise<void> {
  const response = await openTurn(EVENTS_PER_STREAM);
  if (!response.ok || !response.body) throw new Error(`${name}: ${response.status} ${await response.text()}`);
  const reader = new FrameReader({ maxLineBytes: 1e6, maxEventBytes: 1e6 });
  for await (const piece of response.body) {
    const nowNs = process.hrtime.bigint();
    for (const frame of reader.push(piece)) {
      if (frame.type !== 'chunk') continue;
      const { chunk } = JSON.parse(frame.data) as { chunk: string };
      delays.push(Number(nowNs - BigInt(chunk.slice(0, chunk.indexOf(' ')))) / 1e6);
    }
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

const host = await startPacedHost();
const contenders = [
  directToHost(host.url),
  await startNginx(host.url),
  await startRelay(host.url),
  await startProxy('http-proxy-middleware', './http-proxy-middleware.ts', host.url),
  await startProxy('Express, fetch and pipe', './express-fetch-and-pipe.ts', host.url),
];
const rounds = new Map<string, Round[]>(contenders.map((contender) => [contender.name, []]));
try {
  for (const contender of contenders) await play(contender); // warm-up, not counted
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const contender of contenders) rounds.get(contender.name)?.push(await play(contender));
  }
} finally {
  await Promise.all([...contenders, host].map((each) => each.stop()));
}

const figures = new Map(
  [...rounds].map(([name, played]) => [
    name,
    {
      cpuUs: median(played.map((round) => round.cpuUsPerEvent)),
      delayMs: median(played.map((round) => round.medianDelayMs)),
    },
  ]),
);
const figure = (name: string) => figures.get(name) ?? { cpuUs: Number.NaN, delayMs: Number.NaN };
const direct = figure('direct');
const nginx = figure('nginx');
const relay = figure('Parley relay');
console.log(
  `${STREAMS} streams of ${EVENTS_PER_STREAM} events, one event per packet, median of ${ROUNDS} interleaved rounds\n`,
);
console.log('                           CPU per event   × nginx   median delay   added');
for (const [name, { cpuUs, delayMs }] of figures) {
  console.log(
    `${name.padEnd(26)} ${`${cpuUs.toFixed(1)} µs`.padStart(13)} ${(cpuUs / nginx.cpuUs).toFixed(2).padStart(9)} ${`${delayMs.toFixed(2)} ms`.padStart(14)} ${`${(delayMs - direct.delayMs).toFixed(2)} ms`.padStart(16)}`,
  );
}
const results: readonly [string, number, number][] = [
  ['CPU, × http-proxy-middleware', relay.cpuUs / figure('http-proxy-middleware').cpuUs, BOUNDS.toHttpProxyMiddleware],
  ['CPU, × Express, fetch and pipe', relay.cpuUs / figure('Express, fetch and pipe').cpuUs, BOUNDS.toFetchAndPipe],
  ['median delay added by the relay, ms', relay.delayMs - direct.delayMs, BOUNDS.addedDelayMs],
];
console.log();
for (const [what, value, bound] of results) {
  const isMet = value <= bound;
  console.log(`${isMet ? 'met   ' : 'MISSED'} ${what}: ${value.toFixed(2)} (bound ${bound})`);
  if (!isMet) process.exitCode = 1;
}
