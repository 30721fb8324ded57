import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventStreamReader, type StreamEvent } from '../../relay/tool-gateway/event-stream-reader.ts';

const STREAM =
  ': hello\r\nid: 7\r\ndata: {"a":"ü😀"}\r\n\r\nevent: other\ndata:x\ndata: y\n\n\n: only a comment\r\rdata\n\ndata: cut';
const EVENTS: StreamEvent[] = [
  { type: undefined, id: '7', data: '{"a":"ü😀"}' },
  { type: 'other', id: undefined, data: 'x\ny' },
  { type: undefined, id: undefined, data: '' },
  { type: undefined, id: undefined, data: '' },
];

test('a stream gives the same events wherever it is cut', () => {
  const bytes = Buffer.from(STREAM);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const reader = new EventStreamReader();
    const events = [...reader.push(bytes.subarray(0, cut)), ...reader.push(bytes.subarray(cut))];
    assert.deepEqual(events, EVENTS, `cut at ${cut}`);
  }
});
