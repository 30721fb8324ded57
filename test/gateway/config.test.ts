// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of the file that is tested
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { GatewayConfigError } from '../../relay/tool-gateway/config/config-mistake.ts';
import { configKeys } from '../../relay/tool-gateway/config/config-reference.ts';
import { readGatewayConfig } from '../../relay/tool-gateway/config/read-config.ts';

const VARIABLES: Readonly<Record<string, string>> = { API_TOKEN: 'secret-CANARY', CALL_TOKEN: 'token-CANARY' };

function read(text: string, isLoopback = false) {
  return readGatewayConfig(text, { file: 'parley.yaml', variables: (name) => VARIABLES[name], isLoopback });
}

function mistakes(text: string, isLoopback = false): string[] {
  try {
    read(text, isLoopback);
  } catch (failure) {
    assert.ok(failure instanceof GatewayConfigError);
    return failure.message.split('\n');
  }
  return [];
}

const DOMAIN = (more: string) =>
  `mcp: {callers: session}\ndomains:\n  orders:\n    about: Orders.\n    openapi: a.yaml\n    credential: none\n${more}`;

test('one server alone needs four words, and everything else has its standard', () => {
  const { tools, mcp, domains } = read('mcp: {callers: session}\ntools: {url: https://tools.example/mcp}\n');
  assert.equal(tools?.url?.href, 'https://tools.example/mcp');
  assert.deepEqual(mcp, { callers: 'session', allowedHosts: [], allowedOrigins: [], maxBodyBytes: 1_000_000 });
  assert.equal(tools?.repeats, 'relay');
  assert.equal(domains, undefined);
});

test('secrets come from the environment, and the file may hold none', () => {
  const config = read(`mcp:
  callers: tokens
  tokens: ["\${CALL_TOKEN}"]
domains:
  orders:
    about: Orders.
    mcp: {command: node, args: [server.js], env: {LEVEL: debug, TOKEN: "\${API_TOKEN}"}}
    credential: none
  coaches:
    about: Coaches.
    openapi: a.yaml
    credential: {fixed: {value: "\${API_TOKEN}"}}
`);
  assert.deepEqual(config.mcp.tokens, ['token-CANARY']);
  assert.deepEqual(config.domains?.orders?.mcp?.env, { LEVEL: 'debug', TOKEN: 'secret-CANARY' });
  assert.deepEqual(config.domains?.coaches?.credential, { fixed: { value: 'secret-CANARY', header: 'authorization' } });

  const literal = mistakes('mcp: {callers: tokens, tokens: [literal-CANARY]}\ntools: {url: http://x}\n');
  assert.match(literal[0] ?? '', /^parley\.yaml:1:33 mcp\.tokens\.0: expected a reference to an environment variable/);
  assert.doesNotMatch(literal.join(), /literal-CANARY/);
  assert.deepEqual(mistakes('mcp: {callers: tokens, tokens: ["${MISSING}"]}\ntools: {url: http://x}\n'), [
    'parley.yaml:1:33 mcp.tokens.0: expected the environment variable MISSING, which is not set',
  ]);
  assert.match(
    mistakes('mcp: {callers: session}\ntools: {url: "http://${HOST}/"}\n')[0] ?? '',
    /tools\.url: .* expected an absolute http/,
  );
});

test('the address of an API may come from the environment, whole and checked like any other', () => {
  const from = (variable: string) => DOMAIN(`    baseUrl: \${${variable}}\n`);
  const readWith = (value: string) =>
    readGatewayConfig(from('API_URL'), { file: 'parley.yaml', variables: () => value, isLoopback: true });
  assert.equal(readWith('https://api.example/v1').domains?.orders?.baseUrl?.href, 'https://api.example/v1');
  assert.throws(() => readWith('file:///etc/passwd'), /domains\.orders\.baseUrl: .*expected an absolute http/);
  assert.match(
    mistakes(from('MISSING'))[0] ?? '',
    /baseUrl: expected the environment variable MISSING, which is not set/,
  );
});

for (const [what, text, expected] of [
  [
    'an unknown key',
    DOMAIN('    timeoutMS: 1000\n'),
    'parley.yaml:7:5 domains.orders.timeoutMS: received the unknown key "timeoutMS", expected "timeoutMs"',
  ],
  [
    'an unknown key that is like none',
    DOMAIN('    colour: red\n'),
    /^parley\.yaml:7:5 domains\.orders\.colour: received the unknown key "colour", expected one of about, not, openapi/,
  ],
  [
    'a value of another type',
    DOMAIN('    timeoutMs: soon\n'),
    'parley.yaml:7:16 domains.orders.timeoutMs: received "soon", expected a number',
  ],
  [
    'a value that is none of those possible',
    DOMAIN('    repeats: never\n'),
    'parley.yaml:7:14 domains.orders.repeats: received "never", expected one of relay, api',
  ],
  [
    'a number that is too small',
    DOMAIN('    timeoutMs: 5\n'),
    'parley.yaml:7:16 domains.orders.timeoutMs: received 5, expected at least 100',
  ],
  [
    'a key below another one',
    DOMAIN('    limits: {callsPerMinut: 3}\n'),
    'parley.yaml:7:14 domains.orders.limits.callsPerMinut: received the unknown key "callsPerMinut", expected "callsPerMinute"',
  ],
  [
    'a key of one of two forms',
    DOMAIN('').replace('credential: none', 'credential: {fixd: 1}'),
    'parley.yaml:6:18 domains.orders.credential.fixd: received the unknown key "fixd", expected "fixed"',
  ],
  [
    'a missing credential rule',
    DOMAIN('').replace('    credential: none\n', ''),
    'parley.yaml:3:3 domains.orders.credential: received nothing, expected forward, none, or a mapping with "forward" or "fixed"',
  ],
  [
    'a domain’s name',
    DOMAIN('').replace('orders:', 'Orders-1:'),
    /^parley\.yaml:3:3 domains\.Orders-1: received the name "Orders-1", expected a name of up to 31 lower-case letters/,
  ],
  [
    'two sources',
    DOMAIN('    mcp: {url: http://x}\n'),
    'parley.yaml:3:3 domains.orders: expected either "openapi" or "mcp"',
  ],
  [
    'no source',
    DOMAIN('').replace('    openapi: a.yaml\n', ''),
    'parley.yaml:3:3 domains.orders: expected either "openapi" or "mcp"',
  ],
  [
    'tokens without the rule',
    'mcp: {callers: session, tokens: ["${API_TOKEN}"]}\ntools: {url: http://x}\n',
    'parley.yaml:1:25 mcp.tokens: expected "callers: tokens" with it',
  ],
  ['nobody who may call', 'tools: {url: http://x}\n', 'parley.yaml:1:1 mcp: received nothing, expected a mapping'],
  [
    'everyone who may call',
    'mcp: {callers: open}\ntools: {url: http://x}\n',
    /mcp\.callers: expected tokens, session or api; "open" is only/,
  ],
  [
    'a fixed credential for anyone',
    'mcp: {callers: api}\ntools: {url: http://x, credential: {fixed: {value: "${API_TOKEN}"}}}\n',
    /tools\.credential: expected no fixed credential with "callers: api"/,
  ],
  [
    'a forwarded credential for a program',
    DOMAIN('').replace('openapi: a.yaml', 'mcp: {command: x}').replace('none', 'forward'),
    /orders\.credential: expected none: a program/,
  ],
  [
    'names of which one begins like the other',
    DOMAIN('  orders_old:\n    about: x\n    openapi: b.yaml\n    credential: none\n'),
    /domains\.orders_old: expected a name that does not begin with the other domain’s "orders_"/,
  ],
  ['text that is not YAML', 'mcp: [\n', /^parley\.yaml:2:1 the file: expected YAML/],
  ['a key twice', 'mcp: 1\nmcp: 2\n', 'parley.yaml:2:1 the file: expected YAML (Map keys must be unique)'],
  ['an empty file', '', 'parley.yaml:1:1 the file: received null, expected a mapping'],
] as const) {
  test(`${what} is told with its place, what came and what is right`, () => {
    const found = mistakes(text);
    assert.equal(found.length, 1, found.join('\n'));
    if (typeof expected === 'string') assert.equal(found[0], expected);
    else assert.match(found[0] ?? '', expected);
  });
}

test('all mistakes of a file are told at once', () => {
  assert.equal(mistakes(DOMAIN('    timeoutMs: soon\n    repeats: never\n    colour: red\n')).length, 3);
});

test('an alias that unfolds without end is refused in bounded time', () => {
  const levels = Array.from(
    { length: 30 },
    (_, index) => `l${index + 1}: &l${index + 1} [*l${index}, *l${index}, *l${index}]`,
  );
  assert.throws(() => read(`l0: &l0 x\n${levels.join('\n')}\nmcp: *l30\n`));
});

test('every key of the configuration says what it is for', () => {
  const keys = configKeys();
  assert.ok(keys.length > 50);
  assert.deepEqual(
    keys.filter(({ description }) => description === '').map(({ path }) => path),
    [],
  );
});

test('the page of parley.yaml lists every key with what it is for and its standard, and its examples are right', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/parley-yaml.md'), 'utf8');
  const rows = configKeys().map(
    (key) => `| \`${key.path}\` | ${key.description} | ${key.default === undefined ? '' : `\`${key.default}\``} |`,
  );
  assert.deepEqual(page.match(/^\| `.*\|$/gm), rows);
  const examples = Array.from(page.matchAll(/```yaml\n(.*?)```/gs), ([, example]) => example ?? '');
  assert.equal(examples.length, 2);
  for (const example of examples) {
    assert.ok(readGatewayConfig(example, { file: 'parley.yaml', variables: () => 'x', isLoopback: false }));
  }
});

test('origins that calls may go to are for an API description and nothing else', () => {
  const { domains } = read(DOMAIN('    allowedOrigins: ["https://API.example:443"]\n'));
  assert.deepEqual(domains?.orders?.allowedOrigins, ['https://api.example']);
  const server = 'mcp: {url: "https://x.example/mcp"}, credential: none, allowedOrigins: ["https://api.example"]';
  assert.match(
    mistakes(`mcp: {callers: session}\ndomains:\n  orders: {about: Orders., ${server}}\n`).join(),
    /domains\.orders\.allowedOrigins: expected it only with "openapi"/,
  );
});
