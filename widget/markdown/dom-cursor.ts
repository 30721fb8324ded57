type Attributes = Readonly<Record<string, string | null>>;

/**
 * The element `tag` before `next` in `parent`: `next` itself when it has this name and use, left there by an earlier drawing, else a new
 * one. Its `part` names the use, or the tag where that has one use only (see `markdown-parts.ts`). Null attributes are taken away.
 */
export function elementAt(
  parent: Node,
  next: Node | null,
  tag: string,
  use = tag,
  attributes: Attributes = {},
): HTMLElement {
  const part = `md-${use}`;
  let element = next as HTMLElement | null;
  if (element?.localName !== tag || element.getAttribute('part') !== part) {
    element = (parent.ownerDocument as Document).createElement(tag);
    element.setAttribute('part', part);
    parent.insertBefore(element, next);
  }
  setAttributes(element, attributes);
  return element;
}

export function setAttributes(element: HTMLElement, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (element.getAttribute(name) === value) continue;
    if (value === null) element.removeAttribute(name);
    else element.setAttribute(name, value);
  }
}

/** What follows `last` in `parent`: its first child when `last` is null. */
export function nodeAfter(parent: Node, last: Node | null): Node | null {
  return last ? last.nextSibling : parent.firstChild;
}

/** Removes `next` and what follows it in `parent`, up to `stop`. */
export function removeFrom(parent: Node, next: Node | null, stop: Node | null = null): void {
  let node = next;
  while (node && node !== stop) {
    const following: Node | null = node.nextSibling;
    parent.removeChild(node);
    node = following;
  }
}

/**
 * Writes a run of inline nodes over what an earlier drawing left at the same place: a node that is there and fits is kept, a text that only
 * grew is appended to, and what is left over is removed. So drawing the open end of an answer again costs few changes of the page.
 */
export class DomCursor {
  #parent: Node;
  #next: Node | null;
  readonly #outer: Node[] = [];
  #text = '';

  /** Writes into `parent` behind `last` (null: at its beginning). */
  constructor(parent: Node, last: Node | null) {
    this.#parent = parent;
    this.#next = nodeAfter(parent, last);
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

  open(tag: string, use?: string, attributes?: Attributes): void {
    this.#writeText();
    this.#outer.push(this.#parent);
    this.#parent = elementAt(this.#parent, this.#next, tag, use, attributes);
    this.#next = this.#parent.firstChild;
  }

  close(): void {
    this.finish();
    this.#next = this.#parent.nextSibling;
    this.#parent = this.#outer.pop() as Node;
  }

  /** Removes what an earlier drawing left behind this place, up to `stop`. */
  finish(stop: Node | null = null): void {
    this.#writeText();
    removeFrom(this.#parent, this.#next, stop);
  }

  #writeText(): void {
    const text = this.#text;
    if (!text) return;
    this.#text = '';
    if (this.#next?.nodeType !== 3) {
      this.#parent.insertBefore((this.#parent.ownerDocument as Document).createTextNode(text), this.#next);
      return;
    }
    const node = this.#next as Text;
    const shown = node.data;
    if (text.startsWith(shown)) {
      if (text !== shown) node.appendData(text.slice(shown.length));
    } else {
      node.data = text;
    }
    this.#next = node.nextSibling;
  }
}
