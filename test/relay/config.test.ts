import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readConfig, SETTINGS } from '../../relay/config.ts';
import { normaliseOrigin } from '../../relay/origin.ts';

const REQUIRED = {
  MCP_HOST_BASE_URL: 'https://mcp-host.tuix.ch/',
  APPLICATION_ID: 'app-1, app-2',
  TUIX_AI_AGENTS_API_KEY: 'key',
};
const noFiles = (path: string): string => {
  throw new Error(`no file ${path}`);
};

test('the three settings are enough, and everything else has a value', () => {
  assert.deepEqual(readConfig(REQUIRED, noFiles), {
    hostBaseUrl: 'https://mcp-host.tuix.ch',
    applications: ['app-1', 'app-2'],
    apiKey: 'key',
    host: '127.0.0.1',
    port: undefined,
    allowedOrigins: undefined,
    store: 'sqlite:.parley/store.sqlite',
    secret: undefined,
    configFile: undefined,
    trustedProxies: false,
    toolCalls: 'names',
    turnGraceMs: Number.POSITIVE_INFINITY,
    turnLimitMs: 600_000,
    upstreamIdleMs: 60_000,
    maxMessageBytes: 16_384,
    limitsPerMinute: { sessions: 30, messages: 20, requests: 600, failures: 60 },
    logLevel: 'info',
  });
});

const FITTING: [name: string, text: string, key: string, value: unknown][] = [
  ['MCP_HOST_BASE_URL', 'http://host.internal:8080/base/', 'hostBaseUrl', 'http://host.internal:8080/base'],
  [
    'ALLOWED_ORIGINS',
    'https://SHOP.example , http://a.example:80',
    'allowedOrigins',
    ['https://shop.example', 'http://a.example'],
  ],
  ['TRUST_PROXY', '2', 'trustedProxies', 2],
  ['TRUST_PROXY', 'loopback, 10.0.0.0/8, 2001:db8::1', 'trustedProxies', ['loopback', '10.0.0.0/8', '2001:db8::1']],
  ['TURN_GRACE_MS', 'unlimited', 'turnGraceMs', Number.POSITIVE_INFINITY],
  ['TURN_GRACE_MS', '2500', 'turnGraceMs', 2_500],
  ['PORT', '0', 'port', 0],
];
for (const [name, text, key, value] of FITTING) {
  test(`${name}=${text} is understood`, () => {
    const config = readConfig({ ...REQUIRED, [name]: text }, noFiles);
    assert.deepEqual(config[key as keyof typeof config], value);
  });
}

const UNFITTING: [name: string, text: string][] = [
  ['MCP_HOST_BASE_URL', 'mcp-host.tuix.ch'],
  ['MCP_HOST_BASE_URL', 'ftp://mcp-host.tuix.ch'],
  ['MCP_HOST_BASE_URL', 'https://user:password@mcp-host.tuix.ch'],
  ['MCP_HOST_BASE_URL', 'https://mcp-host.tuix.ch/?key=1'],
  ['APPLICATION_ID', '../admin'],
  ['APPLICATION_ID', 'a,,b'],
  ['APPLICATION_ID', '..'],
  ['TUIX_AI_AGENTS_API_KEY', 'a b'],
  ['TUIX_AI_AGENTS_API_KEY', 'a\r\nX: y'],
  ['PORT', '65536'],
  ['PORT', '80a'],
  ['ALLOWED_ORIGINS', '*'],
  ['ALLOWED_ORIGINS', 'null'],
  ['ALLOWED_ORIGINS', 'shop.example'],
  ['ALLOWED_ORIGINS', 'https://*.shop.example'],
  ['TRUST_PROXY', 'yes'],
  ['TRUST_PROXY', '10.0.0.0/99'],
  ['TOOL_CALLS', 'all'],
  ['TURN_GRACE_MS', '-1'],
  ['UPSTREAM_IDLE_MS', '0'],
  ['TURN_LIMIT_MS', '1e6'],
  ['MAX_MESSAGE_BYTES', '0'],
  ['RATE_LIMIT_SESSIONS', 'none'],
  ['PARLEY_SECRET', 'short'],
  ['LOG_LEVEL', 'verbose'],
];
for (const [name, text] of UNFITTING) {
  test(`${name}=${JSON.stringify(text)} is refused in a sentence that names it and not its value`, () => {
    assert.throws(
      () => readConfig({ ...REQUIRED, [name]: text }, noFiles),
      (error: unknown) => {
        assert.ok(error instanceof ConfigError);
        assert.ok(error.message.startsWith(`${name} does not fit. It must be `), error.message);
        assert.doesNotMatch(error.message, /[\r\n]/);
        return true;
      },
    );
  });
}

test('a secret is read from the file that its _FILE names, and both at once are refused', () => {
  const { TUIX_AI_AGENTS_API_KEY: _, ...rest } = REQUIRED;
  const fromFile = { ...rest, TUIX_AI_AGENTS_API_KEY_FILE: '/run/secrets/key' };
  assert.equal(readConfig(fromFile, (path) => `${path}\n`).apiKey, '/run/secrets/key');
  assert.throws(
    () => readConfig(fromFile, noFiles),
    /^ConfigError: TUIX_AI_AGENTS_API_KEY_FILE names a file that cannot/,
  );
  assert.throws(() => readConfig({ ...REQUIRED, ...fromFile }, noFiles), /both set/);
});

test('every setting’s own example and default fit it, unless the example is words', () => {
  for (const [name, setting] of Object.entries(SETTINGS)) {
    for (const text of [setting.example, 'default' in setting ? setting.default : undefined]) {
      if (text === undefined || text.includes(' ')) continue;
      assert.ok(setting.schema.safeParse(text).success, `${name}=${text}`);
    }
  }
});

test('origins are compared in one form and nothing else is an origin', () => {
  const forms: [text: string, form: string | undefined][] = [
    ['https://Shop.Example', 'https://shop.example'],
    ['https://shop.example:443', 'https://shop.example'],
    ['http://shop.example:8080', 'http://shop.example:8080'],
    ['https://shop.example.', 'https://shop.example.'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['null', undefined],
    ['', undefined],
    ['*', undefined],
    ['file:///etc/passwd', undefined],
    ['https://a.example, https://b.example', undefined],
    ['https://a.example@b.example', undefined],
    ['https://a.example/path', undefined],
    ['https://a.example?x', undefined],
    ['https:\\\\a.example', undefined],
    [' https://a.example', undefined],
  ];
  for (const [text, form] of forms) assert.equal(normaliseOrigin(text), form, text);
});
