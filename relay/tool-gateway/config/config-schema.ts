/** `parley.yaml`, key by key: what each is for, what it takes, what it is when nobody sets it. The documents' table is made from it. */
import { z } from 'zod';
import { normaliseOrigin } from '../../origin.ts';

/** The value of an environment variable, or undefined when it is not set. */
export type Variables = (name: string) => string | undefined;

/** A text that is in the environment and never in the file. */
const BEGINS_REFERENCE = /\$\{/;
const REFERENCE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

/**
 * The schema, with secrets read from `variables`. Unknown keys are refused. Without `variables` (for the documents) every
 * secret is there.
 */
export function configSchema(variables: Variables = () => 'x') {
  const secret = z
    .string()
    .refine((text) => REFERENCE.test(text), { params: { isSecret: true }, error: LITERAL_SECRET })
    .transform((text, context) => resolve(text, context, variables));
  const setting = z
    .string()
    .transform((text, context) => (BEGINS_REFERENCE.test(text) ? resolve(text, context, variables) : text));

  const address = setting.pipe(httpAddress);

  const credential = z
    .union([
      z.enum(['forward', 'none']),
      z.strictObject({
        forward: z
          .strictObject({
            includingAccountKey: z
              .boolean()
              .default(false)
              .describe('Forward the account key too, which the agent host sends where no visitor is logged in.'),
          })
          .optional()
          .describe('Hand on the caller’s own credential.'),
        fixed: z
          .strictObject({
            value: secret.describe('The credential, as the header’s whole value.'),
            header: z
              .enum(['authorization', 'x-api-key'])
              .default('authorization')
              .describe('The header that it stands in.'),
          })
          .optional()
          .describe('Always this one, whoever calls.'),
      }),
    ])
    .describe('Which credential the API gets: `forward`, `none`, `{forward: …}` or `{fixed: …}`.');

  const server = {
    url: httpAddress.optional().describe('Address of an MCP server (Streamable HTTP).'),
    command: plainText.optional().describe('A program that is an MCP server on its standard input and output.'),
    args: z.array(plainText).default([]).describe('The program’s arguments.'),
    env: z
      .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), setting)
      .default({})
      .describe(
        'The program’s environment, besides PATH, HOME and the like. A value may be a reference to a variable.',
      ),
  };

  const limits = z
    .strictObject({
      callsPerMinute: count.default(60).describe('Calls of one tool that a session may make in a minute; 0: no limit.'),
      concurrentCalls: z.int().min(1).max(100_000).default(64).describe('Calls that each relay makes at once.'),
      tools: z
        .record(plainText, count)
        .default({})
        .describe('Another number of calls in a minute for single tools, by the source’s name.'),
    })
    .prefault({})
    .describe('How often the tools may be called.');

  const calls = {
    repeats: z
      .enum(['relay', 'api'])
      .default('relay')
      .describe('Who recognises a call that is made again: the relay, or an API that takes `X-Idempotency-Key`.'),
    limits,
    timeoutMs: z.int().min(100).max(600_000).default(30_000).describe('Milliseconds after which a call is cancelled.'),
    maxResultBytes: z
      .int()
      .min(1_000)
      .max(100_000_000)
      .default(1_000_000)
      .describe('Bytes of an answer that are passed on; a longer one is cut, with a note.'),
    allow: z.array(plainText).optional().describe('Only these tools, by the source’s name; `*` for any characters.'),
    deny: z.array(plainText).default([]).describe('Not these tools.'),
  };

  const domain = z
    .strictObject({
      about: sentence.describe('What the domain is for, in one sentence for the model.'),
      not: sentence.optional().describe('What it is not for, and which domain is.'),
      openapi: plainText
        .optional()
        .describe('Path of an API description (OpenAPI 3.0, 3.1 or Swagger 2), from this file’s folder.'),
      mcp: z.strictObject(server).optional().describe('An MCP server instead.'),
      baseUrl: address
        .optional()
        .describe(
          'Address of the API, or a reference to the variable that holds it. Needed unless the description’s own is meant and allowed here.',
        ),
      allowedOrigins: z
        .array(origin)
        .default([])
        .describe('Origins that calls may go to where the API description names its servers: `https://api.example`.'),
      credential,
      metaHeaders: z
        .enum(['declared', 'always', 'never'])
        .default('declared')
        .describe(
          'When `_meta.sessionId` and `_meta.idempotencyKey` become headers: if the operation declares them, always, never.',
        ),
      ...calls,
      rename: z
        .record(plainText, toolName)
        .default({})
        .describe('Other names for single tools, before the domain’s prefix.'),
      privateNetworks: z
        .array(plainText)
        .default([])
        .describe(
          'Hosts, addresses or networks that the API may have although they are not public: `10.1.0.0/16`, `api.internal`.',
        ),
      transparent: z
        .boolean()
        .default(false)
        .describe('At `/mcp/{domain}` the tools keep their names, without prefix.'),
      consent: z.boolean().default(false).describe('Ask the visitor before the conversation enters this domain.'),
      transactions: z
        .strictObject({
          verify: z
            .array(plainText)
            .optional()
            .describe('Tools that run only once verified. Not set: all that are not read-only.'),
          exempt: z.array(plainText).default([]).describe('Tools that need no verification.'),
        })
        .prefault({})
        .describe('Which calls the visitor has to verify.'),
    })
    .describe('One domain.');

  return z.strictObject({
    mcp: z
      .strictObject({
        callers: z
          .enum(['tokens', 'session', 'api', 'open'])
          .describe(
            'Who may call: holders of a token, the session’s own credential, whoever the API behind accepts, or (on loopback only) everyone.',
          ),
        tokens: z
          .array(secret)
          .min(1)
          .optional()
          .describe('With `callers: tokens`: what may stand in the header `x-parley-token`.'),
        allowedHosts: z
          .array(hostName)
          .default([])
          .describe('Host names under which `/mcp` is addressed, besides loopback.'),
        allowedOrigins: z.array(origin).default([]).describe('Origins of pages that may call `/mcp`.'),
        maxBodyBytes: z
          .int()
          .min(1_000)
          .max(100_000_000)
          .default(1_000_000)
          .describe('Bytes that a request to `/mcp` may have.'),
      })
      .describe('The endpoint for agents.'),
    tools: z
      .strictObject({ ...server, credential: credential.optional(), ...calls })
      .optional()
      .describe('One MCP server whose tools are passed on as they are.'),
    domains: z.record(domainName, domain).optional().describe('The domains, by name.'),
    intentLock: z
      .strictObject({
        start: z
          .enum(['first-call', 'explicit', 'off'])
          .default('first-call')
          .describe('How a session gets its domain: by its first call, by `switch_domain`, or not at all.'),
      })
      .prefault({})
      .describe('Keeps a session inside one domain at a time.'),
    verification: z
      .strictObject({
        send: z.enum(['console', 'webhook', 'smtp']).describe('How the visitor gets the code.'),
        recipient: z
          .strictObject({
            url: httpAddress.describe('Is asked for a session’s recipient.'),
            secret: secret.describe('Signs the question.'),
          })
          .optional()
          .describe('Where the visitor’s address comes from.'),
        webhook: z
          .strictObject({ url: httpAddress.describe('Gets the code.'), secret: secret.describe('Signs the request.') })
          .optional()
          .describe('With `send: webhook`.'),
        smtp: z
          .strictObject({
            host: hostName.describe('The mail server.'),
            port: z.int().min(1).max(65_535).default(587).describe('Its port.'),
            user: setting.optional().describe('User name.'),
            password: secret.optional().describe('Password.'),
            from: plainText.describe('The sender.'),
          })
          .optional()
          .describe('With `send: smtp`.'),
        waitMs: z.int().min(0).max(50_000).default(45_000).describe('Milliseconds that a call waits for the visitor.'),
      })
      .optional()
      .describe('One-time codes for transactions.'),
    audit: z
      .strictObject({ arguments: z.boolean().default(false).describe('Write the arguments of calls too.') })
      .prefault({})
      .describe('The log of decisions.'),
  });
}

export type ParleyConfig = z.output<ReturnType<typeof configSchema>>;
export type DomainConfig = NonNullable<ParleyConfig['domains']>[string];
export type ToolsConfig = NonNullable<ParleyConfig['tools']>;

// biome-ignore lint/suspicious/noTemplateCurlyInString: the file's own syntax
const LITERAL_SECRET = 'a reference to an environment variable such as ${API_TOKEN}, not the secret itself';

function resolve(text: string, context: z.RefinementCtx, variables: Variables): string {
  const name = REFERENCE.exec(text)?.[1];
  const value = name === undefined ? undefined : variables(name);
  if (value) return value;
  const expected =
    name === undefined
      ? 'one reference to an environment variable and nothing else'
      : `the environment variable ${name}, which is not set`;
  context.addIssue({ code: 'custom', message: expected, params: { isSecret: true } });
  return z.NEVER;
}

const plainText = z
  .string()
  .min(1)
  .max(1_000)
  .refine((text) => !BEGINS_REFERENCE.test(text), 'a plain text; only secrets are read from the environment');
const sentence = plainText.refine((text) => !/\p{Cc}/u.test(text), 'one line of text');
const count = z.int().min(0).max(1_000_000_000);
const toolName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'up to 64 letters, digits, "_" and "-"');
const domainName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,30}$/, 'a name of up to 31 lower-case letters, digits and "_" that begins with a letter');
const hostName = z.string().regex(/^[A-Za-z0-9.:[\]_-]{1,253}$/, 'a host name');
const origin = z
  .string()
  .transform((text) => normaliseOrigin(text))
  .pipe(z.string('an origin such as https://tools.example'));
const httpAddress = z
  .string()
  .refine(isHttpAddress, 'an absolute http or https address without user name and fragment')
  .transform((text) => new URL(text));

function isHttpAddress(text: string): boolean {
  if (BEGINS_REFERENCE.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.username === '' &&
    url.password === '' &&
    url.hash === ''
  );
}
