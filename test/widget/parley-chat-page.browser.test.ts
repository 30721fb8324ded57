import { expect } from 'chai';
import type { ParleyChat } from '../../widget/define.ts';
import { addChat, ask, inside, openChat, partOf, settled, shown, until } from '../support/chat-in-page.ts';
import { PageRelay } from '../support/page-relay.ts';

let relay: PageRelay;
let chat: ParleyChat;

beforeEach(() => {
  relay = new PageRelay();
});
afterEach(() => {
  document.body.replaceChildren();
  for (const style of document.head.querySelectorAll('style[data-test]')) style.remove();
  document.documentElement.removeAttribute('lang');
  relay.close();
});

function addStyle(css: string): void {
  const style = document.createElement('style');
  style.dataset.test = '';
  style.textContent = css;
  document.head.append(style);
}

/** How the chat looks and where it is, in every part that a page could get at. */
function look(): Record<string, unknown> {
  const entries = [
    'launcher',
    'panel',
    'header',
    'heading',
    'composer',
    'input',
    'send-button',
    'transcript',
    'greeting',
  ];
  const properties = [
    'color',
    'backgroundColor',
    'fontFamily',
    'fontSize',
    'lineHeight',
    'letterSpacing',
    'textTransform',
  ];
  return Object.fromEntries(
    entries.map((name) => {
      const element = partOf(chat, name);
      const style = getComputedStyle(element);
      const { right, bottom, width, height } = element.getBoundingClientRect();
      // From the corner of what the page's own scroll bars leave.
      const { clientWidth, clientHeight } = document.documentElement;
      const values = properties.map((property) => style[property as keyof CSSStyleDeclaration]);
      return [name, [...values, clientWidth - right, clientHeight - bottom, width, height].join(' ')];
    }),
  );
}

describe('living in a page', () => {
  const hostile = {
    'a reset of everything': '* { all: unset !important }',
    'everything initial': '* { all: initial !important }',
    'a root of 10 px':
      'html { font-size: 10px } body { font: 10px/1 fantasy; letter-spacing: 3px; text-transform: uppercase }',
    'rules for the element and its kind':
      '* { font-size: 30px !important; color: red !important; display: block !important; direction: rtl !important; text-align: right !important; word-spacing: 9px !important } parley-chat { transform: rotate(3deg) !important; filter: blur(2px) !important; opacity: 0.5 !important; overflow: hidden !important; width: 9px !important }',
    'rules for bare elements':
      'button, textarea, section, header, ul, li, h2, p { margin: 40px !important; padding: 40px !important; background: lime !important }',
  };
  for (const [name, css] of Object.entries(hostile)) {
    it(`looks the same in a page with ${name}`, async () => {
      chat = addChat(relay);
      await openChat(chat);
      const before = look();
      addStyle(css);
      await settled();
      expect(look()).to.deep.equal(before);
    });
  }

  it('a chat that is a part of the page keeps its look and stays usable under a reset of everything', async () => {
    chat = addChat(relay, { mode: 'inline' });
    await shown(chat, '.greeting p');
    addStyle('* { all: initial !important }');
    await settled();
    const { width, height } = inside(chat, '.panel').getBoundingClientRect();
    expect(height).to.be.within(240, innerHeight);
    expect(width).to.be.greaterThan(200);
    expect(getComputedStyle(partOf(chat, 'greeting')).fontSize).to.equal('15px');
  });

  it('a chat that is a part of the page has the size that the page gives it', async () => {
    addStyle('parley-chat { width: 350px; height: 444px }');
    chat = addChat(relay, { mode: 'inline' });
    await shown(chat, '.greeting p');
    const { width, height } = inside(chat, '.panel').getBoundingClientRect();
    expect([width, height]).to.deep.equal([350, 444]);
  });

  it('changes nothing outside of itself', async () => {
    const probe = document.createElement('div');
    probe.textContent = 'The page';
    document.body.append(probe);
    const before = [document.head.innerHTML, document.body.className, JSON.stringify(getComputedStyle(probe))];
    chat = addChat(relay);
    await openChat(chat);
    expect([document.head.innerHTML, document.body.className, JSON.stringify(getComputedStyle(probe))]).to.deep.equal(
      before,
    );
    expect(document.body.getAttribute('style')).to.equal(null);
  });

  it('covers nothing outside of its panel and launcher, closed and open', async () => {
    const page = document.createElement('main');
    page.style.cssText = 'position: fixed; inset: 0';
    document.body.append(page);
    chat = addChat(relay);
    await shown(chat, '.launcher');
    for (const state of ['closed', 'open']) {
      if (state === 'open') await openChat(chat);
      const own = ['.launcher', '.panel'].flatMap((selector) => {
        const element = chat.shadowRoot?.querySelector(selector);
        return element?.checkVisibility() ? [element.getBoundingClientRect()] : [];
      });
      let looked = 0;
      for (let x = 1; x < innerWidth; x += 23) {
        for (let y = 1; y < innerHeight; y += 23) {
          const isOwn = own.some(
            (box) => x >= box.left - 1 && x <= box.right + 1 && y >= box.top - 1 && y <= box.bottom + 1,
          );
          if (isOwn) continue;
          looked += 1;
          expect(document.elementFromPoint(x, y), `${state} ${x},${y}`).to.equal(page);
        }
      }
      expect(looked, state).to.be.greaterThan(9);
    }
  });

  it('a cookie banner at 10000 lies above it, a footer at 1000 below, and the page can choose', async () => {
    const layer = (zIndex: number) => {
      const element = document.createElement('div');
      element.style.cssText = `position: fixed; inset: auto 0 0 0; height: 100px; z-index: ${zIndex}`;
      document.body.append(element);
      return element;
    };
    layer(1000);
    chat = addChat(relay);
    const { left, top } = (await shown(chat, '.launcher')).getBoundingClientRect();
    const hit = () => document.elementFromPoint(left + 28, top + 28);
    expect(hit()).to.equal(chat);
    const banner = layer(10_000);
    expect(hit()).to.equal(banner);
    chat.style.setProperty('--parley-z-index', '10001');
    expect(hit()).to.equal(chat);
  });

  it('asking before a conversation is deleted happens above everything in the page', async () => {
    chat = addChat(relay);
    await openChat(chat);
    const turn = await ask(chat, relay, 'Hello');
    turn.complete('Hello!');
    (await shown(chat, '.menu-button')).click();
    await shown(chat, '[part="menu"]');
    partOf(chat, 'menu-item').click();
    const dialog = await shown(chat, 'dialog');
    const cover = document.createElement('div');
    cover.style.cssText = 'position: fixed; inset: 0; z-index: 2147483647';
    document.body.append(cover);
    const { left, top } = dialog.getBoundingClientRect();
    expect(document.elementFromPoint(left + 5, top + 5)).to.equal(chat);
  });

  it('removed and added 50 times while an answer is written, it loses nothing and asks nothing again', async () => {
    chat = addChat(relay);
    await openChat(chat);
    const turn = await ask(chat, relay, 'Count to fifty');
    await settled();
    const callsBefore = relay.calls.length;
    const wanted: string[] = [];
    for (let number = 1; number <= 50; number++) {
      turn.send(turn.events.chunk(`${number} `));
      wanted.push(String(number));
      chat.remove();
      if (number % 10 === 0) await settled();
      document.body.append(chat);
    }
    await until(() => inside(chat, '.answer .text').textContent?.trim().endsWith('50'), 'all is drawn');
    expect(inside(chat, '.answer .text').textContent?.trim()).to.equal(wanted.join(' '));
    expect(relay.calls).to.have.length(callsBefore);
    turn.complete(`${wanted.join(' ')} `);
    await shown(chat, '[part="send-button"]');
  });

  it('removed and added again it still hears the page', async () => {
    chat = addChat(relay);
    await shown(chat, '.launcher');
    for (let times = 0; times < 5; times++) {
      chat.remove();
      document.body.append(chat);
    }
    const opener = document.createElement('button');
    opener.setAttribute('data-parley-open', '');
    document.body.append(opener);
    let opened = 0;
    chat.addEventListener('parley-open', () => {
      opened += 1;
    });
    opener.click();
    await shown(chat, '.greeting p');
    expect(opened).to.equal(1);
    chat.remove();
    chat.isOpen = false;
    await chat.updateComplete;
    opener.click();
    await settled();
    expect(chat.isOpen, 'while it is not in the page').to.equal(false);
  });

  it('works as by default when its attributes are removed or mean nothing', async () => {
    const names = [
      'position',
      'theme',
      'mode',
      'persist',
      'suggestions',
      'tool-calls',
      'image-hosts',
      'speak',
      'lang',
      'privacy-url',
    ];
    chat = addChat(relay, Object.fromEntries(names.map((name) => [name, name === 'persist' ? 'none' : '?'])));
    await openChat(chat);
    for (const name of names) if (name !== 'persist') chat.removeAttribute(name);
    const turn = await ask(chat, relay, 'Hello');
    turn.send(turn.events.toolCall({ id: 'call-1', name: 'look' }));
    await shown(chat, '.running');
    turn.complete('Hello.');
    await shown(chat, '.tools');
    const { right } = inside(chat, '.panel').getBoundingClientRect();
    expect(right).to.be.greaterThan(innerWidth / 2);
  });

  it('only an address of the web is linked as the privacy statement', async () => {
    chat = addChat(relay, { 'privacy-url': 'java\tscript:alert(1)' });
    await openChat(chat);
    expect(chat.shadowRoot?.querySelector('[part="privacy-link"]')).to.equal(null);
    chat.privacyUrl = '/privacy';
    await shown(chat, '[part="privacy-link"]');
  });

  it('above an on-screen keyboard the panel ends where the visible part of the window ends', async () => {
    chat = addChat(relay, { mode: 'fullscreen' });
    await openChat(chat);
    const view = Object.assign(new EventTarget(), { offsetTop: 10, height: 300, scale: 1 });
    const descriptor = Object.getOwnPropertyDescriptor(window, 'visualViewport') as PropertyDescriptor;
    Object.defineProperty(window, 'visualViewport', { configurable: true, value: view });
    chat.requestUpdate();
    await settled();
    const { top, bottom } = inside(chat, '.panel').getBoundingClientRect();
    Object.defineProperty(window, 'visualViewport', descriptor);
    expect([top, bottom]).to.deep.equal([10, 310]);
  });

  it('an accent colour of any lightness keeps the text on it and in it readable', async () => {
    chat = addChat(relay, { 'accent-color': '#ffee00' });
    await openChat(chat);
    expect(getComputedStyle(partOf(chat, 'launcher')).backgroundColor).to.equal('rgb(255, 238, 0)');
    for (const accent of ['#ffee00', '#000000', '#ffffff', '#777777', '#00a36c', 'oklch(0.7 0.2 20)']) {
      for (const theme of ['light', 'dark'] as const) {
        chat.accentColor = accent;
        chat.theme = theme;
        await chat.updateComplete;
        const launcher = getComputedStyle(partOf(chat, 'launcher'));
        expect(contrast(launcher.color, launcher.backgroundColor), `${accent} on ${theme}`).to.be.at.least(4.5);
      }
    }
  });

  it('says its words in the language of the page, and in those of the owner', async () => {
    document.documentElement.lang = 'fr';
    chat = addChat(relay, { lang: 'de-CH' });
    expect((await shown(chat, '.launcher')).ariaLabel).to.equal('Chat öffnen');
    chat.labels = { open: 'Frag uns' };
    await chat.updateComplete;
    expect(inside(chat, '.launcher').ariaLabel).to.equal('Frag uns');
  });

  it('a language that is written from right to left turns the panel around', async () => {
    document.documentElement.lang = 'he';
    chat = addChat(relay);
    await openChat(chat);
    const title = partOf(chat, 'heading').getBoundingClientRect();
    const close = partOf(chat, 'close-button').getBoundingClientRect();
    expect(close.left).to.be.lessThan(title.left);
  });
});

/** WCAG 2, of two colours as the browser paints them. */
function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const context = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D;
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue] = [...context.getImageData(0, 0, 1, 1).data].map((byte) => {
    const share = byte / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
