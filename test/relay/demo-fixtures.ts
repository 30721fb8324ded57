import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { createCarApi } from '../../demo/car-api/car-api.ts';
import { CarDatabase } from '../../demo/car-api/car-database.ts';
import { createCoachApi } from '../../demo/coach-api/coach-api.ts';
import { CoachDatabase } from '../../demo/coach-api/coach-database.ts';
import { listenOnLoopback } from '../../demo/listen-on-loopback.ts';
import { createShopApi } from '../../demo/shop-api/shop-api.ts';
import { ShopDatabase } from '../../demo/shop-api/shop-database.ts';
import { createStandInHost } from '../../demo/stand-in-host/stand-in-host.ts';
import type { WidgetAssets } from '../../relay/http/asset-routes.ts';
import { createLog } from '../../relay/log.ts';
import { MemoryStore } from '../../relay/store/memory-store.ts';
import type { Store } from '../../relay/store/store.ts';
import { openTools } from '../../relay/tools.ts';
import { API_KEY, startRelay } from '../support/relay-under-test.ts';

export { API_KEY };
export const APPLICATION_ID = 'app-1';
export const VISITOR_CREDENTIAL = 'credential-of-a-visitor';

const CREDENTIALS = new Map([
  [API_KEY, 'account'],
  [VISITOR_CREDENTIAL, 'visitor'],
]);

export interface StoredOrder {
  readonly id: string;
  readonly owner: string;
  readonly quantity: number;
  readonly session_id: string | null;
  readonly idempotency_key: string | null;
}

export interface StoredBooking {
  readonly id: string;
  readonly owner: string;
  readonly total_cents: number;
  readonly session_id: string | null;
  readonly idempotency_key: string | null;
}

/** An API on a free port, its database in a file of its own; all gone after the test. `rows` reads the file itself, past the API. */
async function startApi(
  t: TestContext,
  make: (file: string) => { readonly api: RequestListener; readonly database: { close(): void } },
) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-demo-test-'));
  const file = join(folder, 'api.sqlite');
  const { api, database } = make(file);
  const server = await listenOnLoopback(api);
  t.after(async () => {
    await server.close();
    database.close();
    rmSync(folder, { recursive: true });
  });
  return {
    url: server.url,
    rows(query: string, ...values: string[]): Record<string, unknown>[] {
      const reader = new DatabaseSync(file, { readOnly: true });
      const rows = reader.prepare(query).all(...values);
      reader.close();
      return rows;
    },
  };
}

export async function startShop(t: TestContext) {
  const { url, rows } = await startApi(t, (file) => {
    const database = new ShopDatabase(file);
    return { api: createShopApi({ database, credentials: CREDENTIALS }), database };
  });
  return {
    url,
    orders: () => rows('select * from orders order by rowid') as unknown as StoredOrder[],
    stockOf: (productId: string) => rows('select stock from products where id = ?', productId)[0]?.stock,
  };
}

export async function startCoachLine(t: TestContext, now?: () => number) {
  const { url, rows } = await startApi(t, (file) => {
    const database = new CoachDatabase(file);
    return { api: createCoachApi({ database, credentials: CREDENTIALS, ...(now && { now }) }), database };
  });
  return { url, bookings: () => rows('select * from bookings order by rowid') as unknown as StoredBooking[] };
}

export async function startCarRental(t: TestContext, now?: () => number) {
  const { url, rows } = await startApi(t, (file) => {
    const database = new CarDatabase(file);
    return { api: createCarApi({ database, credentials: CREDENTIALS, ...(now && { now }) }), database };
  });
  return { url, bookings: () => rows('select * from bookings order by rowid') as unknown as StoredBooking[] };
}

interface Domain {
  openapi: string;
}

interface DemoConfig {
  mcp: { callers: string };
  domains: Record<string, Domain>;
  verification: { send: string; waitMs?: number };
}

/** The demo's `parley.yaml`, with a change, in a file of its own. */
function changedConfig(t: TestContext, change: (config: DemoConfig) => void): string {
  const demo = new URL('../../demo/', import.meta.url);
  const config = parse(readFileSync(new URL('parley.yaml', demo), 'utf8')) as DemoConfig;
  for (const domain of Object.values(config.domains)) domain.openapi = fileURLToPath(new URL(domain.openapi, demo));
  change(config);
  const folder = mkdtempSync(join(tmpdir(), 'parley-demo-config-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'parley.yaml');
  writeFileSync(file, stringify(config));
  return file;
}

async function startToolRelay(
  t: TestContext,
  parts: { file: string; environment: Record<string, string>; hostUrl: string; assets?: WidgetAssets },
) {
  const { file, environment, hostUrl, assets } = parts;
  const store: Store = new MemoryStore();
  const lines: string[] = [];
  const tools = await openTools({
    ...{ file, environment, listensOn: '127.0.0.1', accountKey: API_KEY, store },
    secrets: ['a secret of the tests, 32 bytes or more'],
    log: createLog('info', { write: (line) => void lines.push(line) }),
  });
  const relay = await startRelay({
    ...{ store, hostUrl, tools, verifications: tools.verifications },
    ...(assets && { assets }),
    toolCalls: 'full',
  });
  t.after(async () => {
    await relay[Symbol.asyncDispose]();
    await store.close();
  });
  return { relay, toolLog: () => lines.join('') };
}

/** One `tools/call` as it came from the agent. */
export interface RecordedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Stands before a relay's `/mcp` and writes down each `tools/call` that goes through. */
async function startRecorder(t: TestContext, target: () => string) {
  const calls: RecordedCall[] = [];
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    const message = body === '' ? undefined : JSON.parse(body);
    if (message?.method === 'tools/call') calls.push(message.params);
    const left = new AbortController();
    response.on('close', () => left.abort());
    const { method = '', headers } = request;
    const passedOn = Object.entries(headers).filter(
      ([name]) => !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name),
    );
    try {
      const answer = await fetch(target(), {
        method,
        headers: Object.fromEntries(passedOn) as Record<string, string>,
        ...(body && { body }),
        signal: left.signal,
      });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
      for await (const part of answer.body ?? []) response.write(part);
      response.end();
    } catch (failure) {
      if (!left.signal.aborted) throw failure;
    }
  };
  const server = await listenOnLoopback((request, response) => void pass(request, response));
  t.after(() => server.close());
  return { url: server.url, calls };
}

interface StandInOptions {
  readonly chunkMs?: number;
  readonly now?: () => number;
}

/** A stand-in host without pauses, whose tools are at `toolsUrl`. */
export async function startHost(t: TestContext, toolsUrl: string, options: StandInOptions = {}) {
  const { chunkMs = 0, now = Date.now } = options;
  const logged: string[] = [];
  const lines = new EventEmitter();
  const server = await listenOnLoopback(
    createStandInHost({
      applicationId: APPLICATION_ID,
      apiKey: API_KEY,
      visitorCredentials: [VISITOR_CREDENTIAL],
      toolsUrl,
      pace: { chunkMs, thinkingMs: 0 },
      log: (line) => {
        logged.push(line);
        lines.emit('line');
      },
      now,
    }),
  );
  t.after(() => server.close());
  return {
    url: server.url,
    applicationUrl: `${server.url}/stream/${APPLICATION_ID}`,
    logged,
    async waitForLog(part: string): Promise<void> {
      while (!logged.some((line) => line.includes(part))) await once(lines, 'line', { signal: t.signal });
    },
  };
}

/**
 * A stand-in host in front of a shop, to be spoken to directly: its tools are those of the shop alone, at a gateway that knows no
 * conversations and leaves it to the shop whose credential is good.
 */
export async function startStandIn(t: TestContext, shopApiUrl: string, options: StandInOptions = {}) {
  const file = changedConfig(t, (config) => {
    config.mcp.callers = 'api';
    config.domains = { orders: config.domains.orders! };
  });
  const environment = { SHOP_API_URL: shopApiUrl };
  const { relay } = await startToolRelay(t, { file, environment, hostUrl: 'http://127.0.0.1:9' });
  const recorder = await startRecorder(t, () => `${relay.url}/mcp`);
  return { ...(await startHost(t, recorder.url, options)), calls: recorder.calls };
}

/** The whole demo but its page: three APIs, the relay with the demo's own `parley.yaml`, and the stand-in host behind it. */
export async function startWholeDemo(
  t: TestContext,
  { waitMs, assets }: { readonly waitMs?: number; readonly assets?: WidgetAssets } = {},
) {
  const [shop, coach, car] = await Promise.all([startShop(t), startCoachLine(t), startCarRental(t)]);
  const file = changedConfig(t, (config) => {
    if (waitMs !== undefined) config.verification.waitMs = waitMs;
  });
  // Each of the two needs the other's address.
  let relayUrl = '';
  const recorder = await startRecorder(t, () => `${relayUrl}/mcp`);
  const host = await startHost(t, recorder.url);
  const environment = { SHOP_API_URL: shop.url, COACH_API_URL: coach.url, CAR_API_URL: car.url };
  const { relay, toolLog } = await startToolRelay(t, {
    file,
    environment,
    hostUrl: host.url,
    ...(assets && { assets }),
  });
  relayUrl = relay.url;
  return { shop, coach, car, host, relay, toolLog, calls: recorder.calls };
}
