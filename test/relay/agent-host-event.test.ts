import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readHostEvent } from '../../relay/agent-host/host-event.ts';
import { fullTurn } from '../support/faulty-host/answer.ts';

const AT = '2026-09-16T09:15:42Z';

function read(type: string, data: unknown) {
  const malformed: string[] = [];
  const json = typeof data === 'string' ? data : JSON.stringify(data);
  const event = readHostEvent({ type, data: json }, (eventType, field) => malformed.push(`${eventType}.${field}`));
  return { event, malformed };
}

test('the events of a turn come out as the host documents them', () => {
  for (const frame of fullTurn()) {
    assert.deepEqual(read(frame.type, frame.data), { event: frame, malformed: [] });
  }
});

test('fields that are not known stay behind, at every depth', () => {
  const toolResult = { name: 'n', role: 'tool', tool_call_id: 'id', content: '{}' };
  const { event } = read('tool-result', { timestamp: AT, toolResult: { ...toolResult, secret: 1 }, extra: 2 });
  assert.deepEqual(event, { type: 'tool-result', data: { timestamp: AT, toolResult } });
});

test('types that are not known are no events and no mistakes', () => {
  for (const type of ['usage', '', '__proto__', 'constructor', 'Chunk']) {
    assert.deepEqual(read(type, '{"chunk":"x"}'), { event: undefined, malformed: [] });
  }
});

describe('an absent field gets a sane value', () => {
  for (const [type, data, expected] of [
    ['thinking', { timestamp: AT }, { message: '', timestamp: AT }],
    ['thinking', { message: null, timestamp: AT }, { message: '', timestamp: AT }],
    [
      'complete',
      { response: { content: 'c' }, timestamp: AT },
      { message: '', response: { content: 'c' }, timestamp: AT },
    ],
    [
      'tool-result',
      { timestamp: AT, toolResult: { tool_call_id: 'id' } },
      { timestamp: AT, toolResult: { name: '', role: 'tool', tool_call_id: 'id' } },
    ],
    [
      'tool-call',
      { timestamp: AT, toolCall: { assistantMessage: { content: '[]' } } },
      { timestamp: AT, toolCall: { assistantMessage: { role: 'assistant', content: '[]' } } },
    ],
  ] as const) {
    test(`${type} ${JSON.stringify(data)}`, () => {
      assert.deepEqual(read(type, data), { event: { type, data: expected }, malformed: [] });
    });
  }

  test('a time that is absent, of another type or no time is now', () => {
    for (const timestamp of [undefined, 7, 'yesterday', '<img src=x>', '2026-09-16T09:15:42Z and more']) {
      const before = Date.now();
      const { event } = read('chunk', { chunk: 'x', timestamp });
      const readAtMs = Date.parse(event!.data.timestamp);
      assert.ok(readAtMs >= before && readAtMs <= Date.now());
    }
  });

  test('times of the forms that hosts write stay as they are', () => {
    for (const timestamp of [
      AT,
      '2026-09-16T09:14:02.331904512Z',
      '2026-09-16T11:15:42+02:00',
      '2026-09-16 09:15:42',
    ]) {
      assert.equal(read('chunk', { chunk: 'x', timestamp }).event?.data.timestamp, timestamp);
    }
  });
});

describe('an event that means nothing without a field is left out when the field is wrong, and reported', () => {
  for (const [type, data, field] of [
    ['chunk', { timestamp: AT }, 'chunk'],
    ['chunk', { chunk: 7 }, 'chunk'],
    ['chunk', { chunk: ['x'] }, 'chunk'],
    ['chunk', 'null', 'data'],
    ['chunk', '[]', 'data'],
    ['chunk', '"text"', 'data'],
    ['chunk', '{"chunk":"half', 'data'],
    ['chunk', '', 'data'],
    ['chunk', '{"__proto__":{"chunk":"x"}}', 'chunk'],
    ['thinking', '7', 'data'],
    ['tool-call', { toolCall: { assistantMessage: { content: [] } } }, 'content'],
    ['tool-call', { toolCall: 'x' }, 'toolCall'],
    ['tool-result', { toolResult: { content: 'x' } }, 'tool_call_id'],
    ['complete', { response: null }, 'response'],
    ['complete', { response: { content: 7 } }, 'content'],
  ] as const) {
    test(`${type} ${JSON.stringify(data)}`, () => {
      const { event, malformed } = read(type, data);
      assert.equal(event, undefined);
      assert.ok(malformed.includes(`${type}.${field}`), malformed.join());
    });
  }
});

test('figures that are no figures stay away, and the answer stays', () => {
  const response = '{"content":"c","tokensUsed":"7","maxTokens":-1,"contextPercentage":1e999}';
  const { event, malformed } = read('complete', `{"message":"m","response":${response},"timestamp":"${AT}"}`);
  assert.deepEqual(event, { type: 'complete', data: { message: 'm', response: { content: 'c' }, timestamp: AT } });
  assert.deepEqual(malformed, ['complete.tokensUsed', 'complete.maxTokens', 'complete.contextPercentage']);
});

test('a context that is more than full is full', () => {
  const { event } = read('complete', { response: { content: 'c', contextPercentage: 130.5 }, timestamp: AT });
  assert.equal(event?.type === 'complete' && event.data.response.contextPercentage, 100);
});

test('an error is one whatever its data, and what it says is kept for the log, cut short', () => {
  for (const [data, logText] of [
    [{ message: 'busy' }, 'busy'],
    [{ error: 'busy' }, 'busy'],
    [{ error: { message: 'busy', code: 7 } }, 'busy'],
    ['it broke', 'it broke'],
    ['', ''],
    [{ message: 'x'.repeat(10_000) }, 'x'.repeat(500)],
  ] as const) {
    const { event, malformed } = read('error', data);
    assert.equal(event?.type === 'error' && event.data.logText, logText);
    assert.deepEqual(malformed, []);
  }
});

test('done is done whatever its data', () => {
  for (const data of ['{}', '', 'null', '{"timestamp":7}', 'no json'])
    assert.equal(read('done', data).event?.type, 'done');
});

test('JSON that is nested 100 000 deep harms nobody', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  assert.equal(read('chunk', `{"chunk":"x","extra":${deep}}`).event?.type, 'chunk');
  assert.equal(read('tool-result', `{"toolResult":{"tool_call_id":"a","content":${deep}}}`).event?.type, 'tool-result');
});

test('names with a meaning in JavaScript change nothing', () => {
  const { event } = read(
    'chunk',
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"chunk":"x"}',
  );
  assert.deepEqual(Object.keys(event!.data), ['chunk', 'timestamp']);
  assert.equal(({} as { polluted?: number }).polluted, undefined);
});
