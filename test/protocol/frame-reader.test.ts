import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Frame, FrameLimitError, FrameReader } from '../../relay/protocol/frame-reader.ts';
import { fullTurn, toWire } from '../support/faulty-host/answer.ts';
import { memoryInUse } from '../support/memory-in-use.ts';
import { readWhole } from './line-reader.ts';

const LIMITS = { maxLineBytes: 1_000_000, maxEventBytes: 1_000_000 };

function read(pieces: Iterable<Uint8Array>, reader = new FrameReader(LIMITS)): Frame[] {
  const frames: Frame[] = [];
  for (const piece of pieces) frames.push(...reader.push(piece));
  frames.push(...reader.end());
  return frames;
}

function* bytesOneByOne(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at++) yield bytes.subarray(at, at + 1);
}

const text = (value: string) => new TextEncoder().encode(value);
const turn = (lineEnd: string) =>
  fullTurn(['Grüße ', '注文 ', '👩‍👩‍👧'])
    .map((frame) => toWire(frame, lineEnd))
    .join('');
const turnFrames: Frame[] = fullTurn(['Grüße ', '注文 ', '👩‍👩‍👧']).map(({ type, data }) => ({
  type,
  data: JSON.stringify(data),
}));

/** Name, bytes, and the frames in them, written by hand. */
const FIXTURES: readonly (readonly [name: string, bytes: Uint8Array, frames: readonly Frame[]])[] = [
  ['a whole turn with LF', text(turn('\n')), turnFrames],
  ['a whole turn with CRLF', text(turn('\r\n')), turnFrames],
  ['a whole turn with CR', text(turn('\r')), turnFrames],
  ['a whole turn after a byte order mark', text(`\ufeff${turn('\n')}`), turnFrames],
  [
    'lines that end in three ways',
    text('type: a\rdata: 1\r\ndata: 2\n\rtype: b\ndata: 3\r\n\ntype: c\rdata: 4\r\r\ntype: d\r\ndata: 5\r\r'),
    [
      { type: 'a', data: '1\n2' },
      { type: 'b', data: '3' },
      { type: 'c', data: '4' },
      { type: 'd', data: '5' },
    ],
  ],
  ['CR of one line and LF of the same', text('type: a\ndata: B\r\ndata: C\r\n\r\n'), [{ type: 'a', data: 'B\nC' }]],
  [
    'many data lines, one of them empty',
    text('type: a\ndata: 1\ndata:\ndata:  2\ndata\n\n'),
    [{ type: 'a', data: '1\n\n 2\n' }],
  ],
  ['event for type', text('event: a\ndata: 1\n\n'), [{ type: 'a', data: '1' }]],
  [
    'type beside event, in either order',
    text('event: message\ntype: a\ndata: 1\n\ntype: b\nevent: message\ndata: 2\n\n'),
    [
      { type: 'a', data: '1' },
      { type: 'b', data: '2' },
    ],
  ],
  [
    'ids, of which one holds NUL and the next frame has none',
    text('id: 3:7\ntype: a\ndata: 1\n\nid: x\0\ntype: b\ndata: 2\n\ntype: c\ndata: 3\n\nid\ntype: d\ndata: 4\n\n'),
    [
      { type: 'a', data: '1', id: '3:7' },
      { type: 'b', data: '2' },
      { type: 'c', data: '3' },
      { type: 'd', data: '4', id: '' },
    ],
  ],
  [
    'comments, unknown fields and fields without colon',
    text(': hello\n\n:\ntype: a\nretry: 10\nnonsense\ndatabase: 7\n: x\ndata: 1\ntypes: b\n\n'),
    [{ type: 'a', data: '1' }],
  ],
  ['data without a type, which is no frame', text('data: 1\n\ntype: b\ndata: 2\n\n'), [{ type: 'b', data: '2' }]],
  [
    'a type without a value beside one with it, in either order',
    text('event: a\ntype\ndata: 1\n\ntype:\nevent: b\ndata: 2\n\ntype: c\ntype:\ndata: 3\n\n'),
    [
      { type: 'a', data: '1' },
      { type: 'b', data: '2' },
      { type: 'c', data: '3' },
    ],
  ],
  ['a type without data', text('type: done\n\n'), [{ type: 'done', data: '' }]],
  [
    'a value that begins without a space, and one with a colon',
    text('type:a\ndata:{"b":"c: d"}\n\n'),
    [{ type: 'a', data: '{"b":"c: d"}' }],
  ],
  ['a last frame without a blank line', text('type: a\ndata: 1\n'), [{ type: 'a', data: '1' }]],
  ['a last line without an end', text('type: a\ndata: 1'), [{ type: 'a', data: '1' }]],
  [
    'a byte order mark in the middle, which is text',
    text('type: a\ndata: \ufeff1\n\n\ufefftype: b\n\n'),
    [{ type: 'a', data: '\ufeff1' }],
  ],
  [
    'bytes that are no UTF-8',
    Uint8Array.of(...text('type: a\ndata: '), 0xc3, 0x28, 0xff, ...text('\ndata: '), 0xf0, 0x9f, ...text('\n\n')),
    [{ type: 'a', data: '\ufffd(\ufffd\n\ufffd' }],
  ],
  [
    'a character that the end of the stream cuts',
    Uint8Array.of(...text('type: a\ndata: 1'), 0xf0, 0x9f),
    [{ type: 'a', data: '1\ufffd' }],
  ],
  ['nothing', text(''), []],
  ['only blank lines', text('\r\n\n\r\r\n'), []],
];

describe('the same frames come out wherever the bytes are cut', () => {
  for (const [name, bytes, frames] of FIXTURES) {
    test(`${name}: in one piece, byte by byte, and in two pieces at each place`, () => {
      assert.deepEqual(read([bytes]), frames);
      assert.deepEqual(read(bytesOneByOne(bytes)), frames);
      for (let cut = 0; cut <= bytes.length; cut++) {
        assert.deepEqual(read([bytes.subarray(0, cut), bytes.subarray(cut)]), frames, `cut at ${cut}`);
      }
    });
  }

  test('any text cut anywhere reads as it does line by line in one go [S2.28]', () => {
    const piece = fc.constantFrom(
      ...['type', 'event', 'data', 'id', ':', ': ', ' ', 'a', 'done', '\n', '\n\n', '\r', '\r\n', '\r\n\r\n'],
      ...['é', '注', '👩‍👩‍👧', '\ufeff', '\0', 'type: chunk\n', 'data: {"chunk":"x"}\n', 'retry: 1'],
    );
    const stream = fc.array(piece, { maxLength: 60 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 12 }), (content, places) => {
        const bytes = text(content);
        const cuts = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
        const pieces = [0, ...cuts].map((cut, index) => bytes.subarray(cut, cuts[index] ?? bytes.length));
        assert.deepEqual(read(pieces), readWhole(content));
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('a frame comes out as soon as it can', () => {
  test('with the CR that ends its blank line, whose LF then counts for nothing', () => {
    const reader = new FrameReader(LIMITS);
    assert.deepEqual(reader.push(text('type: a\r\ndata: 1\r\n\r')), [{ type: 'a', data: '1' }]);
    assert.deepEqual(reader.push(text('\ntype: b\r\n')), []);
    assert.deepEqual(reader.push(text('data: 2\r\n\r')), [{ type: 'b', data: '2' }]);
  });

  test('and one that is not finished stays away when the stream is lost', () => {
    const reader = new FrameReader(LIMITS);
    assert.deepEqual(reader.push(text('type: a\ndata: 1\n\ntype: b\ndata: 2\n')), [{ type: 'a', data: '1' }]);
  });
});

describe('a caller can tell a stream that is unfinished from a body that is something else', () => {
  const flags = (content: string) => {
    const reader = new FrameReader(LIMITS);
    read([text(content)], reader);
    return { hasSeenContent: reader.hasSeenContent, hasSeenFrame: reader.hasSeenFrame };
  };

  for (const [name, content, expected] of [
    ['nothing at all', '', { hasSeenContent: false, hasSeenFrame: false }],
    ['comments alone', ': ping\n\n: ping\r\n', { hasSeenContent: false, hasSeenFrame: false }],
    ['HTML', '<!doctype html>\n<p>no</p>\n', { hasSeenContent: true, hasSeenFrame: false }],
    ['JSON in one line', '{"a":1}', { hasSeenContent: true, hasSeenFrame: false }],
    ['a frame', 'type: a\ndata: 1\n\n', { hasSeenContent: true, hasSeenFrame: true }],
  ] as const) {
    test(`${name}: ${JSON.stringify(expected)}`, () => assert.deepEqual(flags(content), expected));
  }
});

describe('limits hold while the bytes arrive', () => {
  const limits = { maxLineBytes: 7_340_032, maxEventBytes: 7_340_032 };
  const piece = text('x'.repeat(65_536));

  /** How many bytes the reader takes of a stream that never ends, and how much more memory is in use then. */
  function takeUntilLimit(start: string, endless: Uint8Array): { takenBytes: number; grownBytes: number } {
    const reader = new FrameReader(limits);
    const before = memoryInUse();
    reader.push(text(start));
    for (let takenBytes = 0; takenBytes < 100_000_000; takenBytes += endless.length) {
      try {
        reader.push(endless);
      } catch (error) {
        assert.ok(error instanceof FrameLimitError);
        return { takenBytes, grownBytes: memoryInUse() - before };
      }
    }
    throw new Error('the reader took 100 MB');
  }

  for (const [name, start, endless] of [
    ['a line without an end', 'type: chunk\ndata: ', piece],
    ['a line without an end in two-byte characters', 'type: chunk\ndata: ', text('é'.repeat(32_768))],
    ['a line without an end that is no field', '', piece],
    ['an event without an end', 'type: chunk\n', text('data: xxxxxxxxxxxxxxxxxxxxxxxxx\n'.repeat(2_048))],
    ['an event of empty lines without an end', 'type: chunk\n', text('data\n'.repeat(13_000))],
  ] as const) {
    test(`${name} is stopped at the limit and not later, and memory stays within a few times of it`, () => {
      const { takenBytes, grownBytes } = takeUntilLimit(start, endless);
      assert.ok(takenBytes <= limits.maxLineBytes, `${takenBytes} bytes taken`);
      assert.ok(grownBytes < 3 * limits.maxLineBytes, `memory grew by ${grownBytes} bytes`);
    });
  }

  test('a line of exactly the limit passes, and one byte more does not', () => {
    const line = (length: number) => `type: a\n${'data: '.padEnd(length, 'x')}\n\n`;
    const small = { maxLineBytes: 100, maxEventBytes: 1_000 };
    assert.equal(read([text(line(100))], new FrameReader(small)).length, 1);
    assert.throws(() => read([text(line(101))], new FrameReader(small)), FrameLimitError);
    assert.throws(() => read(bytesOneByOne(text(line(101))), new FrameReader(small)), FrameLimitError);
    assert.equal(read(bytesOneByOne(text(line(100))), new FrameReader(small)).length, 1);
  });

  test('a tool result of 5 MB passes, in network pieces and in one', () => {
    const bytes = text(`type: tool-result\ndata: ${'x'.repeat(5_000_000)}\n\n`);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, index) =>
      bytes.subarray(index * 65_536, (index + 1) * 65_536),
    );
    assert.equal(read(pieces, new FrameReader(limits))[0]?.data.length, 5_000_000);
    assert.equal(read([bytes], new FrameReader(limits))[0]?.data.length, 5_000_000);
  });

  test('comments and frames that came before count for nothing', () => {
    const reader = new FrameReader({ maxLineBytes: 100, maxEventBytes: 200 });
    const frame = text(`: ${'c'.repeat(90)}\ntype: a\ndata: ${'x'.repeat(90)}\n\n`);
    for (let count = 0; count < 1_000; count++) assert.equal(reader.push(frame).length, 1);
  });
});
