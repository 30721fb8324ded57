/** Holds the imports of every source file against the rooms of the project: down go calls, and nothing knows what stands above it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { ROOT, sourceFiles } from './support/source-files.ts';

interface Room {
  /** Files, or folders with all that is in them. The longest that fits a file decides which room it is in. */
  readonly holds: readonly string[];
  /** The rooms that it may import from, besides itself. */
  readonly rooms: readonly string[];
  /** The packages that it may import; `node:` stands for all of Node's own modules. Absent: any. */
  readonly packages?: readonly string[];
}

const BELOW_THE_RELAY = [
  'protocol',
  'store',
  'sealing',
  'agent-host',
  'relay basics',
  'sessions',
  'turns',
  'tool-gateway',
  'verification',
];

const ROOMS: Readonly<Record<string, Room>> = {
  protocol: { holds: ['relay/protocol/'], rooms: [], packages: [] },
  store: { holds: ['relay/store/'], rooms: [], packages: ['node:', 'redis'] },
  // What HTTP says about trying again, which an agent host and an owner's API say alike.
  'retry-after': { holds: ['relay/agent-host/retry-after.ts'], rooms: [], packages: [] },
  'agent-host': { holds: ['relay/agent-host/'], rooms: ['protocol', 'retry-after'], packages: ['node:'] },
  sealing: { holds: ['relay/sealing/'], rooms: ['store'], packages: ['node:'] },
  'tool-policy': { holds: ['relay/tool-policy/'], rooms: ['protocol', 'store'] },
  'relay basics': {
    holds: ['relay/errors.ts', 'relay/log.ts', 'relay/origin.ts', 'relay/pulse.ts'],
    rooms: ['protocol', 'store', 'agent-host'],
    packages: ['node:', 'pino'],
  },
  sessions: {
    holds: ['relay/sessions/'],
    rooms: ['protocol', 'store', 'sealing', 'agent-host', 'relay basics'],
    packages: ['node:', 'zod'],
  },
  turns: {
    holds: ['relay/turns/'],
    rooms: ['protocol', 'store', 'agent-host', 'relay basics', 'sessions'],
    packages: ['node:', 'zod'],
  },
  'tool-gateway': {
    holds: ['relay/tool-gateway/'],
    rooms: ['protocol', 'store', 'retry-after', 'relay basics', 'tool-policy'],
  },
  // What the rules of transactions need from outside: state in the store, delivery of codes, the owner's look-up.
  verification: {
    holds: ['relay/verification/'],
    rooms: ['protocol', 'store', 'sealing', 'relay basics', 'sessions', 'turns', 'tool-policy', 'tool-gateway'],
  },
  http: {
    holds: ['relay/http/'],
    rooms: BELOW_THE_RELAY,
  },
  relay: { holds: ['relay/'], rooms: [...BELOW_THE_RELAY, 'http', 'tool-policy', 'public parts of the relay'] },
  markdown: { holds: ['widget/markdown/'], rooms: [], packages: ['lit'] },
  conversation: {
    holds: [
      'widget/conversation.ts',
      'widget/conversation-actions.ts',
      'widget/problem.ts',
      'widget/reduce.ts',
      'widget/tool-calls.ts',
    ],
    rooms: ['protocol'],
    packages: [],
  },
  'widget surface': {
    holds: ['widget/labels/', 'widget/labels.ts', 'widget/parley-chat-events.ts', 'widget/styles/'],
    rooms: ['protocol', 'conversation'],
    packages: ['lit'],
  },
  views: {
    holds: ['widget/views/'],
    rooms: ['protocol', 'conversation', 'markdown', 'widget surface'],
    packages: ['lit'],
  },
  widget: {
    holds: ['widget/'],
    rooms: ['protocol', 'conversation', 'markdown', 'widget surface', 'views'],
    packages: ['lit'],
  },
  'public parts of the relay': {
    holds: ['relay/app.ts', 'relay/config.ts', 'relay/tool-gateway/idempotency-key.ts'],
    rooms: [...BELOW_THE_RELAY, 'http', 'tool-policy'],
  },
  demo: { holds: ['demo/'], rooms: ['protocol', 'public parts of the relay', 'widget'] },
  scripts: { holds: ['scripts/'], rooms: ['demo', 'public parts of the relay'] },
  test: { holds: ['test/'], rooms: [] },
};

/** From this room everything may be imported, and it from none. */
const FREE_ROOM = 'test';

const IMPORT =
  /^\s*(?:import|export)\s[^'";]*?\bfrom\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;
const SOURCE_FOLDERS = ['relay', 'widget', 'demo', 'scripts', 'test'];

test('no source file imports from a room that stands above its own', () => {
  const files = SOURCE_FOLDERS.flatMap(sourceFiles);
  assert.ok(files.length > 20, 'the source files are found');
  const wrong = files.flatMap((file) =>
    importsOf(readFileSync(join(ROOT, file), 'utf8'))
      .filter((specifier) => !isAllowed(file, specifier))
      .map((specifier) => `${file} (${roomOf(file)}) imports ${specifier}`),
  );
  assert.equal(wrong.join('\n'), '');
});

test('the rooms have no circle', () => {
  const circles = Object.keys(ROOMS).filter((name) => reachable(name).has(name));
  assert.deepEqual(circles, []);
});

test('every room holds files that exist', () => {
  const files = SOURCE_FOLDERS.flatMap(sourceFiles);
  const empty = Object.values(ROOMS).flatMap(({ holds }) =>
    holds.filter((path) => !files.some((file) => fits(file, path))),
  );
  assert.deepEqual(empty, []);
});

test('an arrow that runs the wrong way is seen, however it is written', () => {
  const refused: readonly (readonly [file: string, source: string])[] = [
    ['relay/protocol/events.ts', "import { readFileSync } from 'node:fs';"],
    ['relay/protocol/events.ts', "import { z } from 'zod';"],
    ['relay/protocol/events.ts', "import type { Store } from '../store/store.ts';"],
    ['relay/store/store.ts', "import { readConfig } from '../config.ts';"],
    ['relay/agent-host/agent-host.ts', "export * from '../turns/turns.ts';"],
    ['relay/turns/turns.ts', "import '../http/chat-route.ts';"],
    ['relay/turns/turns.ts', "const { app } = await import('../app.ts');"],
    ['relay/main.ts', "import {\n  ROOT,\n  sourceFiles,\n} from '../test/support/source-files.ts';"],
    ['relay/http/widget-files.ts', "import { ParleyChat } from '../../widget/parley-chat.ts';"],
    ['widget/parley-chat.ts', "import { readConfig } from '../relay/config.ts';"],
    ['widget/parley-chat.ts', "import { z } from 'zod';"],
    ['widget/parley-chat.ts', "import { createHash } from 'node:crypto';"],
    ['widget/views/composer.ts', "import { RelayClient } from '../relay-client.ts';"],
    ['widget/reduce.ts', "import { html } from 'lit';"],
    ['widget/markdown/markdown-view.ts', "import { LABELS } from '../labels.ts';"],
    ['demo/start/start.ts', "import { Turns } from '../../relay/turns/turns.ts';"],
  ];
  const unseen = refused.filter(([file, source]) => importsOf(source).every((specifier) => isAllowed(file, specifier)));
  assert.deepEqual(unseen, []);
});

test('an arrow that runs the right way is let through', () => {
  const allowed: readonly (readonly [file: string, source: string])[] = [
    ['relay/main.ts', "import { createRelay } from './app.ts';"],
    ['relay/http/chat-route.ts', "import type { Turns } from '../turns/turns.ts';"],
    ['widget/views/composer.ts', "import { html, LitElement } from 'lit';"],
    ['widget/relay-client.ts', "import { FrameReader } from '../relay/protocol/frame-reader.ts';"],
    ['test/relay/app.test.ts', "import { createRelay } from '../../relay/app.ts';"],
  ];
  for (const [file, source] of allowed) {
    assert.deepEqual(
      importsOf(source).map((specifier) => isAllowed(file, specifier)),
      [true],
      `${file}: ${source}`,
    );
  }
});

function importsOf(source: string): string[] {
  return [...source.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

function isAllowed(file: string, specifier: string): boolean {
  const name = roomOf(file);
  const room = ROOMS[name]!;
  if (name === FREE_ROOM) return true;
  if (!specifier.startsWith('.')) {
    return room.packages?.some((allowed) => specifier === allowed || specifier.startsWith(asPrefix(allowed))) ?? true;
  }
  const target = join(dirname(file), specifier);
  // What is not one of the project's sources, e.g. `package.json`, is no room.
  if (!target.endsWith('.ts')) return true;
  const targetRoom = roomOf(target);
  return targetRoom === name || room.rooms.includes(targetRoom);
}

/** `lit` allows `lit/directives/ref.js`; `node:` allows `node:fs`. */
function asPrefix(name: string): string {
  return name.endsWith(':') ? name : `${name}/`;
}

function roomOf(file: string): string {
  const places = Object.entries(ROOMS).flatMap(([name, { holds }]) => holds.map((path) => ({ name, path })));
  const place = places.filter(({ path }) => fits(file, path)).sort((a, b) => b.path.length - a.path.length)[0];
  if (!place) throw new Error(`${file} is in no room`);
  return place.name;
}

function fits(file: string, path: string): boolean {
  return path.endsWith('/') ? file.startsWith(path) : file === path;
}

function reachable(start: string): Set<string> {
  const seen = new Set<string>();
  const waiting = [...ROOMS[start]!.rooms];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (!seen.has(name)) waiting.push(...ROOMS[name]!.rooms);
    seen.add(name);
  }
  return seen;
}
