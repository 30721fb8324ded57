import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { FrameReader } from '../../relay/protocol/frame-reader.ts';
import { writeFrame } from '../../relay/protocol/frame-writer.ts';

const DATA = JSON.stringify({ chunk: 'two\nlines, CR \r, U+2028 \u2028 and ü', timestamp: '2026-09-16T09:15:42Z' });

test("a frame is the host's two lines after two of ours", () => {
  assert.equal(
    writeFrame('chunk', '{"chunk":"Hello"}', '3:17'),
    'id: 3:17\nevent: chunk\ntype: chunk\ndata: {"chunk":"Hello"}\n\n',
  );
  assert.equal(writeFrame('done', '{}'), 'event: done\ntype: done\ndata: {}\n\n');
});

test('our own reader, a standard event-stream parser and a reader of type and data lines get the same out of it', () => {
  const wire = writeFrame('chunk', DATA, '3:17') + writeFrame('done', '{}', '3:18');

  const reader = new FrameReader({ maxLineBytes: 1_000, maxEventBytes: 1_000 });
  assert.deepEqual(reader.push(new TextEncoder().encode(wire)), [
    { type: 'chunk', data: DATA, id: '3:17' },
    { type: 'done', data: '{}', id: '3:18' },
  ]);

  const messages: EventSourceMessage[] = [];
  createParser({ onEvent: (message) => messages.push(message) }).feed(wire);
  assert.deepEqual(messages, [
    { event: 'chunk', data: DATA, id: '3:17' },
    { event: 'done', data: '{}', id: '3:18' },
  ]);

  const lines = wire.split('\n').filter((line) => /^(type|data): /.test(line));
  assert.deepEqual(lines, ['type: chunk', `data: ${DATA}`, 'type: done', 'data: {}']);
});
