/** A page of a browser as far as a conversation sees it: its events, its storage, and the other tabs of the same browser. */
import { once } from 'node:events';
import type { Answer, Conversation } from '../../widget/conversation.ts';
import { ConversationController } from '../../widget/conversation-controller.ts';
import type { PageEnvironment } from '../../widget/page-environment.ts';
import type { ConversationOptions } from '../../widget/session-start.ts';

/** What the tabs of one browser share: the device's storage, and channels and locks, which are the runtime's own. */
export class TestBrowser {
  readonly deviceStorage = new MemoryStorage();
  readonly pages: TestPage[] = [];
  /** Each browser has channels and locks of its own. */
  readonly #name = crypto.randomUUID();

  openPage(options: Partial<TestPage> = {}): TestPage {
    const page = Object.assign(new TestPage(this, this.#name), options);
    this.pages.push(page);
    return page;
  }

  /** Closes all tabs, so that the test's process can end. */
  close(): void {
    for (const page of this.pages) page.leave();
  }
}

export class MemoryStorage implements Storage {
  readonly #items = new Map<string, string>();
  get length(): number {
    return this.#items.size;
  }
  key(index: number): string | null {
    return [...this.#items.keys()][index] ?? null;
  }
  getItem(key: string): string | null {
    return this.#items.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.#items.set(key, value);
  }
  removeItem(key: string): void {
    this.#items.delete(key);
  }
  clear(): void {
    this.#items.clear();
  }
}

/** Counts what is registered, so that a test sees what is left behind. */
class CountingTarget extends EventTarget {
  listeners = 0;
  readonly #known = new Set<string>();
  override addEventListener(...[type, listener, options]: Parameters<EventTarget['addEventListener']>): void {
    super.addEventListener(type, listener, options);
    if (!this.#known.has(type)) this.listeners += 1;
    this.#known.add(type);
  }
  override removeEventListener(...[type, listener, options]: Parameters<EventTarget['removeEventListener']>): void {
    super.removeEventListener(type, listener, options);
    if (this.#known.delete(type)) this.listeners -= 1;
  }
}

class CountingDocument extends CountingTarget {
  visibilityState: DocumentVisibilityState = 'visible';
}

export class TestPage {
  tabStorage: Storage | undefined = new MemoryStorage();
  deviceStorage: Storage | undefined;
  hasChannels = true;
  hasLocks = true;
  isOnline = true;
  readonly window = new CountingTarget();
  readonly document = new CountingDocument();
  readonly channels = new Set<BroadcastChannel>();
  readonly #browserName: string;
  readonly #elements: TestElement[] = [];

  constructor(browser: TestBrowser, browserName: string) {
    this.deviceStorage = browser.deviceStorage;
    this.#browserName = browserName;
  }

  get environment(): PageEnvironment {
    return {
      fetch: (...request) => fetch(...request),
      window: this.window,
      document: this.document,
      isOnline: () => this.isOnline,
      storage: (persist) => (persist === 'tab' ? this.tabStorage : this.deviceStorage),
      openChannel: (name) => (this.hasChannels ? this.#openChannel(name) : undefined),
      locks: () => (this.hasLocks ? this.#locks() : undefined),
    };
  }

  get listeners(): number {
    return this.window.listeners + this.document.listeners;
  }

  /** Puts an element with a conversation into the page. */
  addElement(options: ConversationOptions): TestElement {
    const element = new TestElement(this, options);
    this.#elements.push(element);
    return element;
  }

  fire(type: 'pagehide' | 'pageshow' | 'online' | 'offline'): void {
    if (type === 'online' || type === 'offline') this.isOnline = type === 'online';
    this.window.dispatchEvent(new Event(type));
  }

  show(visibility: DocumentVisibilityState): void {
    this.document.visibilityState = visibility;
    this.document.dispatchEvent(new Event('visibilitychange'));
  }

  /** The tab is closed or shows another page: its connections, channels and locks are gone. */
  leave(): void {
    this.fire('pagehide');
    for (const element of this.#elements) element.controller.hostDisconnected();
    for (const channel of this.channels) channel.close();
  }

  #openChannel(name: string): BroadcastChannel {
    const channel = new BroadcastChannel(this.#browserName + name);
    this.channels.add(channel);
    const close = channel.close.bind(channel);
    channel.close = () => {
      this.channels.delete(channel);
      close();
    };
    return channel as unknown as globalThis.BroadcastChannel;
  }

  #locks(): LockManager {
    const request = (name: string, options: LockOptions, callback: () => Promise<void>) =>
      navigator.locks.request(this.#browserName + name, options, callback);
    return { request } as LockManager;
  }
}

/** An element that draws nothing: it holds a conversation and tells when it has changed. */
export class TestElement {
  readonly controller: ConversationController;
  updates = 0;
  readonly #changes = new EventTarget();

  constructor(page: TestPage, options: ConversationOptions) {
    const host = { addController: () => {}, requestUpdate: () => this.#update() };
    this.controller = new ConversationController(host, () => page.environment);
    this.controller.configure(options);
    this.controller.hostConnected();
  }

  get conversation(): Conversation {
    return this.controller.conversation;
  }

  get answers(): readonly Answer[] {
    return this.conversation.entries.filter((entry) => entry.type === 'answer');
  }

  /** Resolves with the state for which this holds. A test that never gets there ends by its time limit. */
  async until(isTrue: (conversation: Conversation) => boolean): Promise<Conversation> {
    while (!isTrue(this.conversation)) await once(this.#changes, 'change');
    return this.conversation;
  }

  /** Resolves with the last answer when its text and status are these. */
  async answered(text: string, status: Answer['status'] = 'complete'): Promise<Answer> {
    const isThere = () => this.answers.at(-1)?.text === text && this.answers.at(-1)?.status === status;
    await this.until(isThere);
    return this.answers.at(-1)!;
  }

  async opened(): Promise<this> {
    this.controller.start();
    await this.until((conversation) => conversation.session.type === 'open');
    return this;
  }

  #update(): void {
    this.updates += 1;
    this.#changes.dispatchEvent(new Event('change'));
  }
}
