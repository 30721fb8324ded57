import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, suite, test } from 'node:test';
import { ScriptedRelay } from '../support/scripted-relay.ts';
import { MemoryStorage, TestBrowser, type TestElement, type TestPage } from '../support/widget-page.ts';

let relay: ScriptedRelay;
let browser: TestBrowser;

beforeEach(async () => {
  relay = await ScriptedRelay.start();
  browser = new TestBrowser();
});

afterEach(async () => {
  mock.timers.reset();
  browser.close();
  await relay.close();
});

const options = (persist: 'tab' | 'device' | 'none') => ({ relay: relay.address, persist });

/** Opens a tab of the same browser with a conversation that the device remembers. */
async function openTab(page: TestPage = browser.openPage()): Promise<TestElement & { page: TestPage }> {
  const element = await page.addElement(options('device')).opened();
  return Object.assign(element, { page });
}

async function ask(tab: TestElement, streams = 1): Promise<void> {
  tab.controller.send('Count');
  await relay.streams(streams);
  relay.say((events) => [events.chunk('one ')]);
  await tab.answered('one ', 'writing');
}

suite('a conversation after a reload', { timeout: 10_000 }, () => {
  test('it is there again, with the running answer, whose text continues without gap or repeat', async () => {
    const tabStorage = new MemoryStorage();
    const before = browser.openPage({ tabStorage });
    await ask(await before.addElement(options('tab')).opened());
    before.leave();
    relay.say((events) => [events.chunk('two ')]);
    const element = await browser.openPage({ tabStorage }).addElement(options('tab')).opened();
    assert.deepEqual(
      element.conversation.entries.map((entry) => 'text' in entry && entry.text),
      ['Hello!', 'Count', 'one two '],
    );
    await relay.streams(1);
    relay.say((events) => [events.chunk('three'), events.done()]);
    await element.answered('one two three');
    assert.equal(relay.count('POST /session'), 1);
    assert.equal(relay.count('POST /chat'), 1);
  });

  test('stop works after it', async () => {
    const first = await openTab();
    await ask(first);
    first.page.leave();
    const second = await openTab();
    second.controller.stop();
    await second.answered('one ', 'stopped');
  });

  test('a session that is over is forgotten, and a new one begins', async () => {
    const first = await openTab();
    first.page.leave();
    relay.sessions.clear();
    await openTab();
    assert.equal(relay.count('POST /session'), 2);
    assert.match(
      browser.deviceStorage.getItem(browser.deviceStorage.key(0)!)!,
      new RegExp([...relay.sessions.keys()][0]!),
    );
  });

  test('a relay that cannot be reached is told, and the session is kept for the next try', async () => {
    const first = await openTab();
    first.page.leave();
    relay.intercept = ({ response }) => {
      response.destroy();
      return true;
    };
    const second = browser.openPage().addElement(options('device'));
    second.controller.start();
    await second.until((conversation) => conversation.session.type === 'failed');
    relay.intercept = () => false;
    await second.opened();
    assert.equal(relay.count('POST /session'), 1);
  });

  test('another visitor’s conversation is ended and never shown', async () => {
    const first = await openTab();
    await ask(first);
    first.page.leave();
    const other = browser.openPage().addElement({ ...options('device'), userId: 'another' });
    await other.opened();
    assert.equal(other.answers.length, 0);
    await relay.called('DELETE /session/:id');
    assert.equal(relay.count('POST /session'), 2);
  });

  test('a visitor who logs in gets a new conversation', async () => {
    const first = await openTab();
    first.page.leave();
    const loggedIn = browser.openPage().addElement({ ...options('device'), authorization: 'Bearer visitor' });
    await loggedIn.opened();
    assert.equal(relay.count('POST /session'), 2);
  });

  test('nothing is kept where nothing may be kept', async () => {
    const page = browser.openPage();
    const element = await page.addElement(options('none')).opened();
    await ask(element);
    assert.equal(page.tabStorage?.length, 0);
    assert.equal(browser.deviceStorage.length, 0);
    assert.equal(page.channels.size, 0);
  });

  for (const [name, storage] of [
    ['is missing', undefined],
    ['throws', throwingStorage()],
    ['holds junk', junkStorage()],
  ] as const) {
    test(`a storage that ${name} is survived`, async () => {
      const element = await browser.openPage({ tabStorage: storage }).addElement(options('tab')).opened();
      await ask(element);
      relay.say((events) => [events.done()]);
      await element.answered('one ');
      element.controller.reset();
      assert.equal(element.conversation.session.type, 'none');
    });
  }
});

suite('several tabs of one conversation', { timeout: 10_000 }, () => {
  test('one stream is read, and every tab shows what it brings', async () => {
    const [first, second, third] = [await openTab(), await openTab(), await openTab()];
    await ask(first);
    await second.answered('one ', 'writing');
    await third.answered('one ', 'writing');
    assert.equal(relay.openStreams, 1);
    relay.say((events) => [events.chunk('two'), events.done()]);
    for (const tab of [first, second, third]) await tab.answered('one two');
    assert.equal(relay.count('POST /session'), 1);
    assert.equal(relay.count('GET /session/:id/events'), 0);
  });

  test('when the tab that reads goes, the next one reads on, without gap or repeat', async () => {
    const [first, second, third] = [await openTab(), await openTab(), await openTab()];
    await ask(first);
    await second.answered('one ', 'writing');
    await third.answered('one ', 'writing');
    first.page.leave();
    relay.say((events) => [events.chunk('two ')]);
    await second.answered('one two ', 'writing');
    await third.answered('one two ', 'writing');
    assert.equal(relay.openStreams, 1);
    relay.say((events) => [events.chunk('three'), events.done()]);
    await second.answered('one two three');
    await third.answered('one two three');
    assert.equal(relay.count('GET /session/:id/events'), 1);
    assert.equal(relay.count('POST /chat'), 1);
  });

  test('a tab that is opened while an answer is written follows the one that reads', async () => {
    const first = await openTab();
    await ask(first);
    const second = await openTab();
    assert.equal(second.answers[0]?.text, 'one ');
    relay.say((events) => [events.chunk('two'), events.done()]);
    await second.answered('one two');
    assert.equal(relay.count('GET /session/:id/events'), 0);
  });

  test('a tab whose reader falls silent reads for itself', async () => {
    const [first, second] = [await openTab(), await openTab()];
    mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.now() });
    await ask(first);
    await second.answered('one ', 'writing');
    first.page.show('hidden');
    mock.timers.tick(50_000);
    await relay.streams(2);
    relay.say((events) => [events.chunk('two'), events.done()]);
    await second.answered('one two');
    await first.answered('one two');
  });

  test('each tab can send; the others show its question and answer', async () => {
    const [first, second] = [await openTab(), await openTab()];
    for (const [index, tab] of [first, second, first].entries()) {
      await ask(tab);
      relay.say((events) => [events.done()]);
      await first.until(() => first.answers[index]?.status === 'complete');
      await second.until(() => second.answers[index]?.status === 'complete');
      await relay.streams(0);
    }
    assert.deepEqual(second.conversation.entries.map(shape), first.conversation.entries.map(shape));
    assert.equal(relay.count('POST /chat'), 3);
  });

  test('a stop in one tab stops the answer in all', async () => {
    const [first, second] = [await openTab(), await openTab()];
    await ask(first);
    await second.answered('one ', 'writing');
    second.controller.stop();
    await first.answered('one ', 'stopped');
    await second.answered('one ', 'stopped');
  });

  test('a conversation that one tab ends has ended in all of them within two seconds, and no tab calls again', async () => {
    const [first, second] = [await openTab(), await openTab()];
    const startedAtMs = performance.now();
    first.controller.reset();
    await second.until((conversation) => conversation.session.type === 'ended');
    assert.ok(performance.now() - startedAtMs < 2_000);
    assert.deepEqual(second.conversation.session, { type: 'ended', reason: 'reset' });
    assert.equal(second.conversation.entries.at(-1)?.type, 'notice');
    assert.equal(second.controller.send('Hi'), false);
    await relay.called('DELETE /session/:id');
    const before = relay.calls.length;
    second.page.show('visible');
    second.page.fire('online');
    second.controller.start();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(relay.calls.length, before);
    assert.equal(second.page.listeners, 0);
  });

  test('a tab that learns of the end from the relay tells the others', async () => {
    const [first, second] = [await openTab(), await openTab()];
    relay.sessions.clear();
    first.controller.send('Hi');
    await second.until((conversation) => conversation.session.type === 'ended');
    assert.deepEqual(second.conversation.session, { type: 'ended', reason: 'deleted' });
    assert.equal(browser.deviceStorage.length, 0);
  });

  test('a new conversation in one tab is not forgotten because another tab hears of the old one’s end', async () => {
    const [first, second] = [await openTab(), await openTab()];
    first.controller.reset();
    await first.opened();
    await second.until((conversation) => conversation.session.type === 'ended');
    assert.equal(browser.deviceStorage.length, 1);
  });

  test('two tabs that start at once share one session', async () => {
    const tabs = [browser.openPage(), browser.openPage()].map((page) => page.addElement(options('device')));
    for (const tab of tabs) tab.controller.start();
    for (const tab of tabs) await tab.until((conversation) => conversation.session.type === 'open');
    assert.equal(relay.count('POST /session'), 1);
  });

  test('two elements in one page share one session and one stream, and no text is doubled', async () => {
    const page = browser.openPage();
    const elements = [page.addElement(options('tab')), page.addElement(options('tab'))];
    for (const element of elements) element.controller.start();
    for (const element of elements) await element.until((conversation) => conversation.session.type === 'open');
    assert.equal(relay.count('POST /session'), 1);
    await ask(elements[0]!);
    relay.say((events) => [events.chunk('two'), events.done()]);
    for (const element of elements) await element.answered('one two');
    assert.equal(relay.count('GET /session/:id/events'), 0);
  });

  test('a tab that was duplicated shares the conversation of the one it comes from', async () => {
    const original = browser.openPage();
    const first = await original.addElement(options('tab')).opened();
    const copy = new MemoryStorage();
    const key = original.tabStorage?.key(0) ?? '';
    copy.setItem(key, original.tabStorage?.getItem(key) ?? '');
    const second = await browser.openPage({ tabStorage: copy }).addElement(options('tab')).opened();
    await ask(first);
    await second.answered('one ', 'writing');
    assert.equal(relay.openStreams, 1);
    assert.equal(relay.count('POST /session'), 1);
  });

  for (const [name, lack] of [
    ['channels', { hasChannels: false }],
    ['locks', { hasLocks: false }],
    ['channels and locks', { hasChannels: false, hasLocks: false }],
  ] as const) {
    test(`in a browser without ${name} each tab reads for itself`, async () => {
      const first = await openTab(browser.openPage(lack));
      await ask(first);
      const second = await openTab(browser.openPage(lack));
      await relay.streams(2);
      relay.say((events) => [events.chunk('two'), events.done()]);
      await first.answered('one two');
      await second.answered('one two');
    });
  }
});

suite('many tabs, each with a conversation of its own', { timeout: 20_000 }, () => {
  test('ten answers at once need four streams; the others are asked for now and then, and every tab stays usable', async () => {
    const tabs = await Promise.all(
      Array.from({ length: 10 }, () => browser.openPage().addElement(options('tab')).opened()),
    );
    const sessions = [...relay.sessions.values()];
    for (const tab of tabs) tab.controller.send('Count');
    for (const tab of tabs) await tab.until(() => tab.answers[0]?.turn === 1);
    await relay.streams(4);
    for (const session of sessions) relay.say((events) => [events.chunk('one ')], session);
    for (const tab of tabs) await tab.answered('one ', 'writing');
    assert.equal(relay.openStreams, 4);
    assert.deepEqual(new Set(tabs.map(({ conversation }) => conversation.line)), new Set(['online']));
    for (const session of sessions) relay.say((events) => [events.chunk('two'), events.done()], session);
    for (const tab of tabs) await tab.answered('one two');
    assert.equal(relay.count('POST /chat'), 10);
  });
});

suite('a conversation whose settings change', { timeout: 10_000 }, () => {
  test('another visitor gets a new session in place of the old one, which ends', async () => {
    const element = await openTab();
    await ask(element);
    element.controller.configure({ ...options('device'), userId: 'another' });
    await element.until((conversation) => conversation.session.type === 'open');
    assert.equal(element.answers.length, 0);
    await relay.called('DELETE /session/:id');
    assert.equal(relay.calls.findLast(({ route }) => route === 'POST /session')?.body.userId, 'another');
  });

  test('another credential gets a new session; another function that gives it does not', async () => {
    const page = browser.openPage();
    const element = page.addElement({ ...options('none'), authorization: () => 'Bearer a' });
    await element.opened();
    element.controller.configure({ ...options('none'), authorization: () => 'Bearer a' });
    assert.equal(element.conversation.session.type, 'open');
    element.controller.configure({ ...options('none'), authorization: 'Bearer b' });
    await element.until((conversation) => conversation.session.type === 'open');
    assert.equal(relay.count('POST /session'), 2);
    assert.equal((await relay.called('DELETE /session/:id')).headers.authorization, 'Bearer a');
    assert.equal((await relay.called('POST /session', 2)).headers.authorization, 'Bearer b');
  });

  test('before the start a change only changes what is started', async () => {
    const element = browser.openPage().addElement(options('none'));
    element.controller.configure({ ...options('none'), application: 'shop', userId: 'visitor-7' });
    assert.equal(relay.calls.length, 0);
    await element.opened();
    assert.deepEqual((await relay.called('POST /session')).body, { application: 'shop', userId: 'visitor-7' });
  });
});

function shape(entry: TestElement['conversation']['entries'][number]): unknown {
  return 'text' in entry ? [entry.type, entry.text] : entry.type;
}

function throwingStorage(): Storage {
  const refuse = (): never => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  };
  return { length: 0, key: refuse, getItem: refuse, setItem: refuse, removeItem: refuse, clear: refuse };
}

function junkStorage(): Storage {
  const storage = new MemoryStorage();
  storage.getItem = () => '{"sessionId":7';
  return storage;
}
