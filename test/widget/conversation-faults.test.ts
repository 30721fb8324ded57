/** Every fault of an agent host, through a real relay, to what a visitor sees. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { isTurnRunning } from '../../widget/conversation.ts';
import { expectedCode, expectedText, FAULTS } from '../support/fault-cases.ts';
import { type FaultyHost, startFaultyHost } from '../support/faulty-host.ts';
import { type RelayForWidget, startRelayForWidget } from '../support/relay-for-widget.ts';
import { TestBrowser } from '../support/widget-page.ts';

const IDLE_MS = 1_500;

let faulty: FaultyHost;
let relay: RelayForWidget;
let browser: TestBrowser;

before(async () => {
  faulty = await startFaultyHost();
  relay = await startRelayForWidget(faulty.url, IDLE_MS);
  browser = new TestBrowser();
});

after(async () => {
  browser.close();
  await relay.close();
  await faulty.close();
});

function openElement(userId: string) {
  return browser.openPage().addElement({ relay: relay.address, persist: 'none', userId }).opened();
}

suite('each fault of a turn as a visitor sees it', { concurrency: 4, timeout: 60_000 }, () => {
  for (const fault of FAULTS.filter(({ via }) => via === 'message')) {
    const { name, expect } = fault;
    test(`the answer to "${name}" ends as ${expect.outcome} ${expect.code ?? ''}`.trimEnd(), async () => {
      const element = await openElement(`visitor of ${name}`);
      const message = name === 'count' ? 'fault:count n=40 ms=2' : `fault:${name}`;
      const before = faulty.requests.length;
      element.controller.send(message);
      await element.until((conversation) => !isTurnRunning(conversation));
      if (name === 'http-429-then-ok') {
        assert.equal(element.answers[0]?.problem?.code, 'rate_limited');
        return;
      }
      const answer = element.answers[0];
      assert.ok(answer);
      if (expect.outcome === 'complete') assert.equal(answer.status, 'complete', answer.problem?.code);
      if (expect.outcome === 'error') {
        assert.notEqual(answer.status, 'complete');
        assert.equal(answer.problem?.code, expectedCode(fault));
      }
      const text = expectedText(fault);
      if (text !== undefined) assert.equal(answer.text, text);
      if (expect.tools !== undefined) {
        assert.equal(answer.toolCalls.length, expect.tools);
        assert.deepEqual(new Set(answer.toolCalls.map(({ status }) => status)), new Set(['done']));
      }
      const isPostOfThis = ({ body }: { body: string }) => body.includes(`"${message}"`);
      assert.equal(faulty.requests.slice(before).filter(isPostOfThis).length, 1, 'one message is one request');
    });
  }
});

suite('each fault of a session as a visitor sees it', { timeout: 30_000 }, () => {
  for (const fault of FAULTS.filter(({ via, name }) => via === 'userId' && name.startsWith('s-'))) {
    test(`the start of a session "${fault.name}" ends as ${fault.expect.outcome}`, async () => {
      const element = browser
        .openPage()
        .addElement({ relay: relay.address, persist: 'none', userId: `fault:${fault.name}` });
      element.controller.start();
      const { session } = await element.until(({ session: { type } }) => type === 'open' || type === 'failed');
      if (fault.expect.outcome === 'complete') assert.equal(session.type, 'open');
      if (fault.expect.outcome === 'error') {
        assert.equal(session.type === 'failed' && session.problem.code, expectedCode(fault));
      }
    });
  }

  test('after the host has forgotten the session the next message ends the conversation, and is not lost', async () => {
    const element = await openElement('visitor');
    element.controller.send('fault:kill-session st=404');
    await element.until((conversation) => !isTurnRunning(conversation));
    element.controller.send('Still there?');
    const { session, entries } = await element.until(({ session: { type } }) => type === 'ended');
    assert.deepEqual(session, { type: 'ended', reason: 'expired' });
    assert.ok(entries.some((entry) => entry.type === 'question' && entry.text === 'Still there?'));
  });
});
