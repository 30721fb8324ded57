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

let relay: PageRelay;
let chat: ParleyChat;

beforeEach(() => {
  relay = new PageRelay();
});
afterEach(() => {
  document.body.replaceChildren();
  relay.close();
});

function addOpener(id = ''): HTMLButtonElement {
  const opener = document.createElement('button');
  opener.textContent = 'Help';
  opener.setAttribute('data-parley-open', id);
  document.body.append(opener);
  return opener;
}

describe('opening and closing the chat', () => {
  it('the closed launcher passes an accessibility audit', async () => {
    chat = addChat(relay);
    await shown(chat, '.launcher');
    await audit(chat);
  });

  it('before it is opened it asks, stores and sets nothing', async () => {
    const keysBefore = [...Object.keys(localStorage), ...Object.keys(sessionStorage)];
    const cookiesBefore = document.cookie;
    chat = addChat(relay, { persist: 'device', lang: 'de', suggestions: 'One|Two' });
    await shown(chat, '.launcher');
    await settled();
    expect(relay.calls).to.deep.equal([]);
    expect([...Object.keys(localStorage), ...Object.keys(sessionStorage)]).to.deep.equal(keysBefore);
    expect(document.cookie).to.equal(cookiesBefore);
    const loaded = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/widget@'));
    expect(loaded).to.deep.equal([]);
  });

  it('a press on the launcher opens the panel, starts a session, shows the greeting and puts the focus into the composer', async () => {
    chat = addChat(relay);
    (await shown(chat, '.launcher')).click();
    expect((await shown(chat, '.greeting p')).textContent).to.equal(relay.initialMessage);
    expect(chat.isOpen).to.equal(true);
    expect(chat.shadowRoot?.activeElement).to.equal(inside(chat, 'textarea'));
    expect(relay.callsTo('POST', '/session')).to.have.length(1);
    await audit(chat);
  });

  it('opening it again starts no second session', async () => {
    chat = addChat(relay);
    await openChat(chat);
    chat.close();
    await chat.updateComplete;
    await openChat(chat);
    expect(relay.callsTo('POST', '/session')).to.have.length(1);
  });

  it('Escape closes the panel and gives the focus back to the launcher', async () => {
    chat = addChat(relay);
    const launcher = await shown(chat, '.launcher');
    launcher.click();
    await shown(chat, '.greeting p');
    press(inside(chat, 'textarea'), 'Escape');
    await until(() => chat.shadowRoot?.activeElement === launcher, 'the launcher has the focus');
    expect(chat.isOpen).to.equal(false);
    expect(inside(chat, '.panel').checkVisibility()).to.equal(false);
  });

  it('Escape closes it also from the launcher, and closes an open menu before the panel', async () => {
    chat = addChat(relay);
    await openChat(chat);
    const turn = await ask(chat, relay, 'Hello');
    turn.complete('Hello.');
    (await shown(chat, '.menu-button')).click();
    const item = await shown(chat, '[part="menu-item"]');
    item.focus();
    press(item, 'Escape');
    await until(
      () => chat.shadowRoot?.activeElement === inside(chat, '.menu-button'),
      'the focus is on the menu button',
    );
    expect(chat.isOpen).to.equal(true);
    expect(item.checkVisibility()).to.equal(false);
    press(inside(chat, '.launcher'), 'Escape');
    expect(chat.isOpen).to.equal(false);
  });

  it('an element with data-parley-open opens it and gets the focus back when it closes', async () => {
    chat = addChat(relay);
    const opener = addOpener();
    opener.focus();
    opener.click();
    await shown(chat, '.greeting p');
    partOf(chat, 'close-button').focus();
    partOf(chat, 'close-button').click();
    await until(() => document.activeElement === opener, 'the opener has the focus');
  });

  it('data-parley-draft begins the message, and leaves alone what the visitor has written', async () => {
    chat = addChat(relay);
    const opener = addOpener();
    opener.setAttribute('data-parley-draft', 'Where is my order?');
    opener.click();
    await shown(chat, '.greeting p');
    const input = inside(chat, 'textarea') as HTMLTextAreaElement;
    expect(input.value).to.equal('Where is my order?');
    expect((partOf(chat, 'send-button') as HTMLButtonElement).disabled).to.equal(false);
    expect(relay.callsTo('POST', '/chat')).to.have.length(0);
    input.value = 'My own words';
    opener.setAttribute('data-parley-draft', 'Something else');
    opener.click();
    await settled();
    expect(input.value).to.equal('My own words');
  });

  it('of two chats on a page, data-parley-open opens the one that it names', async () => {
    const first = addChat(relay, { id: 'sales' });
    const second = addChat(relay, { id: 'support', position: 'bottom-left' });
    addOpener('support').click();
    await shown(second, '.greeting p');
    expect(first.isOpen).to.equal(false);
    expect(relay.callsTo('POST', '/session')).to.have.length(1);
  });

  it('closing by a script leaves the focus where the visitor is in the page', async () => {
    chat = addChat(relay);
    await openChat(chat);
    const field = document.createElement('input');
    document.body.append(field);
    field.focus();
    chat.close();
    await settled();
    expect(document.activeElement).to.equal(field);
  });

  it('tells the page that it was opened and closed, whoever did it', async () => {
    chat = addChat(relay);
    const told: string[] = [];
    for (const type of ['parley-open', 'parley-close']) document.body.addEventListener(type, () => told.push(type));
    chat.setAttribute('open', '');
    await shown(chat, '.greeting p');
    chat.close();
    await chat.updateComplete;
    expect(told).to.deep.equal(['parley-open', 'parley-close']);
  });

  it('an attribute that opens it leaves the focus in the page', async () => {
    const field = document.createElement('input');
    document.body.append(field);
    field.focus();
    chat = addChat(relay, { open: '' });
    await shown(chat, '.greeting p');
    expect(document.activeElement).to.equal(field);
  });

  it('an answer that ends while the panel is closed is counted on the launcher until it is opened', async () => {
    chat = addChat(relay);
    await openChat(chat);
    press(write(chat, 'A question'), 'Enter');
    const turn = await relay.turn();
    chat.close();
    turn.complete('An answer.');
    expect((await shown(chat, '.badge')).textContent).to.equal('1');
    expect(partOf(chat, 'launcher').ariaLabel).to.equal('Open chat, 1 unread');
    await audit(chat);
    await openChat(chat);
    expect(chat.shadowRoot?.querySelector('.badge')).to.equal(null);
    expect(inside(chat, '.answer .text').textContent).to.equal('An answer.');
  });

  it('a panel over the whole window keeps the focus inside and says that it is modal', async () => {
    chat = addChat(relay, { mode: 'fullscreen' });
    const outside = addOpener('none');
    await openChat(chat);
    await audit(chat);
    const panel = inside(chat, '.panel');
    expect(panel.ariaModal).to.equal('true');
    outside.focus();
    expect(chat.shadowRoot?.activeElement).to.equal(panel);
    expect(outside.inert).to.equal(false);
    chat.close();
    await settled();
    outside.focus();
    expect(document.activeElement).to.equal(outside);
  });

  it('a panel that is a part of the page starts when it comes into view, and has neither launcher nor close button', async () => {
    const spacer = document.createElement('div');
    spacer.style.height = '4000px';
    document.body.append(spacer);
    chat = addChat(relay, { mode: 'inline' });
    await settled();
    await settled();
    expect(relay.calls).to.deep.equal([]);
    chat.scrollIntoView();
    await shown(chat, '.greeting p');
    expect(chat.shadowRoot?.querySelector('.launcher, [part="close-button"]')).to.equal(null);
    await audit(chat);
  });
});
