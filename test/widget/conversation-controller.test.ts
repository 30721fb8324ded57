import assert from 'node:assert/strict';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { ScriptedRelay } from '../support/scripted-relay.ts';
import { TestBrowser, type TestElement } from '../support/widget-page.ts';

let relay: ScriptedRelay;
let browser: TestBrowser;

beforeEach(async () => {
  relay = await ScriptedRelay.start();
  browser = new TestBrowser();
});

afterEach(async () => {
  browser.close();
  await relay.close();
});

function options(persist: 'tab' | 'device' | 'none' = 'none') {
  return { relay: relay.address, persist };
}

function addElement(): TestElement {
  return browser.openPage().addElement(options());
}

suite('a conversation with a relay that works', { timeout: 10_000 }, () => {
  test('nothing is called, stored or listened to before the start', async () => {
    const page = browser.openPage();
    const element = page.addElement(options('device'));
    assert.equal(element.conversation.session.type, 'none');
    assert.equal(relay.calls.length, 0);
    assert.equal(browser.deviceStorage.length, 0);
    assert.equal(page.listeners, 0);
  });

  test('starting several times at once starts one session', async () => {
    const element = addElement();
    for (let times = 0; times < 5; times++) element.controller.start();
    await element.until((conversation) => conversation.session.type === 'open');
    assert.equal(relay.count('POST /session'), 1);
    assert.equal(element.conversation.entries[0]?.type, 'greeting');
  });

  test('a message becomes one turn and its answer is shown chunk by chunk', async () => {
    const element = await addElement().opened();
    assert.equal(element.controller.send('Where is my order?'), true);
    await relay.streams(1);
    relay.say((events) => [events.thinking('Looking')]);
    await element.until(() => element.answers[0]?.thinking === 'Looking');
    relay.say((events) => [events.chunk('On its ')]);
    await element.answered('On its ', 'writing');
    relay.say((events) => [events.chunk('way.'), events.complete('On its way.'), events.done()]);
    await element.answered('On its way.');
    assert.equal(relay.count('POST /chat'), 1);
    assert.equal(element.conversation.line, 'online');
    await relay.streams(0);
  });

  test('events of one network read are one update of the element', async () => {
    const element = await addElement().opened();
    element.controller.send('Hi');
    await relay.streams(1);
    await element.until(() => element.answers[0]?.turn === 1);
    const before = element.updates;
    relay.say((events) => Array.from({ length: 100 }, (_, index) => events.chunk(`${index} `)));
    await element.until(() => element.answers[0]?.text.endsWith('99 ') === true);
    assert.equal(element.updates - before, 1);
  });

  test('a message before the start starts the session and then goes out', async () => {
    const element = addElement();
    assert.equal(element.controller.send('Hi'), true);
    assert.equal(element.answers[0]?.status, 'waiting');
    await relay.streams(1);
    relay.say((events) => [events.chunk('Hello'), events.done()]);
    await element.answered('Hello');
    assert.equal(relay.count('POST /session'), 1);
  });

  test('Enter pressed five times on a slow line is one request', async () => {
    const element = await addElement().opened();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    relay.intercept = async ({ route }) => {
      if (route === 'POST /chat') await held;
      return false;
    };
    const taken = [1, 2, 3, 4, 5].map(() => element.controller.send('Hi'));
    assert.deepEqual(taken, [true, false, false, false, false]);
    release();
    await relay.streams(1);
    relay.say((events) => [events.done()]);
    await element.answered('');
    assert.equal(relay.count('POST /chat'), 1);
  });

  test('the same text twice is two turns with two message ids', async () => {
    const element = await addElement().opened();
    for (const times of [1, 2]) {
      assert.equal(element.controller.send('ok'), true);
      await relay.called('POST /chat', times);
      await relay.streams(1);
      relay.say((events) => [events.chunk(`answer ${times}`), events.done()]);
      await element.answered(`answer ${times}`);
      await relay.streams(0);
    }
    const ids = relay.calls.filter(({ route }) => route === 'POST /chat').map(({ body }) => body.messageId);
    assert.equal(new Set(ids).size, 2);
    assert.match(String(ids[0]), /^\d+-\d+-\d+-\d+$/);
  });

  test('a blank message is not sent', async () => {
    const element = await addElement().opened();
    assert.equal(element.controller.send(' \n'), false);
    assert.equal(element.conversation.entries.length, 1);
  });

  test('a stop is told to the relay once, and the half answer stays, marked as stopped', async () => {
    const element = await addElement().opened();
    element.controller.send('Hi');
    await relay.streams(1);
    relay.say((events) => [events.chunk('half')]);
    await element.answered('half', 'writing');
    element.controller.stop();
    await element.answered('half', 'stopped');
    assert.equal(relay.count('POST /session/:id/stop'), 1);
  });

  test('a stop before the message went out keeps it from going out', async () => {
    const element = addElement();
    element.controller.send('Hi');
    element.controller.stop();
    await element.until((conversation) => conversation.session.type === 'open');
    assert.equal(element.answers[0]?.status, 'stopped');
    assert.equal(relay.count('POST /chat'), 0);
  });

  test('a stop that comes to the relay before the message is told again when the turn begins', async () => {
    const element = await addElement().opened();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    relay.intercept = async ({ route }) => {
      if (route === 'POST /chat') await held;
      return false;
    };
    element.controller.send('Hi');
    await relay.called('POST /chat');
    element.controller.stop();
    await relay.called('POST /session/:id/stop');
    release();
    await element.answered('', 'stopped');
  });

  test('the relay gets the session’s token in its header, and no cookie or page address', async () => {
    const element = await addElement().opened();
    element.controller.send('Hi');
    const { headers } = await relay.called('POST /chat');
    assert.equal(headers['x-session-token'], relay.session.token);
    assert.equal(headers.cookie, undefined);
    assert.equal(headers.referer, undefined);
    assert.equal(headers['content-type'], 'application/json');
  });

  test('what the relay refuses is a failed answer that can be sent again, as a new turn', async () => {
    const element = await addElement().opened();
    relay.intercept = ({ route, response }) =>
      route === 'POST /chat' && relay.refuse(response, 502, 'upstream_unreachable');
    element.controller.send('Hi');
    const failed = await element.answered('', 'failed');
    assert.deepEqual(failed.problem, {
      code: 'upstream_unreachable',
      detail: 'Refused.',
      retryable: true,
      requestId: 'request-1',
    });
    relay.intercept = () => false;
    assert.equal(element.controller.sendAgain(failed.id), true);
    await relay.streams(1);
    relay.say((events) => [events.chunk('Hello'), events.done()]);
    await element.answered('Hello');
    const [first, second] = relay.calls.filter(({ route }) => route === 'POST /chat');
    assert.equal(first?.body.message, second?.body.message);
    assert.notEqual(first?.body.messageId, second?.body.messageId);
  });

  test('a relay that asks to wait is not asked before', async () => {
    const element = await addElement().opened();
    relay.intercept = ({ route, response }) =>
      route === 'POST /chat' && relay.refuse(response, 429, 'rate_limited', { retryAfterMs: 60_000 });
    element.controller.send('Hi');
    await element.answered('', 'failed');
    const wait = (element.conversation.busyUntilMs ?? 0) - Date.now();
    assert.ok(wait > 55_000 && wait <= 60_000, `it waits ${wait} ms`);
    assert.equal(element.controller.send('Hi again'), false);
    assert.equal(relay.count('POST /chat'), 1);
  });

  test('a session that cannot be started is told, and another start tries again', async () => {
    const element = addElement();
    relay.intercept = ({ route, response }) =>
      route === 'POST /session' && relay.refuse(response, 502, 'misconfigured', { retryable: false });
    element.controller.send('Hi');
    await element.answered('', 'failed');
    assert.equal(element.conversation.session.type, 'failed');
    assert.equal(element.answers[0]?.problem?.code, 'misconfigured');
    relay.intercept = () => false;
    await element.opened();
    assert.equal(relay.count('POST /session'), 2);
  });

  test('an expired session is ended with a notice, and a new one begins only after a reset', async () => {
    const element = await addElement().opened();
    relay.intercept = ({ route, response }) =>
      route === 'POST /chat' && relay.refuse(response, 410, 'session_expired', { retryable: false });
    element.controller.send('Hi');
    await element.until((conversation) => conversation.session.type === 'ended');
    assert.deepEqual(element.conversation.session, { type: 'ended', reason: 'expired' });
    assert.equal(element.answers[0]?.status, 'failed');
    element.controller.start();
    assert.equal(element.controller.send('Hi again'), false);
    assert.equal(element.conversation.session.type, 'ended');
    element.controller.reset();
    await element.opened();
    assert.equal(relay.count('POST /session'), 2);
    assert.equal(element.answers.length, 0);
  });

  test('a session ends when its hour is over, by its length and not by the relay’s clock', async () => {
    relay.lifeMs = 50;
    const element = await addElement().opened();
    await element.until((conversation) => conversation.session.type === 'ended');
    assert.deepEqual(element.conversation.session, { type: 'ended', reason: 'expired' });
  });

  test('an answer that runs when the hour ends is read to its end', async () => {
    relay.lifeMs = 50;
    const element = addElement();
    element.controller.send('Hi');
    await relay.streams(1);
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
    relay.say((events) => [events.chunk('whole'), events.done()]);
    await element.answered('whole');
    assert.equal(element.conversation.session.type, 'ended');
  });

  test('a reset ends the session at the relay and forgets it here', async () => {
    const page = browser.openPage();
    const element = await page.addElement(options('device')).opened();
    assert.equal(browser.deviceStorage.length, 1);
    element.controller.reset();
    assert.equal(element.conversation.session.type, 'none');
    assert.equal(element.conversation.entries.length, 0);
    assert.equal(browser.deviceStorage.length, 0);
    assert.equal(page.listeners, 0);
    await relay.called('DELETE /session/:id');
  });

  test('a code that the visitor types goes to the relay, and a refused one is told', async () => {
    const element = await addElement().opened();
    element.controller.send('Pay');
    await relay.streams(1);
    relay.say((events) => [
      events.event('verification', {
        transactionId: 'transaction-1',
        tool: 'pay',
        domain: 'shop',
        arguments: {},
        expiresAt: new Date(Date.now() + 60_000).toISOString(),
        attemptsLeft: 3,
      }),
      events.done(),
    ]);
    await element.answered('');
    relay.intercept = ({ route, response }) =>
      route === 'POST /session/:id/verification' && relay.refuse(response, 400, 'invalid_request');
    element.controller.verify('transaction-1', '000000');
    await element.until((conversation) => conversation.verification?.problem?.code === 'invalid_request');
    relay.intercept = ({ route }) => {
      if (route === 'POST /session/:id/verification') {
        relay.say((events) => [
          events.event('verification-settled', { transactionId: 'transaction-1', outcome: 'verified' }, 0),
          events.event('verification-settled', { transactionId: 'transaction-1', outcome: 'started' }, 0),
        ]);
      }
      return false;
    };
    element.controller.verify('transaction-1', '123456');
    await element.until((conversation) => conversation.verification === undefined);
    const { body } = await relay.called('POST /session/:id/verification', 2);
    assert.deepEqual(body, { transactionId: 'transaction-1', code: '123456' });
  });
});
