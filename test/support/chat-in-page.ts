/** A `<parley-chat>` in the test's page, and the ways in which a visitor deals with it. */
import type { ParleyChat } from '../../widget/define.ts';
import '../../widget/define.ts';
import 'axe-core/axe.min.js';
import type { AxeResults, ElementContext, RunOptions } from 'axe-core';
import { expect } from 'chai';
import type { PageRelay, RelayTurn } from './page-relay.ts';

declare const axe: { run(context: ElementContext, options: RunOptions): Promise<AxeResults> };

export function addChat(relay: PageRelay, attributes: Readonly<Record<string, string>> = {}): ParleyChat {
  const chat = document.createElement('parley-chat');
  for (const [name, value] of Object.entries({ relay: relay.address, persist: 'none', ...attributes })) {
    chat.setAttribute(name, value);
  }
  document.body.append(chat);
  return chat;
}

/** Opens it and waits until the agent's first message is there. */
export async function openChat(chat: ParleyChat): Promise<void> {
  chat.open();
  await shown(chat, '.greeting p');
  await Promise.all(inside(chat, '.panel').getAnimations().map(finish));
}

/** The element inside the chat; throws where there is none. */
export function inside<Found extends HTMLElement = HTMLElement>(chat: ParleyChat, selector: string): Found {
  const found = chat.shadowRoot?.querySelector<Found>(selector);
  if (!found) throw new Error(`${selector} is not in the chat`);
  return found;
}

export function partOf(chat: ParleyChat, name: string): HTMLElement {
  return inside(chat, `[part~="${name}"]`);
}

/** Waits for an element of the chat that is displayed. */
export function shown(chat: ParleyChat, selector: string): Promise<HTMLElement> {
  return until(() => {
    const found = chat.shadowRoot?.querySelector<HTMLElement>(selector);
    return found?.checkVisibility() ? found : undefined;
  }, `${selector} is shown`);
}

/** Waits, frame by frame, until `find` finds something. */
export async function until<Found>(find: () => Found | undefined | false | null, what: string): Promise<Found> {
  for (const start = performance.now(); performance.now() - start < 10_000; await nextFrame()) {
    const found = find();
    if (found) return found;
  }
  throw new Error(`waited 10 s in vain until ${what}`);
}

function nextFrame(): Promise<number> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}

/** Two frames: everything that was asked for is drawn and observed. */
export async function settled(): Promise<void> {
  await nextFrame();
  await nextFrame();
}

export function write(chat: ParleyChat, text: string): HTMLTextAreaElement {
  const input = inside<HTMLTextAreaElement>(chat, 'textarea');
  input.focus();
  input.value = text;
  input.dispatchEvent(new InputEvent('input', { bubbles: true }));
  return input;
}

/** Writes a message and sends it; the answer is the test's to play. */
export function ask(chat: ParleyChat, relay: PageRelay, text: string): Promise<RelayTurn> {
  press(write(chat, text), 'Enter');
  return relay.turn();
}

/** Presses a key on what has the focus. True when the browser may go on with it, e.g. break the line. */
export function press(element: Element, key: string, init: KeyboardEventInit & { keyCode?: number } = {}): boolean {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true, ...init });
  return element.dispatchEvent(event);
}

/** Rules about a whole page are not the chat's affair. */
const PAGE_RULES = ['region', 'page-has-heading-one', 'landmark-one-main', 'document-title', 'html-has-lang'];

/** Fails with what an accessibility audit finds in the chat. */
export async function audit(chat: ParleyChat): Promise<void> {
  // A colour that fades in is judged when it is there.
  await Promise.all((chat.shadowRoot?.getAnimations() ?? []).map(finish));
  const rules = Object.fromEntries(PAGE_RULES.map((rule) => [rule, { enabled: false }]));
  const { violations } = await axe.run(chat, { rules });
  const found = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`)}`,
  );
  expect(found).to.deep.equal([]);
}

async function finish(animation: Animation): Promise<void> {
  if (animation.effect?.getComputedTiming().iterations === 1) await animation.finished;
}
