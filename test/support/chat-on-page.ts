import type { ElementHandle, Page } from 'puppeteer-core';

const WAIT_MS = 15_000;

/** The widget on a page, used as a visitor uses it: by what it shows and what can be clicked and typed. */
export class ChatOnPage {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Clicks the launcher and waits until the conversation has begun, or is told not to. */
  async open(): Promise<void> {
    await this.#click('launcher');
    await this.#page.waitForSelector('parley-chat >>> textarea', { visible: true, timeout: WAIT_MS });
    await this.#shows((root) => root.querySelector('[part~="greeting"], [part~="status-button"]') !== null);
  }

  /** Types a message and presses Enter. */
  async send(message: string): Promise<void> {
    const input = await this.#input();
    await input.type(message);
    await input.press('Enter');
  }

  /** Waits until no answer is being written. */
  async settled(): Promise<void> {
    await this.#shows((root) => {
      const answers = root.querySelectorAll('[part~="answer"]');
      return answers.length > 0 && root.querySelector('[part~="stop-button"]') === null;
    });
  }

  /** Sends a message and waits until its answer has ended, however it did. */
  async ask(message: string): Promise<void> {
    const before = await this.answerCount();
    await this.send(message);
    await this.#page.waitForFunction(
      (count) => document.querySelector('parley-chat')!.shadowRoot!.querySelectorAll('[part~="answer"]').length > count,
      { timeout: WAIT_MS },
      before,
    );
    await this.settled();
  }

  async answerCount(): Promise<number> {
    return this.#read((root) => root.querySelectorAll('[part~="answer"]').length);
  }

  /** The text of the newest answer as it is shown. */
  async lastAnswerText(): Promise<string> {
    return this.#read((root) => {
      const texts = root.querySelectorAll<HTMLElement>('[part~="answer-text"]');
      return texts[texts.length - 1]?.textContent ?? '';
    });
  }

  /** The text of everything that carries this part, in order. */
  async textsOf(part: string): Promise<string[]> {
    return this.#page.$$eval(`parley-chat >>> [part~="${part}"]`, (elements) =>
      // biome-ignore lint/performance/useDomNodeTextContent: what is shown is asked for, and not what is hidden
      elements.map((element) => (element as HTMLElement).innerText.trim()),
    );
  }

  async press(part: string): Promise<void> {
    await this.#click(part);
  }

  async waitFor(part: string): Promise<void> {
    await this.#page.waitForSelector(`parley-chat >>> [part~="${part}"]`, { visible: true, timeout: WAIT_MS });
  }

  /** Waits until a new conversation has begun: the old one and the question about it are gone, the focus is where one writes. */
  async hasBegunAnew(): Promise<void> {
    await this.#shows(
      (root) =>
        !root.querySelector('dialog, [part~="answer"]') &&
        root.querySelector('[part~="greeting"]') !== null &&
        root.activeElement?.localName === 'textarea',
    );
  }

  /** True when the visitor can write and send another message. */
  async isComposerUsable(): Promise<boolean> {
    return this.#read((root) => {
      const input = root.querySelector('textarea');
      return (
        input !== null && !input.disabled && !input.readOnly && root.querySelector('[part~="send-button"]') !== null
      );
    });
  }

  async #input(): Promise<ElementHandle<HTMLTextAreaElement>> {
    const input = await this.#page.waitForSelector('parley-chat >>> textarea', { visible: true, timeout: WAIT_MS });
    return input as ElementHandle<HTMLTextAreaElement>;
  }

  async #click(part: string): Promise<void> {
    await this.#page.locator(`parley-chat >>> [part~="${part}"]`).setTimeout(WAIT_MS).click();
  }

  async #shows(holds: (root: ShadowRoot) => boolean): Promise<void> {
    await this.#page.waitForFunction(`(${holds.toString()})(document.querySelector('parley-chat').shadowRoot)`, {
      timeout: WAIT_MS,
    });
  }

  async #read<Value>(read: (root: ShadowRoot) => Value): Promise<Value> {
    return (await this.#page.evaluate(
      `(${read.toString()})(document.querySelector('parley-chat').shadowRoot)`,
    )) as Value;
  }
}
