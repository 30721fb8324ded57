import { expect } from 'chai';
import type { ParleyChat } from '../../widget/define.ts';
import {
  addChat,
  ask,
  audit,
  inside,
  openChat,
  partOf,
  press,
  settled,
  shown,
  until,
  write,
} from '../support/chat-in-page.ts';
import { PageRelay } from '../support/page-relay.ts';

const EVERYTHING = `### A heading

Words, **strong**, *stressed*, ~~struck~~, \`code\` and [a link](https://example.com/page).

| Field | Value |
| --- | ---: |
| Total | 59.98 |

> A quote

1. One
2. Two
   - nested

- [x] done
- [ ] open

\`\`\`js
const a = 1;
\`\`\`

---
`;

let relay: PageRelay;
let chat: ParleyChat;

beforeEach(() => {
  relay = new PageRelay();
});
afterEach(() => {
  document.body.replaceChildren();
  relay.close();
});

for (const theme of ['light', 'dark']) {
  describe(`what a visitor sees, ${theme}`, () => {
    async function open(attributes: Readonly<Record<string, string>> = {}): Promise<void> {
      chat = addChat(relay, { theme, ...attributes });
      await openChat(chat);
    }

    it('suggestions are offered until the first question, and one press asks one', async () => {
      await open({ suggestions: 'Order two trowels|Where is my parcel?' });
      await audit(chat);
      const starters = [...(chat.shadowRoot?.querySelectorAll<HTMLElement>('[part="starter"]') ?? [])];
      expect(starters.map((starter) => starter.textContent)).to.deep.equal([
        'Order two trowels',
        'Where is my parcel?',
      ]);
      starters[1]?.click();
      expect((await relay.turn()).message).to.equal('Where is my parcel?');
      await settled();
      expect(chat.shadowRoot?.querySelector('[part="starters"]')).to.equal(null);
    });

    it('an answer that is being written shows what the agent does, and its tool calls in one line each', async () => {
      await open();
      const turn = await ask(chat, relay, 'Order two trowels');
      await shown(chat, '.thinking');
      expect(partOf(chat, 'thinking').textContent?.trim()).to.equal('Thinking…');
      turn.send(turn.events.thinking('Looking at the stock…'));
      await until(() => partOf(chat, 'thinking').textContent?.includes('Looking at the stock…'), 'the host is quoted');
      turn.send(turn.events.toolCall({ id: 'call-1', name: 'create_order' }));
      expect((await shown(chat, '.running')).textContent).to.equal('Using create_order…');
      await audit(chat);
      turn.send(turn.events.toolResult('call-1', 'create_order'));
      expect((await shown(chat, '.done')).textContent).to.equal('Used create_order');
      turn.complete('It is **ordered**.', 12.5);
      await shown(chat, '.tools');
      expect(chat.shadowRoot?.querySelector('.thinking')).to.equal(null);
      expect(partOf(chat, 'context').textContent).to.equal('Memory used: 12.5%');
      await audit(chat);
    });

    it('an answer with everything that markdown has passes an accessibility audit', async () => {
      await open();
      const turn = await ask(chat, relay, 'Everything');
      turn.complete(EVERYTHING);
      await shown(chat, '.answer h3');
      await shown(chat, '.answer td');
      await audit(chat);
    });

    it('details of a tool call are folded, and laid out when they are unfolded', async () => {
      await open({ 'tool-calls': 'full' });
      const turn = await ask(chat, relay, 'Order two trowels');
      turn.send(turn.events.toolCall({ id: 'call-1', name: 'create_order', input: { quantity: 2 } }));
      const summary = await shown(chat, 'summary');
      expect(chat.shadowRoot?.querySelector('details pre')).to.equal(null);
      summary.click();
      expect((await shown(chat, 'details pre')).textContent).to.equal('{\n  "quantity": 2\n}');
      await audit(chat);
    });

    it('where the owner wants names only, nothing of a tool call is unfolded, and none where he wants none', async () => {
      await open({ 'tool-calls': 'names' });
      const turn = await ask(chat, relay, 'Order two trowels');
      turn.send(turn.events.toolCall({ id: 'call-1', name: 'create_order', input: { quantity: 2 } }));
      await shown(chat, '.running');
      expect(chat.shadowRoot?.querySelector('details')).to.equal(null);
      chat.toolCalls = 'none';
      await until(() => !chat.shadowRoot?.querySelector('[part="tool-call"]'), 'the tool call is gone');
    });

    it('a failed answer says why and keeps what was written, and can be sent again', async () => {
      await open();
      const turn = await ask(chat, relay, 'Order two trowels');
      turn.send(turn.events.chunk('I look'));
      turn.fail('upstream_busy');
      const problem = await shown(chat, '[part="problem"]');
      expect(problem.textContent).to.contain('The assistant is busy at the moment.');
      expect(problem.textContent).to.contain('request-1');
      await until(() => inside(chat, '.answer .text').textContent === 'I look', 'what was written stays');
      await audit(chat);
      partOf(chat, 'send-again-button').click();
      partOf(chat, 'send-again-button').click();
      expect((await relay.turn()).message).to.equal('Order two trowels');
      await settled();
      expect(relay.callsTo('POST', '/chat')).to.have.length(2);
    });

    it('a session that could not be started says so and can be tried again', async () => {
      relay.refusal = { path: '/session', code: 'misconfigured', status: 502 };
      chat = addChat(relay, { theme });
      const told: string[] = [];
      chat.addEventListener('parley-error', ({ code }) => told.push(code));
      chat.open();
      const status = await shown(chat, '.status.problem');
      expect(status.textContent).to.contain('The chat is not set up correctly on this site.');
      await audit(chat);
      partOf(chat, 'status-button').click();
      await shown(chat, '.greeting p');
      expect(chat.shadowRoot?.querySelector('.status')).to.equal(null);
      expect(told).to.deep.equal(['misconfigured']);
    });

    it('a relay that asks to wait is counted down, and nothing is sent meanwhile', async () => {
      await open();
      relay.refusal = { path: '/chat', code: 'rate_limited', status: 429, retryAfterMs: 2000 };
      press(write(chat, 'Too soon'), 'Enter');
      const status = await shown(chat, '.status');
      expect(status.textContent).to.match(/You can send again in [12] seconds?\./);
      await audit(chat);
      const input = write(chat, 'Again');
      press(input, 'Enter');
      expect(input.value).to.equal('Again');
      await until(() => !chat.shadowRoot?.querySelector('.status'), 'the wait is over');
      press(input, 'Enter');
      await relay.turn();
    });

    it('an offline page is told to the visitor, and so is the line that is back', async () => {
      await open();
      window.dispatchEvent(new Event('offline'));
      expect((await shown(chat, '.status')).textContent).to.contain('You are offline.');
      await audit(chat);
      window.dispatchEvent(new Event('online'));
      await until(() => !chat.shadowRoot?.querySelector('.status'), 'the notice is gone');
    });

    it('a conversation whose time is nearly up warns, and one whose time is up keeps the draft and offers a new one', async () => {
      relay.sessionLifeMs = 1500;
      await open();
      const warning = await shown(chat, '.status.quiet');
      expect(warning.textContent).to.match(/This conversation ends in \d seconds?\./);
      await audit(chat);
      const input = write(chat, 'A draft');
      const status = await shown(chat, '.status.warning');
      expect(status.textContent).to.contain('This conversation has reached its time limit.');
      expect(status.textContent).to.contain('A new conversation does not know this one.');
      await audit(chat);
      expect(input.disabled).to.equal(true);
      expect(input.value).to.equal('A draft');
      expect(chat.shadowRoot?.activeElement).to.equal(partOf(chat, 'status-button'));
      relay.sessionLifeMs = 3_600_000;
      const callsBefore = relay.callsTo('POST', '/session').length;
      partOf(chat, 'status-button').click();
      await until(() => !input.disabled && !chat.shadowRoot?.querySelector('.status'), 'a new one has begun');
      expect(relay.callsTo('POST', '/session')).to.have.length(callsBefore + 1);
      expect(input.value).to.equal('A draft');
    });

    it('a nearly full memory is a warning', async () => {
      await open();
      const turn = await ask(chat, relay, 'Hello');
      turn.complete('Hello.', 86);
      const context = await shown(chat, '.context.warning');
      expect(context.textContent).to.contain('86%');
      await audit(chat);
    });

    it('starting anew is asked for first, and then ends the old conversation at the relay', async () => {
      await open();
      const turn = await ask(chat, relay, 'Hello');
      turn.complete('Hello.');
      await shown(chat, '.tools');
      partOf(chat, 'menu-button').click();
      await shown(chat, '[part="menu"]');
      await audit(chat);
      partOf(chat, 'menu-item').click();
      await shown(chat, 'dialog');
      await audit(chat);
      partOf(chat, 'cancel-button').click();
      await settled();
      expect(relay.calls.filter(({ method }) => method === 'DELETE')).to.deep.equal([]);
      expect(inside(chat, '.answer .text').textContent).to.equal('Hello.');
      partOf(chat, 'menu-button').click();
      partOf(chat, 'menu-item').click();
      await shown(chat, 'dialog');
      partOf(chat, 'confirm-button').click();
      await until(() => relay.callsTo('POST', '/session').length === 2, 'a new one has begun');
      expect(relay.calls.filter(({ method }) => method === 'DELETE')).to.have.length(1);
      await until(() => !chat.shadowRoot?.querySelector('.question'), 'the old one is gone');
    });

    it('feedback is an event of the page, and a second press takes it back', async () => {
      await open();
      const told: string[] = [];
      chat.addEventListener('parley-feedback', ({ value, messageId }) => told.push(`${value} ${messageId !== ''}`));
      const turn = await ask(chat, relay, 'Hello');
      turn.complete('Hello.');
      const button = await shown(chat, '[part="feedback-button"]');
      button.click();
      expect(button.ariaPressed).to.equal('true');
      await audit(chat);
      button.click();
      expect(button.ariaPressed).to.equal('false');
      expect(told).to.deep.equal(['good true', 'none true']);
    });
  });
}

describe('what a page is told', () => {
  it('hears of the session, the message, the answer and the end, in order', async () => {
    chat = addChat(relay);
    const told: string[] = [];
    const note = (event: Event) => told.push(event.type);
    for (const type of ['session-start', 'send', 'answer', 'error', 'session-end']) {
      document.body.addEventListener(`parley-${type}`, note);
    }
    await openChat(chat);
    const turn = await ask(chat, relay, 'Hello');
    turn.complete('Hello.');
    await shown(chat, '.tools');
    const failing = await ask(chat, relay, 'Again');
    failing.fail('upstream_error');
    await shown(chat, '[part="problem"]');
    chat.reset();
    await shown(chat, '.greeting p');
    for (const type of ['session-start', 'send', 'answer', 'error', 'session-end']) {
      document.body.removeEventListener(`parley-${type}`, note);
    }
    expect(told.slice(0, 7)).to.deep.equal([
      'parley-session-start',
      'parley-send',
      'parley-answer',
      'parley-send',
      'parley-answer',
      'parley-error',
      'parley-session-end',
    ]);
  });

  it('send() by a script opens nothing, starts a session and brings its answer', async () => {
    chat = addChat(relay);
    expect(chat.send('From a script')).to.equal(true);
    expect(chat.send('Too soon')).to.equal(false);
    const turn = await relay.turn();
    const answered = new Promise<string>((resolve) => {
      chat.addEventListener('parley-answer', ({ text, status }) => resolve(`${status}: ${text}`));
    });
    turn.complete('To a script.');
    expect(await answered).to.equal('complete: To a script.');
    expect(chat.isOpen).to.equal(false);
  });
});

describe('what a screen reader is told', () => {
  const told: string[] = [];
  let observer: MutationObserver;

  async function openAndListen(speak: string): Promise<void> {
    chat = addChat(relay, { speak });
    await openChat(chat);
    told.length = 0;
    const region = inside(chat, '[aria-live="polite"]');
    observer = new MutationObserver(() => region.textContent && told.push(region.textContent));
    observer.observe(region, { childList: true, characterData: true, subtree: true });
  }
  afterEach(() => observer.disconnect());

  it('the transcript is a log that is not live, and what is announced stands outside of it', async () => {
    await openAndListen('final');
    const turn = await ask(chat, relay, 'Hello');
    turn.complete('Hello.');
    (await shown(chat, '[part="copy-button"]')).click();
    await shown(chat, '.outcome:not(:empty)');
    const log = inside(chat, '[role="log"]');
    expect(log.getAttribute('aria-live')).to.equal('off');
    expect(log.querySelector('[aria-live="polite"], [role="status"], [role="alert"]')).to.equal(null);
  });

  it('an answer of a hundred chunks is announced once, whole and without its marks', async () => {
    await openAndListen('final');
    const turn = await ask(chat, relay, 'Count');
    const words = Array.from({ length: 100 }, (_, at) => `word${at} `);
    for (const word of words) turn.send(turn.events.chunk(word));
    turn.complete(`**${words.join('').trim()}** and [a link](https://example.com).`);
    await until(() => told.length > 0, 'something is announced');
    await settled();
    expect(told).to.deep.equal([`${words.join('').trim()} and a link.`]);
  });

  it('sentence by sentence where the owner wants it, each one once', async () => {
    await openAndListen('sentences');
    const turn = await ask(chat, relay, 'Two sentences');
    turn.send(turn.events.chunk('The first one. The sec'));
    await until(() => told.length === 1, 'the first is announced');
    turn.send(turn.events.chunk('ond one.'));
    turn.complete('The first one. The second one.');
    await until(() => told.length === 2, 'the second is announced');
    expect(told).to.deep.equal(['The first one.', 'The second one.']);
  });

  it('nothing where the owner wants silence', async () => {
    await openAndListen('off');
    const turn = await ask(chat, relay, 'Hush');
    turn.complete('Not a word.');
    await shown(chat, '.tools');
    await settled();
    expect(told).to.deep.equal([]);
  });
});
