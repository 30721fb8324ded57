import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage, request } from 'node:http';
import { describe, test } from 'node:test';
import type { StartedSession } from '../../relay/protocol/requests.ts';
import { EventReader, readEvents, typesOf } from '../support/event-reader.ts';
import { PAGE, type RelayUnderTest, startRelay } from '../support/relay-under-test.ts';
import { type HostAnswer, say, TIMESTAMP } from '../support/scripted-host.ts';

const chunk = (text: string) => ['chunk', { chunk: text, timestamp: TIMESTAMP }] as const;

/** Asks with Node's own client, whose reader can stop reading. */
async function askByHand(relay: RelayUnderTest, session: StartedSession, message: string): Promise<IncomingMessage> {
  const headers = { 'content-type': 'application/json', origin: PAGE, 'x-session-token': session.token };
  const asked = request(`${relay.url}/chat`, { method: 'POST', headers });
  asked.end(JSON.stringify({ sessionId: session.sessionId, message }));
  const [answer] = await once(asked, 'response');
  return answer;
}

describe('the answer stream', { concurrency: true }, () => {
  test('a reader whose line breaks while he is not reading has left: no failure is logged', async () => {
    await using relay = await startRelay();
    const session = await relay.startSession();
    const held = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    relay.host.onChat(async ({ frame, response }) => {
      response.once('close', left.resolve);
      const text = 'x'.repeat(16_000);
      for (let sent = 0; sent < 3_000 && !response.destroyed; sent++) {
        if (frame(...chunk(text))) continue;
        const waiting = setTimeout(held.resolve, 1_000);
        await Promise.race([once(response, 'drain'), left.promise]);
        clearTimeout(waiting);
      }
    });
    const answer = await askByHand(relay, session, 'A lot');
    answer.on('error', () => undefined).pause();
    await held.promise;
    answer.socket.resetAndDestroy();
    await left.promise;
    while (!relay.logged.some(({ msg }) => msg === 'turn')) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(
      relay.logged.filter(({ level, msg }) => level === 'error' || level === 50 || msg === 'internal error'),
      [],
    );
  });

  test('a reader who stops reading stops the host, and gets everything when he reads on', async () => {
    await using relay = await startRelay();
    const session = await relay.startSession();
    const pieces = 3_000;
    const text = 'x'.repeat(16_000);
    let sent = 0;
    const held = Promise.withResolvers<void>();
    relay.host.onChat(async ({ frame, response }) => {
      for (; sent < pieces; sent++) {
        if (frame(...chunk(`${sent} ${text}`))) continue;
        // The buffers on the way fill in no time: when they do not empty within a second, nobody empties them.
        const waiting = setTimeout(held.resolve, 1_000);
        await once(response, 'drain');
        clearTimeout(waiting);
      }
      say()({ frame, response } as HostAnswer);
    });
    const answer = await askByHand(relay, session, 'A lot');
    answer.pause();
    await held.promise;
    const sentWhenHeld = sent;
    assert.ok(sentWhenHeld < pieces * 0.75, `${sentWhenHeld} of ${pieces}`);

    answer.setEncoding('utf8').resume();
    let seen = '';
    const numbers: number[] = [];
    for await (const piece of answer) {
      const lines = (seen + piece).split('\n');
      seen = lines.pop() ?? '';
      for (const line of lines) {
        const number = /^data: \{"chunk":"(\d+) x/.exec(line)?.[1];
        if (number) numbers.push(Number(number));
      }
    }
    assert.deepEqual(
      numbers,
      Array.from({ length: pieces }, (_, index) => index),
    );
  });

  test('a silent answer says every 15 seconds that it is alive, in a line that readers skip', async () => {
    await using relay = await startRelay();
    const session = await relay.startSession();
    const arrived = Promise.withResolvers<HostAnswer>();
    relay.host.onChat(arrived.resolve);
    const asked = askByHand(relay, session, 'Hi');
    const hosted = await arrived.promise;
    hosted.frame(...chunk('a'));
    const answer = (await asked).setEncoding('utf8');
    let text = '';
    answer.on('data', (piece: string) => {
      text += piece;
      if (text.endsWith('\n\n:\n\n')) say('b')(hosted);
    });
    await once(answer, 'end');
    const events = await readEvents(new Response(text));
    assert.deepEqual(typesOf(events), ['question', 'chunk', 'chunk', 'complete', 'done']);
    assert.equal(text.split('\n').filter((line) => line === ':').length, 1);
  });

  test('whoever asks for the headers of the events alone gets no open line', async () => {
    await using relay = await startRelay();
    const session = await relay.startSession();
    const arrived = Promise.withResolvers<HostAnswer>();
    relay.host.onChat(arrived.resolve);
    const asked = relay.chat(session, 'Hi');
    const hosted = await arrived.promise;
    hosted.frame(...chunk('a'));
    const reader = new EventReader(await asked);
    const headed = await relay.about(session, 'HEAD', '/events');
    assert.equal(headed.status, 204);
    say('b')(hosted);
    await reader.rest();
  });

  test('a client of HTTP/1.0 reads a turn to its end', async () => {
    await using relay = await startRelay();
    const session = await relay.startSession();
    const body = JSON.stringify({ sessionId: session.sessionId, message: 'Hi' });
    const { sendRaw } = await import('../support/raw-request.ts');
    const answer = await sendRaw(
      relay.url,
      `POST /chat HTTP/1.0\r\nX-Session-Token: ${session.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    assert.equal(answer.status, 200);
    assert.doesNotMatch(answer.headers, /transfer-encoding/i);
    assert.deepEqual(typesOf(await readEvents(new Response(answer.body))), [
      'question',
      'chunk',
      'chunk',
      'complete',
      'done',
    ]);
  });
});

test('a request id from outside is taken when it is a plain one, and stands in answer and log', async () => {
  await using relay = await startRelay();
  const idOf = async (given: string) => {
    const asked = get(`${relay.url}/healthz`, { headers: { 'x-request-id': given } });
    const [answer] = await once(asked, 'response');
    answer.resume();
    return answer.headers['x-request-id'];
  };
  assert.equal(await idOf('proxy-4711-abcdef'), 'proxy-4711-abcdef');
  for (const odd of ['short', 'x'.repeat(65), 'with space in it', '<script>alert(1)</script>']) {
    assert.match(await idOf(odd), /^[0-9a-f-]{36}$/);
  }
  assert.ok(relay.logged.some(({ requestId }) => requestId === 'proxy-4711-abcdef'));
});
