/** Holds every table of the papers against the code. With `WRITE_TABLES=1` those that are made from the code alone are written anew. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { createRelay } from '../relay/app.ts';
import { readConfig, SETTINGS, type Setting } from '../relay/config.ts';
import { createLog } from '../relay/log.ts';
import { ERROR_CODES } from '../relay/protocol/error-codes.ts';
import { Sealer } from '../relay/sealing/sealer.ts';
import { MemoryStore } from '../relay/store/memory-store.ts';
import { markdownParts } from '../widget/markdown/markdown-parts.ts';
import { ParleyChat } from '../widget/parley-chat.ts';
import { MarkdownPage, markdownTable } from './support/markdown-page.ts';
import { ROOT, sourceFiles } from './support/source-files.ts';

const README = new MarkdownPage('README.md');
const WIDGET = new MarkdownPage('docs/widget.md');

test('the README lists every setting with what it is for, what it must be and its default', () => {
  const rows = Object.entries<Setting<unknown>>(SETTINGS).map(([name, setting]) => [
    `\`${name}\`${setting.isSecret ? `, \`${name}_FILE\`` : ''}`,
    setting.description,
    setting.expects,
    setting.isRequired ? 'required' : setting.default === undefined ? '' : `\`${setting.default}\``,
  ]);
  assertTable(README, 'Settings', markdownTable(['Setting', 'What it is for', 'Must be', 'Default'], rows));
});

test('the README lists every error code with its status, whether trying again can help, and its sentence', () => {
  const rows = Object.entries(ERROR_CODES).map(([code, { status, isRetryable, title }]) => [
    `\`${code}\``,
    String(status),
    isRetryable ? 'yes' : 'no',
    title,
  ]);
  assertTable(README, 'Errors', markdownTable(['Code', 'Status', 'Try again?', 'Sentence'], rows));
});

test('the README lists the limits that the code sets', () => {
  const defaultOf = (name: keyof typeof SETTINGS) => Number((SETTINGS[name] as Setting<unknown>).default);
  const rows: readonly (readonly [what: string, limit: string, setting: string])[] = [
    ['A conversation', `${numberIn('relay/sessions/session-record.ts', 'SESSION_LIFETIME_MS') / 60_000} minutes`, ''],
    ['A message', `${inWords(defaultOf('MAX_MESSAGE_BYTES'))} bytes of UTF-8`, '`MAX_MESSAGE_BYTES`'],
    [
      'A message typed into the widget',
      `${inWords(numberIn('widget/parley-chat.ts', 'MAX_MESSAGE_LENGTH'))} characters`,
      '',
    ],
    ['A `userId`', `${numberIn('relay/http/bodies.ts', 'MAX_USER_ID_CHARACTERS')} characters`, ''],
    ['Conversations that an address starts', `${defaultOf('RATE_LIMIT_SESSIONS')} a minute`, '`RATE_LIMIT_SESSIONS`'],
    ['Messages of a conversation', `${defaultOf('RATE_LIMIT_MESSAGES')} a minute`, '`RATE_LIMIT_MESSAGES`'],
    ['Requests of an address', `${defaultOf('RATE_LIMIT_REQUESTS')} a minute`, '`RATE_LIMIT_REQUESTS`'],
    ['Wrong ids and tokens of an address', `${defaultOf('RATE_LIMIT_FAILURES')} a minute`, '`RATE_LIMIT_FAILURES`'],
    ['Silence of the agent host', `${defaultOf('UPSTREAM_IDLE_MS') / 1_000} s`, '`UPSTREAM_IDLE_MS`'],
    ['A turn', `${defaultOf('TURN_LIMIT_MS') / 60_000} minutes`, '`TURN_LIMIT_MS`'],
    [
      'A line or an event of the agent host',
      `${numberIn('relay/agent-host/http-agent-host.ts', 'maxLineBytes')} MiB`,
      '',
    ],
    ['All of a turn', `${numberIn('relay/agent-host/http-agent-host.ts', 'maxTurnBytes')} MiB`, ''],
    ['Events that are kept of a conversation', inWords(numberIn('relay/turns/turn-log.ts', 'MAX_KEPT_EVENTS')), ''],
    ['Headers of a request', `${numberIn('relay/http/http-server.ts', 'MAX_HEADER_BYTES') / 1_024} KiB`, ''],
    ['Connections of a relay', inWords(numberIn('relay/http/http-server.ts', 'MAX_CONNECTIONS')), ''],
  ];
  assertTable(README, 'Limits', markdownTable(['What', 'At most', 'Setting'], rows));
});

test('the README lists every route of the relay, and no other', () => {
  const config = readConfig(
    { MCP_HOST_BASE_URL: 'http://127.0.0.1:9', APPLICATION_ID: 'app', TUIX_AI_AGENTS_API_KEY: 'key' },
    () => '',
  );
  const unused = () => assert.fail('nothing is called');
  const relay = createRelay({
    config,
    store: new MemoryStore(),
    sealer: new Sealer(['thirty-two bytes that seal nothing']),
    agentHost: { startSession: unused, streamTurn: unused, endSession: unused, check: unused },
    log: createLog('silent'),
    assets: { directory: join(ROOT, 'test/cases'), version: '0.0.0' },
  });
  assert.deepEqual(README.firstColumn('Routes').sort(), routesOf(relay.app.router).sort());
});

test('the page of the widget lists every attribute and property', () => {
  assert.deepEqual(WIDGET.firstColumn('Attributes'), ParleyChat.observedAttributes);
  const properties = [...ParleyChat.elementProperties].filter(([, { attribute }]) => attribute === false);
  assert.deepEqual(
    WIDGET.firstColumn('Properties'),
    properties.map(([name]) => name),
  );
});

test('the page of the widget lists every method that a page may call', () => {
  const source = readFileSync(join(ROOT, 'widget/parley-chat.ts'), 'utf8');
  const lifecycle = /^(constructor|connectedCallback|disconnectedCallback|attributeChangedCallback)$/;
  const methods = Array.from(source.matchAll(/^ {2}(?:override )?(\w+)\((.*?)\)(?:: \w+)? \{$/gm), ([, name]) => name!);
  assert.deepEqual(
    WIDGET.firstColumn('Methods')
      .map((call) => call.replace(/\(.*$/, ''))
      .sort(),
    methods.filter((name) => !lifecycle.test(name)).sort(),
  );
});

test('the page of the widget lists every event with what it carries', () => {
  const source = readFileSync(join(ROOT, 'widget/parley-chat-events.ts'), 'utf8');
  const classes = source.split(/^export class /m).slice(1);
  const rows = classes.map((text) => {
    const type = /super\('([^']+)'/.exec(text)?.[1];
    const fields = Array.from(text.matchAll(/declare readonly (\w+):/g), ([, field]) => `\`${field}\``);
    return `\`${type}\` | ${fields.join(', ')}`;
  });
  const documented = WIDGET.table('Events').split('\n').slice(2);
  assert.deepEqual(
    documented.map((row) => row.split(' | ').slice(0, 2).join(' | ').replace(/^\| /, '')),
    rows,
  );
});

test('the page of the widget lists every slot, part and custom property', () => {
  const source = sourceFiles('widget')
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n');
  const all = (pattern: RegExp) => Array.from(source.matchAll(pattern), ([, name]) => name!);
  // `transcript-view` gives each row of the transcript the type of its entry.
  const rows = ['greeting', 'question', 'answer', 'notice'];
  const written = [
    ...all(/\bpart="([^"$]+)"/g),
    ...all(/\bpart\.add\('([^']+)'\)/g),
    ...all(/\b(?:part: |AnswerText\()'([^']+)'/g),
  ];
  const parts = [...rows, ...written, ...markdownParts];
  assert.deepEqual(WIDGET.firstColumn('Slots').sort(), unique(all(/<slot name="([^"]+)"/g)));
  assert.deepEqual(WIDGET.firstColumn('Parts').sort(), unique(parts));
  assert.deepEqual(WIDGET.firstColumn('Custom properties').sort(), unique(all(/var\(\s*(--parley-[a-z-]+)/g)));
});

test('every decision has a title, a status, a context, a decision and its consequences', () => {
  const files = readdirMarkdown('docs/decisions');
  assert.ok(files.length > 0);
  const shape =
    /^# .+\n\nStatus: (proposed|accepted|superseded by .+)\n\n## Context\n[\s\S]+\n## Decision\n[\s\S]+\n## Consequences\n[\s\S]+$/;
  assert.deepEqual(
    files.filter((file) => !shape.test(readFileSync(join(ROOT, file), 'utf8'))),
    [],
  );
});

test('every link between the papers leads to a file or a heading that is there', () => {
  const papers = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...readdirMarkdown('docs')];
  const broken = papers.flatMap((paper) =>
    linksOf(paper)
      .filter((link) => !isThere(paper, link))
      .map((link) => `${paper}: ${link}`),
  );
  assert.deepEqual(broken, []);
});

function assertTable(page: MarkdownPage, heading: string, expected: string): void {
  if (process.env.WRITE_TABLES) page.replaceTable(heading, expected);
  assert.equal(page.table(heading), expected, 'WRITE_TABLES=1 writes it anew');
}

/** The number that a file gives to a constant or, as a default, to an option. */
function numberIn(path: string, name: string): number {
  const source = readFileSync(join(ROOT, path), 'utf8');
  const [, digits] = new RegExp(`\\b${name} (?:=|\\?\\?) ([\\d_]+(?: \\* [\\d_]+)*)`).exec(source) ?? [];
  assert.ok(digits, `${path} says how much ${name} is`);
  return digits.split(' * ').reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1);
}

function inWords(count: number): string {
  return count.toLocaleString('en');
}

interface RouterLayer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  readonly handle?: { readonly stack?: readonly RouterLayer[] };
}

/** Express keeps its routes where nothing but the debugger is meant to look; there is no other list of them. */
function routesOf(router: { readonly stack?: unknown }): string[] {
  const layers = (router.stack ?? []) as readonly RouterLayer[];
  return layers.flatMap(({ route, handle }) => {
    if (!route) return handle?.stack ? routesOf(handle as { stack: unknown }) : [];
    const path = route.path.replace(/:(\w+)/g, '{$1}').replace('@0.0.0/*path', '@{version}/…');
    return Object.keys(route.methods).map((method) => `${method.toUpperCase()} ${path}`);
  });
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}

/** Paths of the pages in a folder and below. */
function readdirMarkdown(folder: string): string[] {
  return globSync(`${folder}/**/*.md`, { cwd: ROOT }).sort();
}

/** Where the links of a page lead, but those to other sites. */
function linksOf(paper: string): string[] {
  const text = readFileSync(join(ROOT, paper), 'utf8');
  return Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link]) => link!).filter((link) => !/^https?:/.test(link));
}

function isThere(paper: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? paper : join(dirname(paper), path);
  if (!existsSync(join(ROOT, target))) return false;
  if (anchor === undefined) return true;
  const headings = readFileSync(join(ROOT, target), 'utf8').matchAll(/^#+ (.+)$/gm);
  return Array.from(headings, ([, heading]) => slug(heading!)).includes(anchor);
}

/** As the usual viewers of such pages name a heading. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s/g, '-');
}
