/**
 * The relay's settings, longer than other files because table and reader are one thing: one table that says what each is for, what it takes and what it is when nobody sets it. The README's
 * table and the sentence about a bad value are made from the same rows.
 */
import { z } from 'zod';
import { normaliseOrigin } from './origin.ts';

/** One environment variable. `parse` turns its text into its value; what it throws only says that the text does not fit. */
export interface Setting<Value> {
  readonly description: string;
  /** What a fitting text looks like: ends the sentence "It must be …". */
  readonly expects: string;
  readonly example: string;
  /** The text that stands in when the variable is not set. Absent: see `isRequired`. */
  readonly default?: string;
  readonly isRequired?: true;
  /** A secret can also be read from the file that `<NAME>_FILE` names. It is never printed. */
  readonly isSecret?: true;
  readonly schema: z.ZodType<Value, string>;
}

const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,12}$/)
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum));

const listOf = <Value>(item: z.ZodType<Value, string>) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item).min(1));

/** Visible ASCII, so that it can stand in a header as it is. */
const headerText = z.string().regex(/^[\x21-\x7e]{1,1024}$/);

const hostAddress = z
  .url({ protocol: /^https?$/ })
  .transform((text) => new URL(text))
  .refine((url) => url.username === '' && url.password === '' && url.search === '' && url.hash === '')
  .transform((url) => url.href.replace(/\/+$/, ''));

const origin = z
  .string()
  .transform((text) => normaliseOrigin(text))
  .pipe(z.string());

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** `none`, a number of proxies in front, or which addresses are proxies. */
export type TrustedProxies = false | number | readonly string[];

const proxyAddress = z.union([
  z.enum(['loopback', 'linklocal', 'uniquelocal']),
  z.ipv4(),
  z.ipv6(),
  z.cidrv4(),
  z.cidrv6(),
]);

export const SETTINGS = {
  MCP_HOST_BASE_URL: {
    description: 'Address of the agent host.',
    expects: 'an absolute http or https address without query and user name',
    example: 'https://mcp-host.tuix.ch',
    isRequired: true,
    schema: hostAddress,
  },
  APPLICATION_ID: {
    description: 'The application that visitors talk to; several with commas between, the first is the default.',
    expects: 'one application id, or several with commas between; letters, digits, ".", "_", "~" and "-"',
    example: '0b7c2f4e-5d1a-4f0e-9c55-0a8d6f3f2b11',
    isRequired: true,
    schema: listOf(
      z
        .string()
        .regex(/^[A-Za-z0-9._~-]{1,200}$/)
        .refine((id) => !/^\.+$/.test(id)),
    ),
  },
  TUIX_AI_AGENTS_API_KEY: {
    description: 'The account key for the agent host. It never leaves the relay.',
    expects: 'the key as it was given out, without spaces',
    example: 'the key from the host’s settings page',
    isRequired: true,
    isSecret: true,
    schema: headerText,
  },
  HOST: {
    description: 'Address to listen on.',
    expects: 'an IP address or a host name',
    example: '0.0.0.0',
    default: '127.0.0.1',
    schema: z.string().regex(/^[A-Za-z0-9.:_-]{1,253}$/),
  },
  PORT: {
    description: 'Port to listen on. Not set: 8787, or the next free one.',
    expects: 'a whole number from 0 to 65535',
    example: '8787',
    schema: wholeNumber(0, 65_535),
  },
  ALLOWED_ORIGINS: {
    description:
      'Origins of the pages that may use the chat, with commas between. Not set: pages of this machine, as long as the relay listens on loopback only.',
    expects: 'origins (scheme, host and port, no path) with commas between',
    example: 'https://shop.example,https://www.shop.example',
    schema: listOf(origin),
  },
  STORE: {
    description: 'Where conversations are kept: `memory:`, `sqlite:<file>` or `redis://…`.',
    expects: 'memory:, sqlite:<file>, redis://… or rediss://…',
    example: 'redis://localhost:6379',
    default: 'sqlite:.parley/store.sqlite',
    isSecret: true,
    schema: z.string().regex(/^[a-z]+:/i),
  },
  PARLEY_SECRET: {
    description:
      'Seals what the store keeps secret: the same for all relays of one store. Not set: a key file beside the SQLite file.',
    expects: 'at least 32 random characters, or several such secrets with commas between, the newest first',
    example: 'the output of: openssl rand -base64 32',
    isSecret: true,
    schema: z.string().min(32),
  },
  PARLEY_CONFIG: {
    description: 'The file that describes the tools.',
    expects: 'the path of a file',
    example: 'parley.yaml',
    schema: z.string().min(1),
  },
  TRUST_PROXY: {
    description: 'How many proxies stand in front, or their addresses: whose word about a visitor’s address counts.',
    expects: 'a number of proxies, or addresses and networks with commas between',
    example: '1',
    default: '0',
    schema: z.union([
      wholeNumber(0, 20).transform((hops): TrustedProxies => (hops === 0 ? false : hops)),
      listOf(proxyAddress).transform((list): TrustedProxies => list),
    ]),
  },
  TOOL_CALLS: {
    description: 'What visitors see of tool calls: nothing, their names, or everything.',
    expects: 'none, names or full',
    example: 'names',
    default: 'names',
    schema: z.enum(['none', 'names', 'full']),
  },
  TURN_GRACE_MS: {
    description: 'Milliseconds that a turn goes on after its last reader has left, or `unlimited`.',
    expects: 'a number of milliseconds, or unlimited',
    example: 'unlimited',
    default: 'unlimited',
    schema: z.union([z.literal('unlimited').transform(() => Number.POSITIVE_INFINITY), wholeNumber(0, 86_400_000)]),
  },
  UPSTREAM_IDLE_MS: {
    description: 'Milliseconds without a byte from the agent host after which a turn fails.',
    expects: 'a number of milliseconds from 100 to 3600000',
    example: '60000',
    default: '60000',
    schema: wholeNumber(100, 3_600_000),
  },
  TURN_LIMIT_MS: {
    description: 'Milliseconds that a turn may last.',
    expects: 'a number of milliseconds from 1000 to 3600000',
    example: '600000',
    default: '600000',
    schema: wholeNumber(1_000, 3_600_000),
  },
  MAX_MESSAGE_BYTES: {
    description: 'Bytes of UTF-8 that a message may have.',
    expects: 'a number of bytes from 1 to 1048576',
    example: '16384',
    default: '16384',
    schema: wholeNumber(1, 1_048_576),
  },
  RATE_LIMIT_SESSIONS: {
    description: 'Conversations that one address may start in a minute; 0: no limit.',
    expects: 'a whole number',
    example: '30',
    default: '30',
    schema: wholeNumber(0, 1_000_000_000),
  },
  RATE_LIMIT_MESSAGES: {
    description: 'Messages that one conversation may send in a minute; 0: no limit.',
    expects: 'a whole number',
    example: '20',
    default: '20',
    schema: wholeNumber(0, 1_000_000_000),
  },
  RATE_LIMIT_REQUESTS: {
    description: 'Requests about conversations that one address may send in a minute; 0: no limit.',
    expects: 'a whole number',
    example: '600',
    default: '600',
    schema: wholeNumber(0, 1_000_000_000),
  },
  RATE_LIMIT_FAILURES: {
    description: 'Wrong conversation ids and tokens that one address may try in a minute; 0: no limit.',
    expects: 'a whole number',
    example: '60',
    default: '60',
    schema: wholeNumber(0, 1_000_000_000),
  },
  LOG_LEVEL: {
    description: 'The least important kind of log line that is written.',
    expects: LOG_LEVELS.join(', '),
    example: 'debug',
    default: 'info',
    schema: z.enum(LOG_LEVELS),
  },
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof SETTINGS;
type SettingValue<Name extends SettingName> = z.output<(typeof SETTINGS)[Name]['schema']>;

/** What `createRelay` goes by. Times are milliseconds; limits of 0 are off. */
export interface RelayConfig {
  /** At least one; the first is the default. */
  readonly applications: readonly string[];
  /** Undefined: any loopback origin when `host` is a loopback address, none otherwise. */
  readonly allowedOrigins: readonly string[] | undefined;
  readonly host: string;
  readonly trustedProxies: TrustedProxies;
  readonly toolCalls: 'none' | 'names' | 'full';
  /** `Infinity`: turns run to their end whether or not anyone watches. */
  readonly turnGraceMs: number;
  readonly maxMessageBytes: number;
  readonly limitsPerMinute: {
    readonly sessions: number;
    readonly messages: number;
    readonly requests: number;
    readonly failures: number;
  };
}

/** Everything that the environment says: the relay's own settings and what its parts are made from. */
export interface ProcessConfig extends RelayConfig {
  readonly hostBaseUrl: string;
  readonly apiKey: string;
  /** Undefined: 8787, or the next free one. */
  readonly port: number | undefined;
  readonly store: string;
  readonly secret: string | undefined;
  readonly configFile: string | undefined;
  readonly upstreamIdleMs: number;
  readonly turnLimitMs: number;
  readonly logLevel: (typeof LOG_LEVELS)[number];
}

/** A setting is missing or does not fit. The message is one sentence that names it and holds no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads and checks all settings. `readFile` gives a file's text, for `<NAME>_FILE`. Throws `ConfigError` on the first that is
 * wrong.
 */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): ProcessConfig {
  const value = <Name extends SettingName>(name: Name) => readSetting(name, environment, readFile);
  return {
    hostBaseUrl: required('MCP_HOST_BASE_URL', value),
    applications: required('APPLICATION_ID', value),
    apiKey: required('TUIX_AI_AGENTS_API_KEY', value),
    host: required('HOST', value),
    port: value('PORT'),
    allowedOrigins: value('ALLOWED_ORIGINS'),
    store: required('STORE', value),
    secret: value('PARLEY_SECRET'),
    configFile: value('PARLEY_CONFIG'),
    trustedProxies: required('TRUST_PROXY', value),
    toolCalls: required('TOOL_CALLS', value),
    turnGraceMs: required('TURN_GRACE_MS', value),
    turnLimitMs: required('TURN_LIMIT_MS', value),
    upstreamIdleMs: required('UPSTREAM_IDLE_MS', value),
    maxMessageBytes: required('MAX_MESSAGE_BYTES', value),
    limitsPerMinute: {
      sessions: required('RATE_LIMIT_SESSIONS', value),
      messages: required('RATE_LIMIT_MESSAGES', value),
      requests: required('RATE_LIMIT_REQUESTS', value),
      failures: required('RATE_LIMIT_FAILURES', value),
    },
    logLevel: required('LOG_LEVEL', value),
  };
}

function required<Name extends SettingName>(
  name: Name,
  value: (name: Name) => SettingValue<Name> | undefined,
): SettingValue<Name> {
  const found = value(name);
  if (found === undefined) throw new ConfigError(`${name} is missing. ${mustBe(name)}`);
  return found;
}

function readSetting<Name extends SettingName>(
  name: Name,
  environment: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): SettingValue<Name> | undefined {
  const setting: Setting<unknown> = SETTINGS[name];
  const file = setting.isSecret ? environment[`${name}_FILE`] : undefined;
  if (file && environment[name]) throw new ConfigError(`${name} and ${name}_FILE are both set. Keep one of them.`);
  const text = (file ? readSecretFile(name, file, readFile) : environment[name]) || setting.default;
  if (text === undefined) return undefined;
  const result = setting.schema.safeParse(text);
  if (!result.success) throw new ConfigError(`${name} does not fit. ${mustBe(name)}`);
  return result.data as SettingValue<Name>;
}

function readSecretFile(name: SettingName, path: string, readFile: (path: string) => string): string {
  try {
    return readFile(path).trim();
  } catch (cause) {
    throw new ConfigError(`${name}_FILE names a file that cannot be read.`, { cause });
  }
}

function mustBe(name: SettingName): string {
  const { expects, example } = SETTINGS[name];
  return `It must be ${expects}, for example: ${example}`;
}
