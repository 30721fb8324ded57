/**
 * The dozen DOM operations that the markdown renderer uses, for tests in Node: children as a linked list, attributes, text nodes. Counts
 * what a browser would have to do. `page.browser.test.ts` holds it against Chromium's DOM over the whole corpus.
 */
export interface PageWork {
  /** Nodes put into a parent, taken out of one, and characters written into text nodes. */
  inserted: number;
  removed: number;
  written: number;
}

export class PageNode {
  readonly ownerDocument: Page;
  readonly nodeType: 1 | 3 | 8;
  readonly localName: string;
  parentNode: PageNode | null = null;
  firstChild: PageNode | null = null;
  lastChild: PageNode | null = null;
  nextSibling: PageNode | null = null;
  previousSibling: PageNode | null = null;
  readonly attributes = new Map<string, string>();
  #data = '';

  constructor(page: Page, nodeType: 1 | 3 | 8, localName: string) {
    this.ownerDocument = page;
    this.nodeType = nodeType;
    this.localName = localName;
  }

  get data(): string {
    return this.#data;
  }

  set data(text: string) {
    this.ownerDocument.work.written += text.length;
    this.#data = text;
  }

  appendData(text: string): void {
    this.ownerDocument.work.written += text.length;
    this.#data += text;
  }

  get childNodes(): PageNode[] {
    const nodes: PageNode[] = [];
    for (let node = this.firstChild; node; node = node.nextSibling) nodes.push(node);
    return nodes;
  }

  get textContent(): string {
    if (this.nodeType === 3) return this.#data;
    return this.childNodes.map((node) => node.textContent).join('');
  }

  set textContent(text: string) {
    this.replaceChildren();
    if (text) this.appendChild(this.ownerDocument.createTextNode(text));
  }

  insertBefore(node: PageNode, next: PageNode | null): PageNode {
    if (next && next.parentNode !== this) throw new Error('insertBefore: the reference is no child');
    node.parentNode?.removeChild(node);
    this.ownerDocument.work.inserted++;
    const previous = next ? next.previousSibling : this.lastChild;
    node.parentNode = this;
    node.previousSibling = previous;
    node.nextSibling = next;
    if (previous) previous.nextSibling = node;
    else this.firstChild = node;
    if (next) next.previousSibling = node;
    else this.lastChild = node;
    return node;
  }

  appendChild(node: PageNode): PageNode {
    return this.insertBefore(node, null);
  }

  removeChild(node: PageNode): PageNode {
    if (node.parentNode !== this) throw new Error('removeChild: not a child');
    this.ownerDocument.work.removed++;
    const { previousSibling, nextSibling } = node;
    if (previousSibling) previousSibling.nextSibling = nextSibling;
    else this.firstChild = nextSibling;
    if (nextSibling) nextSibling.previousSibling = previousSibling;
    else this.lastChild = previousSibling;
    node.parentNode = node.previousSibling = node.nextSibling = null;
    return node;
  }

  replaceChild(node: PageNode, old: PageNode): PageNode {
    this.insertBefore(node, old);
    return this.removeChild(old);
  }

  replaceChildren(): void {
    while (this.firstChild) this.removeChild(this.firstChild);
  }

  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, `${value}`);
  }

  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }

  toggleAttribute(name: string, isSet: boolean): void {
    if (isSet) this.attributes.set(name, '');
    else this.attributes.delete(name);
  }

  get baseURI(): string {
    return this.ownerDocument.baseURI;
  }
}

export class Page {
  readonly baseURI = 'https://site.example/page';
  readonly work: PageWork = { inserted: 0, removed: 0, written: 0 };

  createElement(name: string): PageNode {
    return new PageNode(this, 1, name);
  }

  createTextNode(text: string): PageNode {
    const node = new PageNode(this, 3, '#text');
    node.data = text;
    return node;
  }

  createComment(_text: string): PageNode {
    return new PageNode(this, 8, '#comment');
  }
}
