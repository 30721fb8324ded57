import { gzipSync } from 'node:zlib';
import {
  chunk,
  complete,
  done,
  FULL_CHUNKS,
  FULL_TEXT,
  failure,
  fullTurn,
  opening,
  type PlayedFrame,
  prefixOfTurn,
  thinking,
  toolCall,
  toolResult,
  toWire,
} from './answer.ts';
import type { Exchange } from './exchange.ts';
import { REFUSAL } from './session-faults.ts';

interface ChatContext {
  readonly sessionId: string;
  readonly sessionSecret: string;
  /** How often this session was sent this very message before. */
  readonly repeats: number;
  /** From now on, every message to this session is answered with this status. */
  killSession(status: number): void;
}

type ChatFault = (exchange: Exchange, context: ChatContext) => void | Promise<void>;

/** A proper stream of these frames, one a packet. */
function stream(
  frames: readonly PlayedFrame[] | ((context: ChatContext, exchange: Exchange) => PlayedFrame[]),
): ChatFault {
  return async (exchange, context) => {
    await exchange.head();
    await exchange.frames(typeof frames === 'function' ? frames(context, exchange) : frames);
    exchange.end();
  };
}

/** A proper stream whose bytes are cut into these pieces. */
function pieces(cut: () => Iterable<string | Uint8Array>): ChatFault {
  return async (exchange) => {
    await exchange.head();
    for (const piece of cut()) await exchange.piece(piece);
    exchange.end();
  };
}

/** The head of a stream and a part of the answer; what goes wrong comes after. */
function afterPrefix(then: (exchange: Exchange) => void | Promise<void>): ChatFault {
  return async (exchange) => {
    await exchange.head();
    await exchange.frames(prefixOfTurn());
    await then(exchange);
  };
}

function refusal(status: number, headers: Record<string, string | string[]> = {}): ChatFault {
  return (exchange) => exchange.answer(status, { 'Content-Type': 'application/json', ...headers }, REFUSAL);
}

const wireOf = (frames: readonly PlayedFrame[], lineEnd = '\n') =>
  frames.map((frame) => toWire(frame, lineEnd)).join('');
const fullWire = (lineEnd = '\n') => wireOf(fullTurn(), lineEnd);
const bytesOf = (text: string) => Buffer.from(text);

/** Lines that end in turn with LF, CRLF and CR, each frame's blank line in another way than its lines. */
function mixedWire(): string {
  const ends = ['\n', '\r\n', '\r'];
  let line = 0;
  return fullWire().replace(/\n/g, () => ends[line++ % 3]!);
}

const DEEP = '['.repeat(100_000) + ']'.repeat(100_000);

const transport: Record<string, ChatFault> = {
  'fin-before-headers': (exchange) => exchange.fin(),
  'reset-before-headers': (exchange) => exchange.reset(0),
  'reset-between-events': afterPrefix((exchange) => exchange.reset()),
  'reset-mid-event': afterPrefix(async (exchange) => {
    await exchange.piece('type: chunk\ndata: {"chunk":"never se');
    await exchange.reset();
  }),
  'fin-no-terminal-chunk': afterPrefix((exchange) => exchange.fin()),
  async 'done-then-reset'(exchange) {
    await exchange.head();
    await exchange.frames(fullTurn());
    await exchange.reset();
  },
  'bad-chunk-size': afterPrefix((exchange) => exchange.raw('zz\r\nnot a chunk\r\n')),
  async 'content-length-short'(exchange) {
    await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Content-Length': 100_000 });
    await exchange.frames(prefixOfTurn());
    exchange.fin();
  },
  async 'http10-close'(exchange) {
    await exchange.raw('HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n');
    await exchange.raw(fullWire());
    exchange.fin();
  },
  async 'early-hints'(exchange) {
    await exchange.raw('HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n');
    await stream(fullTurn())(exchange, NO_CONTEXT);
  },
  async 'huge-headers'(exchange) {
    await exchange.raw(`HTTP/1.1 200 OK\r\nX-Huge: ${'h'.repeat(200_000)}\r\n\r\n`);
    exchange.fin();
  },
  async 'not-http'(exchange) {
    await exchange.raw('SSH-2.0-body-canary\r\n');
    exchange.fin();
  },
  async 'keepalive-race'(exchange) {
    const body = bytesOf(fullWire());
    const head = `Content-Type: text/event-stream\r\nConnection: keep-alive\r\nContent-Length: ${body.length}`;
    await exchange.raw(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`);
    await exchange.raw(body);
    exchange.socket.destroy();
  },
  async 'switching-protocols'(exchange) {
    await exchange.raw('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n');
    await exchange.hang();
  },
};

const bytes: Record<string, ChatFault> = {
  'split-each-byte': pieces(function* () {
    for (const byte of bytesOf(fullWire())) yield Uint8Array.of(byte);
  }),
  'split-mid-crlf': pieces(() => fullWire('\r\n').split(/(?<=\r)/)),
  'eol-lf': pieces(() => [fullWire('\n')]),
  'eol-crlf': pieces(() => [fullWire('\r\n')]),
  'eol-cr': pieces(() => [fullWire('\r')]),
  'eol-mixed': pieces(() => [mixedWire()]),
  bom: pieces(() => [`\ufeff${fullWire()}`]),
  'bom-split': pieces(() => [Uint8Array.of(0xef), Uint8Array.of(0xbb), Uint8Array.of(0xbf), fullWire()]),
  'id-retry-event-fields': pieces(function* () {
    let id = 0;
    for (const frame of fullTurn())
      yield `id: ${++id}\nretry: 10000\nevent: ${frame.type}\n: a comment\n${toWire(frame)}`;
  }),
  'event-for-type': pieces(() => [fullWire().replaceAll('type: ', 'event: ')]),
  'field-without-colon': pieces(() => fullTurn().map((frame) => `nonsense\nretry\ndata\n${toWire(frame)}`)),
  'no-space-after-colon': pieces(() => [fullWire().replace(/^(type|data): /gm, '$1:')]),
  'data-on-many-lines': pieces(function* () {
    for (const { type, data } of fullTurn()) {
      const lines = JSON.stringify(data, undefined, 1).replace(/^/gm, 'data: ');
      yield `type: ${type}\n${lines}\n\n`;
    }
  }),
  'no-last-blank-line': pieces(() => [fullWire().slice(0, -2)]),
  'invalid-utf8': pieces(function* () {
    yield wireOf([...opening(), chunk('before ')]);
    yield Buffer.concat([
      bytesOf('type: chunk\ndata: {"chunk":"bad '),
      Uint8Array.of(0xc3, 0x28, 0xff, 0xf0, 0x9f),
      bytesOf(' bytes"}\n\n'),
    ]);
    yield wireOf([chunk('after'), done()]);
  }),
  'raw-nul': pieces(function* () {
    yield wireOf([...opening(), chunk('before ')]);
    yield 'type: ch\0unk\ndata: {"chunk":"nul in the type"}\n\n';
    yield 'id: 1\0\ntype: chunk\ndata: {"chunk":"nul \0 in the data"}\n\n';
    yield wireOf([chunk('after'), done()]);
  }),
  'grapheme-split': stream(fullTurn([...'👩‍👩‍👧é'])),
  'surrogate-split': stream(fullTurn('👩‍👩‍👧é'.split(''))),
};

const shape: Record<string, ChatFault> = {
  'unknown-type': stream(
    fullTurn().flatMap((frame) => [{ type: 'usage', data: { tokens: 1 } }, { type: '__proto__', data: {} }, frame]),
  ),
  'extra-fields': pieces(() =>
    fullTurn().map((frame) =>
      toWire({
        type: frame.type,
        data: JSON.stringify(frame.data).replace(
          '{',
          '{"__proto__":{"polluted":1},"constructor":{"a":[]},"extra":[{"x":null}],',
        ),
      }),
    ),
  ),
  'bad-json': pieces(() => [
    'type: chunk\ndata: {"chunk":"half\n\n',
    'type: chunk\ndata: {"chunk":7}\n\n',
    'type: chunk\ndata: [1]\n\n',
    'type: tool-call\ndata: {"toolCall":"body-canary"}\n\n',
    'type: complete\ndata: {"response":{"content":null}}\n\n',
    fullWire(),
  ]),
  'deep-json': stream([
    toolCall('fc_1'),
    toolResult('fc_1', DEEP),
    { type: 'tool-result', data: `{"toolResult":{"tool_call_id":"fc_1","name":"create_order","content":${DEEP}}}` },
    { type: 'chunk', data: `{"chunk":"","extra":${DEEP}}` },
    ...fullTurn(),
  ]),
  'giant-tool-result': stream((_context, exchange) => [
    thinking(),
    toolCall('fc_1'),
    toolResult('fc_1', 'r'.repeat(exchange.number('mb', 5) * 1_000_000)),
    ...FULL_CHUNKS.map(chunk),
    complete(FULL_TEXT),
    done(),
  ]),
  'tool-dup-id': stream([toolCall('fc_1'), toolResult('fc_1'), ...fullTurn()]),
};

const order: Record<string, ChatFault> = {
  'done-missing': stream(fullTurn().slice(0, -1)),
  'after-done': stream([...fullTurn(), chunk('too late'), failure('too late'), complete('too late')]),
  'double-done': stream([...fullTurn(), done()]),
  'complete-mismatch': stream([
    ...opening(),
    chunk('a first '),
    chunk('version'),
    complete('the final version'),
    done(),
  ]),
  'complete-without-chunks': stream([...opening(), complete('only in complete'), done()]),
  'error-no-done': stream([thinking(), chunk('part '), failure('the model provider is busy')]),
  'error-mid': stream([thinking(), chunk('before '), failure('a tool failed'), chunk('after'), done()]),
  'error-html': stream([
    thinking(),
    chunk('part '),
    failure('<img src=x onerror="__pwn()"><script>__pwn()</script>'),
    done(),
  ]),
  'error-then-reset': async (exchange) => {
    await exchange.head();
    await exchange.frames([thinking(), chunk('part '), failure('the model provider is busy')]);
    await exchange.reset();
  },
  'error-no-json': stream([thinking(), chunk('part '), { type: 'error', data: 'it broke' }, done()]),
  'only-done': stream([done()]),
  'chunk-secret-echo': stream(secretEcho),
  /** Ends with what may be the beginning of the session secret, and is. */
  'secret-start-at-end': stream(({ sessionSecret }) => [thinking(), chunk(`kept ${sessionSecret.slice(0, 3)}`)]),
};

/**
 * Everything that the host knows and a visitor must not, whole, in two pieces, letter by letter, and in every kind of
 * event.
 */
function secretEcho({ sessionId, sessionSecret }: ChatContext, exchange: Exchange): PlayedFrame[] {
  const key = String(exchange.request.headers['x-api-key'] ?? 'no-key-was-sent');
  const secrets = [sessionSecret, key, sessionId];
  const all = secrets.join(' and ');
  const half = Math.floor(sessionSecret.length / 2);
  const answer = [
    'It is ',
    all,
    '. ',
    sessionSecret.slice(0, half),
    sessionSecret.slice(half),
    ' ',
    ...key,
    ' ',
    ...sessionId,
    '!',
  ];
  return [
    thinking(`I know ${all}`),
    toolCall('fc_1', `tool_${sessionSecret}`),
    toolResult('fc_1', JSON.stringify({ all, deeper: JSON.stringify({ all }) })),
    ...answer.slice(0, 5).map(chunk),
    thinking(),
    ...answer.slice(5).map(chunk),
    complete(answer.join(''), all),
    done(),
  ];
}

const status: Record<string, ChatFault> = {
  'http-429-2': refusal(429, { 'Retry-After': '2' }),
  'http-429-junk': refusal(429, { 'Retry-After': 'body-canary soon' }),
  'http-429-dup': refusal(429, { 'Retry-After': ['7', '9'] }),
  'http-429-then-ok': (exchange, context) =>
    (context.repeats === 0 ? refusal(429, { 'Retry-After': '1' }) : stream(fullTurn()))(exchange, context),
  'html-200-as-stream': stream200('text/event-stream', '<!doctype html>\n<title>body-canary</title>\n<p>data: no\n'),
  'json-200': stream200('application/json', '{"message":"body-canary"}'),
  'foreign-events': stream200('text/event-stream', 'event: message_start\ndata: {"text":"body-canary"}\n\n'),
  'empty-200': stream200('text/event-stream', ''),
  'ctype-plain': stream200('text/plain', fullWire()),
  'ctype-none': (exchange) => exchange.answer(200, {}, fullWire()),
  'redirect-302-get': refusal(302, { Location: '/trap' }),
  'redirect-307': refusal(307, { Location: '/trap' }),
  'gzip-undeclared': (exchange) => exchange.answer(200, { 'Content-Type': 'text/event-stream' }, gzipSync(fullWire())),
  'gzip-declared': (exchange) => exchange.answer(200, { 'Content-Encoding': 'gzip' }, gzipSync(fullWire())),
  'gzip-bomb': (exchange) =>
    exchange.answer(
      200,
      { 'Content-Encoding': 'gzip' },
      gzipSync(Buffer.alloc(exchange.number('mb', 100) * 1_000_000)),
    ),
};

function stream200(contentType: string, body: string): ChatFault {
  return (exchange) => exchange.answer(200, { 'Content-Type': contentType }, body);
}

const time: Record<string, ChatFault> = {
  'hang-before-headers': (exchange) => exchange.hang(),
  async 'hang-after-headers'(exchange) {
    await exchange.head();
    await exchange.hang();
  },
  async 'hang-after-chunks'(exchange) {
    await exchange.head();
    await exchange.frames([...opening(), chunk('kept ')]);
    await exchange.hang();
  },
  async 'hang-after-done'(exchange) {
    await exchange.head();
    await exchange.frames(fullTurn());
    await exchange.hang();
  },
  async 'slow-first-byte'(exchange, context) {
    await exchange.wait(exchange.number('ms', 300));
    await stream(fullTurn())(exchange, context);
  },
  async 'slow-drip'(exchange) {
    await exchange.head();
    for (const frame of fullTurn()) {
      const wire = toWire(frame);
      await exchange.piece(wire.slice(0, 20));
      await exchange.wait(exchange.number('ms', 20));
      await exchange.piece(wire.slice(20));
    }
    exchange.end();
  },
  /** Comments are life: no event for long, and yet no silence. */
  async 'slow-comments'(exchange) {
    await exchange.head();
    for (let i = 0; i < exchange.number('n', 10); i++) {
      await exchange.piece(': still here\n');
      await exchange.wait(exchange.number('ms', 50));
    }
    await exchange.frames(fullTurn());
    exchange.end();
  },
  /** More than a slow reader takes at once, and then nothing. */
  async 'burst-then-silence'(exchange) {
    await exchange.head();
    const piece = toWire(chunk('b'.repeat(10_000)));
    for (let i = 0; i < exchange.number('mb', 5) * 100; i++) await exchange.piece(piece);
    await exchange.hang();
  },
};

const size: Record<string, ChatFault> = {
  async 'line-8mb'(exchange) {
    await exchange.head();
    await exchange.frames(prefixOfTurn());
    await exchange.piece(toWire(chunk('l'.repeat(exchange.number('mb', 8) * 1_000_000))));
    await exchange.frames([done()]);
    exchange.end();
  },
  /** The event that is too long becomes so by a last line without its end. */
  'long-event-at-end': pieces(() => [
    `type: chunk\n${`data: ${'x'.repeat(999_990)}\n`.repeat(7)}`,
    `data: ${'x'.repeat(999_990)}`,
  ]),
  'endless-line': endless('type: chunk\ndata: {"chunk":"', 'x'.repeat(65_536)),
  'endless-event': endless('type: chunk\n', 'data: xxxxxxxxxxxxxxxxxxxxxxxxxx\n'.repeat(2_000)),
  'endless-empty-lines': endless('type: chunk\n', 'data\n'.repeat(12_000)),
  'endless-turn': endless('', toWire(chunk('t'.repeat(60_000)))),
  'endless-after-done': endless(fullWire(), toWire(chunk('t'.repeat(60_000)))),
  /** Chunks as fast as the reader takes them. */
  async firehose(exchange) {
    await exchange.head();
    const piece = toWire(chunk('f'.repeat(20_000)));
    for (let i = 0; i < exchange.number('mb', 40) * 50; i++) await exchange.piece(piece);
    await exchange.frames([done()]);
    exchange.end();
  },
};

function endless(start: string, piece: string): ChatFault {
  return async (exchange) => {
    await exchange.head();
    await exchange.piece(start);
    for (;;) await exchange.piece(piece);
  };
}

const lifecycle: Record<string, ChatFault> = {
  /** `n` numbered chunks, `ms` apart: "0 1 2 … n-1". */
  async count(exchange) {
    await exchange.head();
    const numbers = Array.from({ length: exchange.number('n', 200) }, (_, i) => (i === 0 ? '0' : ` ${i}`));
    await exchange.frames([thinking()]);
    for (const number of numbers) {
      await exchange.frames([chunk(number)]);
      await exchange.wait(exchange.number('ms', 25));
    }
    await exchange.frames([complete(numbers.join('')), done()]);
    exchange.end();
  },
  /** `n` events, each in a packet of its own, without a pause: for measuring. */
  async events(exchange) {
    await exchange.head();
    for (let i = 0; i < exchange.number('n', 1_000); i++) await exchange.frames([chunk(`word ${i} `)]);
    await exchange.frames([done()]);
    exchange.end();
  },
  async 'kill-session'(exchange, context) {
    context.killSession(exchange.number('st', 404));
    await stream(fullTurn())(exchange, context);
  },
};

const NO_CONTEXT: ChatContext = { sessionId: '', sessionSecret: '', repeats: 0, killSession: () => {} };

/** Faults of `POST …/chat`, chosen by the message `fault:<name> key=value …`. Other messages get the turn `ok`. */
const CHAT_FAULTS: Readonly<Record<string, ChatFault>> = {
  ok: stream(fullTurn()),
  async 'ok-slow'(exchange) {
    await exchange.head();
    for (const frame of fullTurn()) {
      await exchange.frames([frame]);
      await exchange.wait(exchange.number('ms', 25));
    }
    exchange.end();
  },
  'ok-tools': stream([
    thinking(),
    toolCall('fc_0', 'find_product'),
    toolResult('fc_0', '[]', 'find_product'),
    ...fullTurn(),
  ]),
  ...transport,
  ...bytes,
  ...shape,
  ...order,
  ...status,
  ...time,
  ...size,
  ...lifecycle,
};

/** The fault of that name; `http-<status>` is one for every status. */
export function chatFault(name: string): ChatFault | undefined {
  const byStatus = /^http-(\d{3})$/.exec(name);
  if (byStatus) return refusal(Number(byStatus[1]));
  return Object.hasOwn(CHAT_FAULTS, name) ? CHAT_FAULTS[name] : undefined;
}
