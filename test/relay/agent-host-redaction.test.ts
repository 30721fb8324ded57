import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { HttpAgentHost } from '../../relay/agent-host/http-agent-host.ts';
import { REDACTED, SecretRedactor } from '../../relay/agent-host/secret-redactor.ts';
import { TurnRedactor } from '../../relay/agent-host/turn-redactor.ts';
import type { HostEvent } from '../../relay/protocol/events.ts';
import { startFaultyHost } from '../support/faulty-host.ts';
import { playTurn, startSession, textOf } from '../support/host-turn.ts';

const KEY = 'key-0123456789-canary';
const SECRET = 'p9QzT2mX_kLr8wYVdN3s';
const AT = '2026-09-16T09:15:42Z';

/** The events that come out when these chunks, then these events, go in. */
function redactTurn(secrets: readonly string[], chunks: readonly string[], ...rest: HostEvent[]): HostEvent[] {
  const redactor = new TurnRedactor(new SecretRedactor(secrets));
  const events: HostEvent[] = [];
  for (const chunk of chunks) redactor.push({ type: 'chunk', data: { chunk, timestamp: AT } }, events);
  for (const event of rest) redactor.push(event, events);
  redactor.flush(events);
  return events;
}

const chunksOf = (events: readonly HostEvent[]) =>
  events.flatMap((event) => (event.type === 'chunk' ? [event.data.chunk] : []));
const redactChunks = (secrets: readonly string[], ...chunks: string[]) => chunksOf(redactTurn(secrets, chunks));

test('a host that repeats key, secret and session id in every way is heard without them', async () => {
  const faulty = await startFaultyHost();
  const host = new HttpAgentHost({ baseUrl: faulty.url, apiKey: KEY });
  try {
    const session = await startSession(host);
    const { events, failure } = await playTurn(host, session, 'fault:chunk-secret-echo');
    assert.equal(failure, undefined);
    const everything = JSON.stringify(events) + textOf(events) + chunksOf(events).join('');
    for (const secret of [KEY, session.sessionSecret, session.hostSessionId]) {
      assert.equal(everything.includes(secret), false, secret);
    }
    const all = `${REDACTED} and ${REDACTED} and ${REDACTED}`;
    const answer = `It is ${all}. ${REDACTED} ${REDACTED} ${REDACTED}!`;
    assert.equal(chunksOf(events).join(''), answer);
    assert.equal(textOf(events), answer);
  } finally {
    host.close();
    await faulty.close();
  }
});

describe('a secret in the chunks', () => {
  test('is taken out wherever the chunks cut it, and the text around it stays', () => {
    const text = `before ${SECRET} after`;
    for (let cut = 0; cut <= text.length; cut++) {
      assert.equal(
        redactChunks([KEY, SECRET], text.slice(0, cut), text.slice(cut)).join(''),
        `before ${REDACTED} after`,
      );
    }
    assert.equal(redactChunks([KEY, SECRET], ...text).join(''), `before ${REDACTED} after`);
  });

  test('holds back no more than the end that may be its beginning', () => {
    assert.deepEqual(redactChunks([SECRET], 'Hello p9Qz', 'oom'), ['Hello ', 'p9Qzoom']);
    assert.deepEqual(redactChunks([SECRET], 'a p9Q, p', 'lain'), ['a p9Q, ', 'plain']);
  });

  test('leaves chunks alone that have nothing of it, down to the very same event', () => {
    const event: HostEvent = { type: 'chunk', data: { chunk: 'Hello', timestamp: AT } };
    assert.equal(redactTurn([SECRET], [], event)[0], event);
    assert.deepEqual(redactChunks([SECRET], '', 'x'), ['', 'x']);
  });

  test('is found when tool calls and thoughts come between its halves', () => {
    const thinking: HostEvent = { type: 'thinking', data: { message: '', timestamp: AT } };
    const events = redactTurn([SECRET], [SECRET.slice(0, 7)], thinking, {
      type: 'chunk',
      data: { chunk: SECRET.slice(7), timestamp: AT },
    });
    assert.deepEqual(
      events.map(({ type }) => type),
      ['thinking', 'chunk'],
    );
    assert.equal(chunksOf(events).join(''), REDACTED);
  });

  test('gives out what it held back before complete, error and done', () => {
    const complete: HostEvent = { type: 'complete', data: { message: '', response: { content: 'p9' }, timestamp: AT } };
    const error: HostEvent = { type: 'error', data: { logText: '', timestamp: AT } };
    for (const last of [complete, error, { type: 'done', data: { timestamp: AT } } satisfies HostEvent]) {
      const events = redactTurn([SECRET], ['text p9'], last);
      assert.deepEqual(
        events.map(({ type }) => type),
        ['chunk', 'chunk', last.type],
      );
      assert.deepEqual(chunksOf(events), ['text ', 'p9']);
    }
  });

  test('that is the beginning of another one, or overlaps itself, leaves nothing of either', () => {
    assert.equal(redactChunks(['abcd', 'abcdefgh'], 'x abcd', 'efgh y').join(''), `x ${REDACTED} y`);
    assert.equal(redactChunks(['abcd', 'abcdefgh'], 'x abcd', 'xyz').join(''), `x ${REDACTED}xyz`);
    assert.equal(redactChunks(['abcd', 'abcdefgh'], 'x abcd').join(''), `x ${REDACTED}`);
    assert.equal(redactChunks(['abab'], 'ab', 'aba', 'b').join(''), `${REDACTED}ab`);
    assert.equal(redactChunks(['aaab'], 'aa', 'aab').join(''), `a${REDACTED}`);
  });

  test('never leaks, whatever the text and the cuts: the pieces together are the whole text, redacted', () => {
    const secrets = ['abab', 'abcabc', 'babc'];
    const letters = fc.array(fc.constantFrom('a', 'b', 'c', ' ', ...secrets), { maxLength: 30 });
    fc.assert(
      fc.property(
        fc.array(
          letters.map((parts) => parts.join('')),
          { maxLength: 8 },
        ),
        (chunks) => {
          const whole = new SecretRedactor(secrets).redact(chunks.join(''));
          assert.equal(redactChunks(secrets, ...chunks).join(''), whole);
          for (const secret of secrets) assert.equal(whole.includes(secret), false);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('too short to be one is left alone', () => {
    assert.deepEqual(redactChunks(['a', ''], 'a banana'), ['a banana']);
  });
});

describe('a secret in JSON', () => {
  const quoted = 'p9"Q/z\\T2m';
  const redactor = new SecretRedactor([quoted, SECRET]);
  const nested = (value: unknown, depth: number): string =>
    depth === 0 ? JSON.stringify(value) : JSON.stringify({ text: nested(value, depth - 1) });

  for (const depth of [0, 1, 2, 3]) {
    test(`is taken out of JSON inside ${depth} strings of JSON, which stays valid`, () => {
      const json = nested({ a: `x ${quoted} y`, b: [SECRET] }, depth);
      const clean = redactor.redactJson(json);
      assert.equal(clean, nested({ a: `x ${REDACTED} y`, b: [REDACTED] }, depth));
    });
  }

  test('is taken out where it is escaped without need', () => {
    const byCode = Array.from(SECRET, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);
    assert.equal(redactor.redactJson(`["${byCode.join('')}"]`), `["${REDACTED}"]`);
    assert.equal(redactor.redactJson(`["${byCode.join('').toUpperCase().replaceAll('U', 'u')}"]`), `["${REDACTED}"]`);
    assert.equal(redactor.redactJson('["p9\\"Q\\/z\\\\T2m"]'), `["${REDACTED}"]`);
  });

  test('leaves other escapes as they are', () => {
    const json = nested({ a: 'line\nline "quoted" \\ / ü \u0001' }, 2);
    assert.equal(redactor.redactJson(json), json);
  });

  test('takes no longer than a moment in a tool result of 5 MB', () => {
    const json = nested(
      { rows: Array.from({ length: 100_000 }, (_, id) => ({ id, name: 'p9Q "quoted" \\ text p9QzT2m' })) },
      1,
    );
    assert.ok(json.length > 5_000_000);
    const startedAt = performance.now();
    assert.equal(redactor.redactJson(json), json);
    assert.ok(performance.now() - startedAt < 1_000);
  });
});
