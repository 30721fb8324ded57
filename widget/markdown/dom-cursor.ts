import { type MarkdownPart, markdownParts } from './markdown-parts.ts';

/** Makes an element that carries its part. `use` names the part where it is not the element's own. */
export function createPart(page: Document, tag: string, use = tag): HTMLElement {
  const element = page.createElement(tag);
  const part = markdownParts[use as MarkdownPart] as string | undefined;
  if (part) element.setAttribute('part', part);
  return element;
}

/** Removes what follows `last` in `parent` (everything when `last` is null) up to `stop`. */
export function removeAfter(parent: Node, last: Node | null, stop: Node | null = null): void {
  let next: Node | null = last ? last.nextSibling : parent.firstChild;
  while (next && next !== stop) {
    const following: Node | null = next.nextSibling;
    parent.removeChild(next);
    next = following;
  }
}

/**
 * Writes a run of inline nodes over what an earlier drawing left at the same place: a node that is there and fits is kept, a text that only
 * grew is appended to, and what is left over is removed. So drawing the open end of an answer again costs few changes of the page.
 */
export class DomCursor {
  readonly #page: Document;
  #parent: Node;
  #next: Node | null;
  /** The first node that is not ours at this depth. */
  #stop: Node | null;
  readonly #outer: { parent: Node; next: Node | null; stop: Node | null }[] = [];
  #text = '';

  /** Writes into `parent` behind `after` (null: at its beginning) and before `stop` (null: its end). */
  constructor(page: Document, parent: Node, after: Node | null, stop: Node | null = null) {
    this.#page = page;
    this.#parent = parent;
    this.#next = after ? after.nextSibling : parent.firstChild;
    this.#stop = stop;
  }

  /** The node before the place where the next one comes, null at the beginning of the parent. Ends the text node before it. */
  get previous(): Node | null {
    this.#writeText();
    return this.#next ? this.#next.previousSibling : this.#parent.lastChild;
  }

  /** Adds to the text at this place. Neighbouring texts become one node until `previous`, an element or the end comes between. */
  text(text: string): void {
    this.#text += text;
  }

  /** An empty element. */
  leaf(tag: string, attributes?: Readonly<Record<string, string | null>>): void {
    this.open(tag, attributes);
    this.close();
  }

  /** Begins an element. One that is there is kept when it has this name and these `attributes` (null: not that one). */
  open(tag: string, attributes: Readonly<Record<string, string | null>> = {}, use?: string): HTMLElement {
    this.#writeText();
    let element = this.#next as HTMLElement | null;
    const wanted = Object.entries(attributes);
    const isKept =
      element?.localName === tag &&
      element !== this.#stop &&
      wanted.every(([name, value]) => element?.getAttribute(name) === value);
    if (!element || !isKept) {
      element = createPart(this.#page, tag, use);
      for (const [name, value] of wanted) if (value !== null) element.setAttribute(name, value);
      this.#parent.insertBefore(element, this.#next);
    }
    this.#outer.push({ parent: this.#parent, next: element.nextSibling, stop: this.#stop });
    this.#parent = element;
    this.#next = element.firstChild;
    this.#stop = null;
    return element;
  }

  close(): void {
    this.#removeRest();
    const outer = this.#outer.pop();
    if (!outer) return;
    this.#parent = outer.parent;
    this.#next = outer.next;
    this.#stop = outer.stop;
  }

  /** Closes what is open and removes what an earlier drawing left behind this place. */
  finish(): void {
    while (this.#outer.length > 0) this.close();
    this.#removeRest();
  }

  #removeRest(): void {
    const last = this.previous;
    removeAfter(this.#parent, last, this.#stop);
    this.#next = this.#stop;
  }

  #writeText(): void {
    const text = this.#text;
    if (!text) return;
    this.#text = '';
    const next = this.#next;
    if (next && next !== this.#stop && next.nodeType === 3) {
      const node = next as Text;
      const shown = node.data;
      if (shown !== text) {
        if (text.startsWith(shown)) node.appendData(text.slice(shown.length));
        else node.data = text;
      }
      this.#next = next.nextSibling;
    } else {
      this.#parent.insertBefore(this.#page.createTextNode(text), next);
    }
  }
}
