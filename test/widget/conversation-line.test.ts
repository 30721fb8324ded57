import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, suite, test } from 'node:test';
import { ScriptedRelay } from '../support/scripted-relay.ts';
import { TestBrowser, type TestElement, type TestPage } from '../support/widget-page.ts';

let relay: ScriptedRelay;
let browser: TestBrowser;
let page: TestPage;
let element: TestElement;

beforeEach(async () => {
  relay = await ScriptedRelay.start();
  browser = new TestBrowser();
  page = browser.openPage();
  element = await page.addElement({ relay: relay.address, persist: 'tab' }).opened();
});

afterEach(async () => {
  mock.timers.reset();
  browser.close();
  await relay.close();
});

/** Sends a message and has the beginning of its answer written. */
async function beginAnswer(text = 'one '): Promise<void> {
  element.controller.send('Count');
  await relay.streams(1);
  relay.say((events) => [events.chunk(text)]);
  await element.answered(text, 'writing');
}

/** Lets waiting end at once, as often as it begins, until the state is so. */
async function hurryUntil(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) {
    page.show('visible');
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

suite('a line that is lost', { timeout: 20_000 }, () => {
  test('a cut answer is read on after its last event, without a gap, a repeat or a second message', async () => {
    await beginAnswer('0 ');
    let expected = '0 ';
    for (let number = 1; number <= 8; number++) {
      relay.cutLines();
      relay.say((events) => [events.chunk(`${number} `)]);
      expected += `${number} `;
      await element.answered(expected, 'writing');
    }
    relay.say((events) => [events.complete(expected), events.done()]);
    await element.answered(expected);
    assert.equal(relay.count('POST /chat'), 1);
    const { headers } = await relay.called('GET /session/:id/events');
    assert.equal(headers['last-event-id'], '1:2');
  });

  test('a line that is cut again before anything came is taken up from the same place', async () => {
    await beginAnswer();
    let cuts = 0;
    relay.intercept = ({ route, response }) => {
      if (route !== 'GET /session/:id/events' || cuts === 2) return false;
      cuts += 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      setImmediate(() => response.destroy());
      return true;
    };
    relay.cutLines();
    await relay.called('GET /session/:id/events', 3);
    relay.say((events) => [events.chunk('two'), events.done()]);
    await element.answered('one two');
    const places = relay.calls
      .filter(({ route }) => route === 'GET /session/:id/events')
      .map(({ headers }) => headers['last-event-id']);
    assert.deepEqual(places, ['1:2', '1:2', '1:2']);
  });

  test('a stream that ends in good order without done is asked for again while the turn runs', async () => {
    await beginAnswer();
    for (const { response } of relay.session.readers) response.end();
    await relay.called('GET /session/:id/events');
    await relay.streams(1);
    relay.say((events) => [events.chunk('two'), events.done()]);
    await element.answered('one two');
  });

  test('an answer whose end was lost everywhere is told to be incomplete, and keeps its text', async () => {
    await beginAnswer();
    relay.session.runningTurn = undefined;
    for (const { response } of relay.session.readers) response.end();
    const answer = await element.answered('one ', 'incomplete');
    assert.equal(answer.problem?.code, 'stream_incomplete');
    assert.equal(element.controller.sendAgain(answer.id), true);
  });

  test('an end that the stream lost is found in the log, so that nothing spins for ever', async () => {
    await beginAnswer();
    for (const reader of relay.session.readers) {
      relay.session.readers.delete(reader);
      reader.response.destroy();
    }
    relay.say((events) => [events.chunk('two'), events.complete('one two'), events.done()]);
    await element.answered('one two');
  });

  test('trying ends visibly after a while, keeps what was written, and can be begun again', async () => {
    await beginAnswer();
    relay.intercept = ({ response }) => {
      response.destroy();
      return true;
    };
    relay.cutLines();
    await hurryUntil(() => element.conversation.line === 'lost');
    assert.equal(element.answers[0]?.text, 'one ');
    assert.equal(element.answers[0]?.status, 'writing');
    assert.equal(relay.count('POST /chat'), 1);
    relay.intercept = () => false;
    element.controller.resume();
    await relay.streams(1);
    relay.say((events) => [events.chunk('two'), events.done()]);
    await element.answered('one two');
    assert.equal(element.conversation.line, 'online');
  });

  test('a message whose request was lost before any answer is joined if the relay knows it', async () => {
    relay.intercept = (call) => {
      if (call.route !== 'POST /chat') return false;
      const { session } = relay;
      session.runningTurn = 1;
      session.turnOfMessage.set(String(call.body.messageId), 1);
      relay.say((events) => [events.question(String(call.body.messageId), String(call.body.message))]);
      call.response.destroy();
      return true;
    };
    element.controller.send('Count');
    await relay.streams(1);
    relay.say((events) => [events.chunk('one'), events.done()]);
    await element.answered('one');
    assert.equal(relay.count('POST /chat'), 1);
  });

  test('a message whose request was lost and that the relay does not know is failed, and never sent again by itself', async () => {
    relay.intercept = ({ route, response }) => {
      if (route !== 'POST /chat') return false;
      response.destroy();
      return true;
    };
    element.controller.send('Count');
    const answer = await element.answered('', 'failed');
    assert.equal(answer.problem?.code, 'upstream_unreachable');
    assert.equal(answer.problem.retryable, true);
    page.fire('online');
    page.show('visible');
    element.controller.resume();
    await element.until((conversation) => conversation.line === 'online');
    assert.equal(relay.count('POST /chat'), 1);
  });

  for (const [name, status, type, body] of [
    ['a proxy’s page with status 500', 500, 'text/html', '<h1>Internal Server Error</h1>'],
    ['a proxy’s page with status 200', 200, 'text/html', '<h1>Please log in to the network</h1>'],
    ['JSON that is not the relay’s', 502, 'application/json', '{"message":"Bad gateway"}'],
    ['an empty answer', 504, 'text/plain', ''],
  ] as const) {
    test(`${name} is no word of the relay: it is asked what it knows, and nothing of the page is shown`, async () => {
      relay.intercept = ({ route, response }) => {
        if (route !== 'POST /chat') return false;
        response.writeHead(status, { 'content-type': type }).end(body);
        return true;
      };
      element.controller.send('Count');
      const answer = await element.answered('', 'failed');
      assert.equal(answer.problem?.code, 'upstream_unreachable');
      assert.equal(answer.problem.detail, '');
      assert.equal(relay.count('POST /chat'), 1);
      assert.equal(relay.count('GET /session/:id'), 1);
    });
  }

  test('another tab’s running turn makes this message fail, and its answer is read here too', async () => {
    const { session } = relay;
    session.runningTurn = 1;
    session.turnOfMessage.set('other-message', 1);
    relay.say((events) => [events.question('other-message', 'Other?'), events.chunk('Other')]);
    element.controller.send('Mine?');
    await relay.streams(1);
    relay.say((events) => [events.chunk('.'), events.done()]);
    await element.until(() => element.answers.length === 2 && element.answers[1]?.status === 'complete');
    assert.deepEqual(
      element.answers.map(({ status, text, problem }) => [status, text, problem?.code]),
      [
        ['failed', '', 'turn_running'],
        ['complete', 'Other.', undefined],
      ],
    );
  });

  test('events outside of turns that came while nobody read are not lost when the next turn begins', async () => {
    await beginAnswer();
    relay.say((events) => [events.done()]);
    await element.answered('one ');
    await relay.streams(0);
    relay.say((events) => [events.event('domain', { active: 'bus' }, 0)]);
    element.controller.send('Next');
    await relay.streams(1);
    relay.say((events) => [events.chunk('two'), events.done()]);
    await element.answered('two');
    assert.equal(element.conversation.domain, 'bus');
  });

  test('a relay that restarts and says so is waited for', async () => {
    await beginAnswer();
    let refusals = 0;
    relay.intercept = ({ route, response }) => {
      if (route !== 'GET /session/:id/events' || refusals === 2) return false;
      refusals += 1;
      return relay.refuse(response, 503, 'shutting_down');
    };
    relay.cutLines();
    await relay.called('GET /session/:id/events', 3);
    await relay.streams(1);
    relay.say((events) => [events.done()]);
    await element.answered('one ');
  });

  test('a stop reaches the relay also on a resumed stream', async () => {
    await beginAnswer();
    relay.cutLines();
    await relay.called('GET /session/:id/events');
    await relay.streams(1);
    element.controller.stop();
    await element.answered('one ', 'stopped');
  });

  test('a stop that does not get through is told again while the turn runs', async () => {
    await beginAnswer();
    relay.intercept = ({ route, response }) => {
      if (route !== 'POST /session/:id/stop' || relay.count(route) > 1) return false;
      response.destroy();
      return true;
    };
    element.controller.stop();
    await element.answered('one ', 'stopped');
    assert.equal(relay.count('POST /session/:id/stop'), 2);
  });
});

suite('a page that sleeps, hides or goes', { timeout: 20_000 }, () => {
  test('offline is shown at once, and online takes the answer up at once on a new connection', async () => {
    await beginAnswer();
    page.fire('offline');
    assert.equal(element.conversation.line, 'offline');
    const dead = [...relay.session.readers];
    page.fire('online');
    await relay.called('GET /session/:id/events');
    await element.until((conversation) => conversation.line === 'online');
    relay.say((events) => [events.chunk('two'), events.done()]);
    await element.answered('one two');
    assert.equal(dead[0]?.response.destroyed, true);
  });

  test('a notice of being offline disappears when the network is back, and the next message goes out', async () => {
    page.fire('offline');
    assert.equal(element.conversation.line, 'offline');
    page.fire('online');
    assert.equal(element.conversation.line, 'online');
    await beginAnswer();
  });

  test('while the device is offline nothing is tried, and trying does not end', async () => {
    await beginAnswer();
    page.fire('offline');
    relay.cutLines();
    await element.until((conversation) => conversation.line === 'offline');
    const before = relay.calls.length;
    for (let times = 0; times < 40; times++) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(relay.calls.length, before);
    page.fire('online');
    await relay.streams(1);
    relay.say((events) => [events.done()]);
    await element.answered('one ');
  });

  test('a phone that slept shows question and half answer until the stream is taken up on waking', async () => {
    await beginAnswer();
    relay.intercept = ({ response }) => {
      response.destroy();
      return true;
    };
    page.show('hidden');
    relay.cutLines();
    await element.until((conversation) => conversation.line === 'resuming');
    assert.deepEqual(
      element.conversation.entries.map((entry) => 'text' in entry && entry.text),
      ['Hello!', 'Count', 'one '],
    );
    relay.intercept = () => false;
    page.show('visible');
    await relay.streams(1);
    relay.say((events) => [events.chunk('two'), events.done()]);
    await element.answered('one two');
    assert.equal(element.conversation.line, 'online');
  });

  test('errors after pagehide are no errors, and pageshow takes the answer up', async () => {
    await beginAnswer();
    const before = element.conversation;
    page.fire('pagehide');
    await relay.streams(0);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(element.conversation, before);
    page.fire('pageshow');
    await relay.streams(1);
    relay.say((events) => [events.chunk('two'), events.done()]);
    await element.answered('one two');
    assert.equal(relay.count('POST /chat'), 1);
  });

  test('a page that rests keeps no channel open, and learns on return that its session is over', async () => {
    page.fire('pagehide');
    assert.equal(page.channels.size, 0);
    relay.sessions.clear();
    page.fire('pageshow');
    await element.until((conversation) => conversation.session.type === 'ended');
    assert.deepEqual(element.conversation.session, { type: 'ended', reason: 'deleted' });
  });

  test('a session that was being started when the page was left is started when it is back', async () => {
    relay.intercept = ({ response }) => {
      response.destroy();
      return true;
    };
    const late = page.addElement({ relay: relay.address, persist: 'none' });
    late.controller.start();
    page.fire('pagehide');
    await relay.called('POST /session', 2);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(late.conversation.session.type, 'starting');
    relay.intercept = () => false;
    page.fire('pageshow');
    await late.until((conversation) => conversation.session.type === 'open');
  });

  test('a connection that is silent for 45 s is given up in a visible page, and left alone in a hidden one', async () => {
    mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.now() });
    await beginAnswer();
    const [reader] = relay.session.readers;
    page.show('hidden');
    mock.timers.tick(300_000);
    assert.equal(relay.count('GET /session/:id/events'), 0);
    reader?.response.write(':\n\n');
    relay.say((events) => [events.chunk('two ')]);
    await element.answered('one two ', 'writing');
    page.show('visible');
    mock.timers.tick(40_000);
    assert.equal(relay.openStreams, 1);
    assert.equal(relay.count('GET /session/:id/events'), 0);
    mock.timers.tick(10_000);
    await relay.called('GET /session/:id/events');
    await relay.streams(1);
    relay.say((events) => [events.chunk('three'), events.done()]);
    await element.answered('one two three');
  });

  test('comments keep a quiet connection alive', async () => {
    mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.now() });
    await beginAnswer();
    for (let beats = 0; beats < 8; beats++) {
      const [reader] = relay.session.readers;
      reader?.response.write(':\n\n');
      // The comment has come when what was sent after it has.
      relay.say((events) => [events.chunk('.')]);
      await element.answered(`one ${'.'.repeat(beats + 1)}`, 'writing');
      mock.timers.tick(15_000);
    }
    assert.equal(relay.count('GET /session/:id/events'), 0);
    assert.equal(relay.openStreams, 1);
  });

  test('an element that is removed and added again 50 times while an answer streams loses nothing and opens nothing', async () => {
    await beginAnswer();
    const listeners = page.listeners;
    let expected = 'one ';
    for (let times = 0; times < 50; times++) {
      element.controller.hostDisconnected();
      relay.say((events) => [events.chunk(`${times} `)]);
      expected += `${times} `;
      element.controller.hostConnected();
    }
    await element.answered(expected, 'writing');
    assert.equal(page.listeners, listeners);
    assert.equal(relay.count('GET /session/:id/events'), 0);
    assert.equal(relay.openStreams, 1);
    relay.say((events) => [events.done()]);
    await element.answered(expected);
  });

  test('an element that is removed for good lets go of its stream, its listeners and its channel', async () => {
    await beginAnswer();
    element.controller.hostDisconnected();
    await relay.streams(0);
    assert.equal(page.listeners, 0);
    assert.equal(page.channels.size, 0);
    element.controller.hostConnected();
    await relay.streams(1);
    relay.say((events) => [events.chunk('two'), events.done()]);
    await element.answered('one two');
    assert.equal(relay.count('POST /chat'), 1);
  });
});
