import { expect } from 'chai';
import type { ParleyChat } from '../../widget/define.ts';
import { addChat, ask, audit, inside, openChat, partOf, settled, shown, until } from '../support/chat-in-page.ts';
import { PageRelay, type RelayTurn } from '../support/page-relay.ts';

let relay: PageRelay;
let chat: ParleyChat;
let turn: RelayTurn;
let scroller: HTMLElement;

beforeEach(async () => {
  relay = new PageRelay();
  chat = addChat(relay);
  await openChat(chat);
  scroller = inside(chat, '.transcript');
  turn = await ask(chat, relay, 'Tell me a long story');
  await addLines(60);
});
afterEach(() => {
  document.body.replaceChildren();
  relay.close();
});

async function addLines(count: number): Promise<void> {
  const before = text().length;
  turn.send(turn.events.chunk('A line of the story that goes on and on.\n\n'.repeat(count)));
  await until(() => text().length >= before + count * 40, 'the lines are drawn');
  await settled();
}

function text(): string {
  return chat.shadowRoot?.querySelector('.answer .text')?.textContent ?? '';
}

function leftBelow(): number {
  return scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop;
}

/** As a wheel or a finger does it: the wish, then the movement. */
async function scrollBy(pixels: number): Promise<void> {
  scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: pixels, bubbles: true }));
  scroller.scrollTop += pixels;
  await settled();
}

/** The paragraph that the reader looks at, and where it is. */
function place(): { paragraph: Element; top: number } {
  const edge = scroller.getBoundingClientRect().top;
  const paragraphs = [...(chat.shadowRoot?.querySelectorAll('.answer .text p') ?? [])];
  const paragraph = paragraphs.find((element) => element.getBoundingClientRect().top >= edge) as Element;
  return { paragraph, top: paragraph.getBoundingClientRect().top };
}

describe('scrolling while an answer is written', () => {
  it('a reader at the end is followed', async () => {
    expect(leftBelow()).to.be.at.most(1);
    await addLines(20);
    expect(leftBelow()).to.be.at.most(1);
    expect(chat.shadowRoot?.querySelector('.newest')).to.equal(null);
  });

  it('a reader who scrolled up keeps his place to the pixel and is offered the newest message', async () => {
    await scrollBy(-400);
    const { paragraph, top } = place();
    await addLines(20);
    expect(paragraph.getBoundingClientRect().top).to.be.closeTo(top, 0.5);
    await shown(chat, '.newest');
    await audit(chat);
  });

  it('a scroll by a few pixels upwards is enough to be left alone', async () => {
    await scrollBy(-3);
    const { top, paragraph } = place();
    await addLines(5);
    expect(paragraph.getBoundingClientRect().top).to.be.closeTo(top, 0.5);
  });

  it('after going to the newest message he is followed, and can leave again', async () => {
    await scrollBy(-400);
    (await shown(chat, '.newest')).click();
    await settled();
    expect(leftBelow()).to.be.at.most(1);
    await addLines(5);
    expect(leftBelow()).to.be.at.most(1);
    await scrollBy(-200);
    const { paragraph, top } = place();
    await addLines(5);
    expect(paragraph.getBoundingClientRect().top).to.be.closeTo(top, 0.5);
  });

  it('scrolling back to the end is following again', async () => {
    await scrollBy(-400);
    await scrollBy(400);
    await addLines(5);
    expect(leftBelow()).to.be.at.most(1);
  });

  it('what grows above a reader does not move what he reads', async () => {
    await scrollBy(-400);
    const { paragraph, top } = place();
    const early = inside(chat, '.greeting');
    early.style.paddingTop = '333px';
    await settled();
    expect(paragraph.getBoundingClientRect().top).to.be.closeTo(top, 0.5);
    early.style.display = 'none';
    await settled();
    expect(paragraph.getBoundingClientRect().top).to.be.closeTo(top, 0.5);
  });

  it('entries put in before the first one do not move what he reads', async () => {
    await scrollBy(-400);
    const { paragraph, top } = place();
    const older = document.createElement('div');
    older.style.height = '1000px';
    inside(chat, '.entries').prepend(older);
    await settled();
    expect(paragraph.getBoundingClientRect().top).to.be.closeTo(top, 0.5);
  });

  it('sending a message brings the reader to it', async () => {
    turn.complete(text());
    await shown(chat, '[part="send-button"]');
    await scrollBy(-400);
    await ask(chat, relay, 'And then?');
    await settled();
    expect(leftBelow()).to.be.at.most(1);
  });

  it('an answer that streams into a closed panel is complete and at its end when it is opened', async () => {
    chat.close();
    await chat.updateComplete;
    await addLines(20);
    turn.send(turn.events.chunk('The end.'));
    await until(() => text().endsWith('The end.'), 'the end is drawn');
    await openChat(chat);
    await settled();
    expect(leftBelow()).to.be.at.most(1);
    expect(inside(chat, '.answer .text').lastElementChild?.checkVisibility()).to.equal(true);
  });

  it('a reader who closed the panel in the middle of the story finds his place again', async () => {
    await scrollBy(-900);
    const { paragraph, top } = place();
    chat.close();
    await chat.updateComplete;
    await addLines(20);
    await openChat(chat);
    await settled();
    expect(paragraph.getBoundingClientRect().top).to.be.closeTo(top, 0.5);
  });

  it('the field that grows while the visitor writes takes nothing from the end of the answer', async () => {
    inside<HTMLTextAreaElement>(chat, 'textarea').value = 'Line\n'.repeat(6);
    inside(chat, 'textarea').dispatchEvent(new InputEvent('input'));
    await settled();
    expect(leftBelow()).to.be.at.most(1);
    expect(partOf(chat, 'composer').getBoundingClientRect().height).to.be.greaterThan(100);
  });
});
