import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { writeFrame } from '../../relay/protocol/frame-writer.ts';
import { RelayEventReader } from '../../widget/relay-events.ts';
import { frameOf } from '../support/scripted-relay.ts';
import { TurnEvents } from '../support/turn-events.ts';

const events = new TurnEvents();
const EVENTS = [
  events.question('message-1', 'Grüße?'),
  events.thinking('注文'),
  events.chunk('👩‍👩‍👧 text\n\ndata: not a line: of a frame\r\n'),
  events.toolCall({ id: 'call-1', name: 'lookup', input: { id: '1:2' } }),
  events.complete('whole'),
  events.done(),
];
const STREAM = Buffer.from(
  `:\n\n${EVENTS.slice(0, 3).map(frameOf).join('')}:\n\n${EVENTS.slice(3).map(frameOf).join('')}`,
);

suite('the events of the relay’s stream', () => {
  test('a stream that is cut in two at any byte gives the same events', () => {
    for (let cut = 0; cut <= STREAM.length; cut++) {
      const reader = new RelayEventReader();
      const received = [...reader.push(STREAM.subarray(0, cut)), ...reader.push(STREAM.subarray(cut))];
      assert.deepEqual(received, EVENTS, `cut at byte ${cut}`);
    }
  });

  test('a stream that comes byte by byte gives each event with its last byte', () => {
    const reader = new RelayEventReader();
    const received = [...STREAM].flatMap((byte) => reader.push(Uint8Array.of(byte)));
    assert.deepEqual(received, EVENTS);
  });

  test('a comment is a sign of life and no event', () => {
    assert.deepEqual(new RelayEventReader().push(Buffer.from(':\n\n:\n\n')), []);
  });

  test('an event without a number has none', () => {
    const [event] = new RelayEventReader().push(Buffer.from(writeFrame('chunk', '{"chunk":"a"}')));
    assert.deepEqual(event, { type: 'chunk', data: { chunk: 'a' }, turn: 0, sequence: 0 });
  });

  test('an event of five megabytes in small pieces costs less than half a second of the processor', () => {
    const bytes = Buffer.from(frameOf(new TurnEvents().toolResult('call-1', 'export', 'x'.repeat(5_000_000))));
    const reader = new RelayEventReader();
    let count = 0;
    const before = process.cpuUsage();
    for (let from = 0; from < bytes.length; from += 16_384)
      count += reader.push(bytes.subarray(from, from + 16_384)).length;
    assert.equal(count, 1);
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 500_000, `${(user + system) / 1000} ms`);
  });

  test('a line without an end is given up before it fills the memory', () => {
    const reader = new RelayEventReader();
    const piece = Buffer.from('x'.repeat(1_000_000));
    assert.throws(() => {
      for (let pieces = 0; pieces < 20; pieces++) reader.push(piece);
    }, RangeError);
  });
});
