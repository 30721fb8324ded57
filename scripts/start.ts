/**
 * `npm start`. With none of the agent host's three settings: the whole demo, on this machine alone. With all three: the relay
 * for that host, and a page for trying it. Ends with 78 where a setting is missing or wrong, with 1 where a process dies. A
 * signal stops everything in order, a second one at once.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildWidgetIfStale } from '../demo/start/build-widget.ts';
import { type HeldPort, holdPort } from '../demo/start/hold-port.ts';
import { ProcessGroup } from '../demo/start/process-group.ts';
import { whenNpmIsGone } from '../demo/start/when-npm-is-gone.ts';
import { ConfigError, type ProcessConfig, readConfig, SETTINGS } from '../relay/config.ts';

const EXIT_DIED = 1;
/** EX_CONFIG of sysexits.h. */
const EXIT_CONFIG = 78;
const READY_LIMIT_MS = 30_000;
const RELAY_PORT = 8787;
const INVITATION = `Try in the chat:  order 2 units of prod_2f81
                  find me a coach from Bern to Milan tomorrow
Bookings need a code. It appears here, in this terminal, and is typed into the chat's dialog.`;

type Environment = Readonly<Record<string, string | undefined>>;
type Row = readonly [what: string, where: string, note: string];

const leaving = new AbortController();
const impatient = new AbortController();
const ready = AbortSignal.any([leaving.signal, AbortSignal.timeout(READY_LIMIT_MS)]);
let dataFolder: string | undefined;
const processes = new ProcessGroup(({ reason, exitCode }) => {
  // With this code the relay has said itself which setting does not fit.
  if (exitCode !== EXIT_CONFIG) console.error(reason);
  void leave(exitCode === EXIT_CONFIG ? EXIT_CONFIG : EXIT_DIED);
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    if (leaving.signal.aborted) return impatient.abort();
    console.log('Stopping. An answer that is being written may still end; Ctrl-C again stops at once.');
    return void leave(0);
  });
}
whenNpmIsGone(() => void leave(0));

try {
  const isDemo = !namesAHost(process.env);
  const rows = isDemo ? await startDemo(process.env) : await startForHost(process.env);
  const invitation = isDemo ? `${INVITATION}\n` : '';
  console.log(`\nParley is ready after ${(performance.now() / 1000).toFixed(1)} s.\n\n${table(rows)}\n\n${invitation}`);
} catch (error) {
  // While leaving, what was being started fails as a matter of course.
  if (!leaving.signal.aborted) {
    console.error(error instanceof Error ? error.message : error);
    await leave(error instanceof ConfigError ? EXIT_CONFIG : EXIT_DIED);
  }
}

async function startDemo(environment: Environment): Promise<Row[]> {
  const apiKey = randomBytes(24).toString('base64url');
  const pageCredential = randomBytes(24).toString('base64url');
  const hostSettings = { APPLICATION_ID: 'demo', TUIX_AI_AGENTS_API_KEY: apiKey };
  // Checked before anything starts; the stand-in's address is not known yet.
  const config = checkConfig({ ...environment, ...hostSettings, MCP_HOST_BASE_URL: 'http://127.0.0.1' });
  const relay = await relayAddress(config);
  const widgetBuilt = buildWidgetIfStale(leaving.signal);
  widgetBuilt.catch(() => {});

  dataFolder = mkdtempSync(join(tmpdir(), 'parley-demo-'));
  const folder = dataFolder;
  const credentials = JSON.stringify({ [apiKey]: 'visitors of the chat', [pageCredential]: 'demo page' });
  const startApi = (what: 'shop' | 'coach' | 'car') =>
    startServer(`${what} API`, `demo/${what}-api/main.ts`, {
      [`${what.toUpperCase()}_DATABASE`]: join(folder, `${what}.sqlite`),
      [`${what.toUpperCase()}_CREDENTIALS`]: credentials,
    });
  const [shopUrl, coachUrl, carUrl, hostUrl] = await Promise.all([
    startApi('shop'),
    startApi('coach'),
    startApi('car'),
    startServer('stand-in host', 'demo/stand-in-host/main.ts', {
      STAND_IN_APPLICATION_ID: hostSettings.APPLICATION_ID,
      STAND_IN_API_KEY: apiKey,
      TOOLS_URL: `${relay.url}/mcp`,
    }),
  ]);
  const apiUrls = { SHOP_API_URL: shopUrl, COACH_API_URL: coachUrl, CAR_API_URL: carUrl };
  const pageUrl = await startServer('demo page', 'demo/page/main.ts', {
    ...apiUrls,
    PAGE_RELAY_URL: relay.url,
    API_CREDENTIAL: pageCredential,
  });
  await widgetBuilt;
  await startRelay(relay, {
    LOG_LEVEL: 'warn',
    ...environment,
    ...hostSettings,
    ...apiUrls,
    MCP_HOST_BASE_URL: hostUrl,
    PARLEY_CONFIG: fileURLToPath(new URL('../demo/parley.yaml', import.meta.url)),
    ...(servesThisMachine(config) ? {} : { ALLOWED_ORIGINS: [...(config.allowedOrigins ?? []), pageUrl].join(',') }),
  });
  return [
    ['page', `${pageUrl}/`, 'open this one'],
    ['relay', relay.url, 'serves /widget.js, and the tools at /mcp'],
    ['stand-in host', hostUrl, 'follows fixed rules, is no AI model'],
    ['shop API', shopUrl, `orders in ${join(folder, 'shop.sqlite')}`],
    ['coach API', coachUrl, `bookings in ${join(folder, 'coach.sqlite')}`],
    ['car API', carUrl, `bookings in ${join(folder, 'car.sqlite')}`],
  ];
}

async function startForHost(environment: Environment): Promise<Row[]> {
  const config = checkConfig(environment);
  const relay = await relayAddress(config);
  await buildWidgetIfStale(leaving.signal);
  await startRelay(relay, environment);
  const rows: Row[] = [
    ['relay', relay.url, 'serves /widget.js'],
    ['agent host', config.hostBaseUrl, `application ${config.applications.join(', ')}`],
  ];
  // Where the owner has said which pages may use the chat, a page of this machine is none of them.
  if (!servesThisMachine(config)) return rows;
  const settings = { PAGE_RELAY_URL: relay.url, PAGE_HOST_URL: config.hostBaseUrl };
  return [['page', `${await startServer('demo page', 'demo/page/main.ts', settings)}/`, 'open this one'], ...rows];
}

function namesAHost(environment: Environment): boolean {
  return ['MCP_HOST_BASE_URL', 'APPLICATION_ID', 'TUIX_AI_AGENTS_API_KEY', 'TUIX_AI_AGENTS_API_KEY_FILE'].some((name) =>
    Boolean(environment[name]),
  );
}

function checkConfig(environment: Environment): ProcessConfig {
  return readConfig(environment, (path) => readFileSync(path, 'utf8'));
}

/** The relay lets any page of this machine use the chat. */
function servesThisMachine({ allowedOrigins, host }: ProcessConfig): boolean {
  return allowedOrigins === undefined && isLoopback(host);
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|::1)$/.test(host);
}

interface RelayAddress {
  readonly port: number;
  readonly url: string;
  /** Undefined where the owner has named the port. */
  readonly held: HeldPort | undefined;
}

async function relayAddress({ host, port }: ProcessConfig): Promise<RelayAddress> {
  const held = port === undefined ? await holdPort(host, RELAY_PORT) : undefined;
  const bound = port ?? held?.port ?? RELAY_PORT;
  const name = isLoopback(host) ? host : '127.0.0.1';
  return { port: bound, url: `http://${name.includes(':') ? `[${name}]` : name}:${bound}`, held };
}

async function startRelay({ port, url, held }: RelayAddress, environment: Environment): Promise<void> {
  await held?.release();
  const relay = processes.start('relay', 'relay/main.ts', { ...environment, PORT: String(port) });
  await relay.answering(`${url}/healthz`, ready);
}

/** Starts a server of the demo; resolves to its origin. It gets what any process gets, and none of the relay's settings. */
async function startServer(name: string, script: string, settings: Environment): Promise<string> {
  const inherited = Object.entries(process.env).filter(([key]) => !Object.hasOwn(SETTINGS, key.replace(/_FILE$/, '')));
  return processes.start(name, script, { ...Object.fromEntries(inherited), ...settings }).listening(ready);
}

function table(rows: readonly Row[]): string {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column as 0 | 1].length)));
  return rows
    .map(([what, where, note]) => `  ${what.padEnd(widths[0]!)}  ${where.padEnd(widths[1]!)}  ${note}`)
    .join('\n');
}

async function leave(exitCode: number): Promise<void> {
  if (leaving.signal.aborted) return;
  leaving.abort();
  await processes.stop(impatient.signal);
  if (dataFolder !== undefined) rmSync(dataFolder, { recursive: true, force: true });
  process.exit(exitCode);
}
