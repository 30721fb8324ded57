import { expect } from 'chai';
import type { ParleyChat } from '../../widget/define.ts';
import {
  addChat,
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

let relay: PageRelay;
let chat: ParleyChat;
const pageMatchMedia = window.matchMedia;

beforeEach(async () => {
  relay = new PageRelay();
  chat = addChat(relay);
  await openChat(chat);
});
afterEach(() => {
  window.matchMedia = pageMatchMedia;
  document.body.replaceChildren();
  relay.close();
});

function chats(): readonly string[] {
  return relay.callsTo('POST', '/chat').map(({ body }) => String(body.message));
}

/** As on a phone or tablet. */
function makePointerCoarse(): void {
  window.matchMedia = (query) =>
    query.includes('coarse') ? ({ matches: true } as MediaQueryList) : pageMatchMedia.call(window, query);
}

describe('the composer', () => {
  it('passes an accessibility audit with a text in it and near the limit', async () => {
    write(chat, 'x'.repeat(3999));
    await shown(chat, '.counter');
    await audit(chat);
  });

  it('Enter sends once and empties the field', async () => {
    const input = write(chat, 'First question');
    expect(press(input, 'Enter')).to.equal(false);
    await relay.turn();
    expect(chats()).to.deep.equal(['First question']);
    expect(input.value).to.equal('');
  });

  it('Shift and Enter break the line', async () => {
    const input = write(chat, 'First line');
    expect(press(input, 'Enter', { shiftKey: true })).to.equal(true);
    await settled();
    expect(chats()).to.deep.equal([]);
  });

  it('where the pointer is coarse Enter breaks the line, Shift and Enter send, and so does the button', async () => {
    makePointerCoarse();
    const input = write(chat, 'From a phone');
    expect(press(input, 'Enter')).to.equal(true);
    await settled();
    expect(chats()).to.deep.equal([]);
    expect(press(input, 'Enter', { shiftKey: true })).to.equal(false);
    (await relay.turn()).complete('Yes.');
    await shown(chat, '[part="send-button"]');
    write(chat, 'By the button');
    await chat.updateComplete;
    partOf(chat, 'send-button').click();
    await relay.turn();
    expect(chats()).to.deep.equal(['From a phone', 'By the button']);
  });

  it('Enter that picks a candidate of an input method sends nothing, the next one sends once', async () => {
    const input = write(chat, 'かな');
    input.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }));
    press(input, 'Enter', { isComposing: true });
    input.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }));
    await settled();
    expect(chats()).to.deep.equal([]);
    press(input, 'Enter');
    await relay.turn();
    expect(chats()).to.deep.equal(['かな']);
  });

  it('the same when the composition ends before the key is reported, as Safari does it', async () => {
    for (const keyCode of [229, 13]) {
      const input = write(chat, 'かな');
      input.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }));
      input.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }));
      press(input, 'Enter', { keyCode });
      await settled();
      expect(chats(), `key code ${keyCode}`).to.deep.equal([]);
    }
    press(inside(chat, 'textarea'), 'Enter', { keyCode: 13 });
    await relay.turn();
    expect(chats()).to.deep.equal(['かな']);
  });

  it('Enter five times over a slow line is one message', async () => {
    const input = write(chat, 'Once');
    for (let times = 0; times < 5; times++) {
      press(input, 'Enter');
      input.value = 'Once';
    }
    await relay.turn();
    await settled();
    expect(chats()).to.deep.equal(['Once']);
  });

  it('the second click of a double click on the send button does not stop the answer', async () => {
    write(chat, 'A question');
    await chat.updateComplete;
    const click = (name: string) =>
      partOf(chat, name).dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true, detail: 1 }));
    click('send-button');
    await chat.updateComplete;
    click('stop-button');
    const turn = await relay.turn();
    turn.send(turn.events.chunk('It goes on.'));
    await shown(chat, '.answer .text p');
    expect(relay.calls.filter(({ path }) => path.endsWith('/stop'))).to.deep.equal([]);
    expect(chats()).to.have.length(1);
  });

  it('the stop button stops the running answer', async () => {
    const input = write(chat, 'A question');
    press(input, 'Enter');
    const turn = await relay.turn();
    turn.send(turn.events.chunk('Half an'));
    (await shown(chat, '[part="stop-button"]')).click();
    await until(() => relay.calls.some(({ path }) => path.endsWith('/stop')), 'the relay is asked to stop');
  });

  it('a message can be written but not sent while an answer is written', async () => {
    press(write(chat, 'First'), 'Enter');
    await relay.turn();
    const input = write(chat, 'Second');
    press(input, 'Enter');
    await settled();
    expect(input.value).to.equal('Second');
    expect(chats()).to.deep.equal(['First']);
  });

  it('a text over the limit cannot be sent, and the counter says why', async () => {
    const input = write(chat, 'x'.repeat(4001));
    const counter = await shown(chat, '.counter.over');
    expect(counter.textContent).to.contain('4001');
    expect(press(input, 'Enter')).to.equal(false);
    await settled();
    expect(chats()).to.deep.equal([]);
    expect(input.value).to.have.length(4001);
  });

  it('blank text cannot be sent', async () => {
    press(write(chat, ' \n '), 'Enter');
    await settled();
    expect(chats()).to.deep.equal([]);
  });

  it('a draft is still there after closing and opening', async () => {
    write(chat, 'A draft');
    chat.close();
    await chat.updateComplete;
    await openChat(chat);
    expect(inside<HTMLTextAreaElement>(chat, 'textarea').value).to.equal('A draft');
  });

  it('the field grows with its text up to a limit, and shrinks again', async () => {
    const input = write(chat, 'One line');
    await settled();
    const low = input.getBoundingClientRect().height;
    write(chat, 'Line\n'.repeat(4));
    await settled();
    const middle = input.getBoundingClientRect().height;
    write(chat, 'Line\n'.repeat(40));
    await settled();
    const high = input.getBoundingClientRect().height;
    write(chat, '');
    await settled();
    expect(middle).to.be.greaterThan(low + 50);
    expect(high).to.be.within(middle, 180);
    expect(input.getBoundingClientRect().height).to.equal(low);
  });

  it('the page does not hear the keys that are typed into it', async () => {
    const heard: string[] = [];
    const listen = ({ key }: KeyboardEvent) => heard.push(key);
    document.addEventListener('keydown', listen);
    press(write(chat, 'slash'), '/');
    document.removeEventListener('keydown', listen);
    expect(heard).to.deep.equal([]);
  });

  it('its text is 16 px high, so that a phone does not zoom in', () => {
    expect(getComputedStyle(inside(chat, 'textarea')).fontSize).to.equal('16px');
  });
});
