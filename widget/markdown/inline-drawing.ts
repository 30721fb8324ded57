import type { DomCursor } from './dom-cursor.ts';
import type { LinkOpening, Opening, Token } from './inline-token.ts';
import { type LinkTarget, showsPlace, withoutBidiControls } from './link-target.ts';

/** Elements inside elements beyond this are left out, their text stays: browsers lay out deep nesting recursively. */
const deepestElement = 24;

/** An image that takes the text inside it as its alternative. */
interface OpenImage {
  readonly type: 'image';
  readonly target: LinkTarget;
  alternative: string;
}

/** A link, and the text it has shown so far. */
interface OpenLink {
  readonly type: 'link';
  readonly isImage: boolean;
  readonly target: LinkTarget;
  text: string;
}

/** `plain`: an element without more to it. `left-out`: only its content is drawn. */
type Open = OpenImage | OpenLink | { readonly type: 'plain' } | { readonly type: 'left-out' };

/** Draws the tokens of one stretch at the cursor. Images come from `imageHosts` only; the others are links. */
export function drawTokens(cursor: DomCursor, tokens: readonly Token[], imageHosts: readonly string[]): void {
  new TokenDrawing(cursor, imageHosts).draw(tokens);
}

class TokenDrawing {
  readonly #cursor: DomCursor;
  readonly #imageHosts: readonly string[];
  readonly #open: Open[] = [];
  #link: OpenLink | undefined;
  #image: OpenImage | undefined;

  constructor(cursor: DomCursor, imageHosts: readonly string[]) {
    this.#cursor = cursor;
    this.#imageHosts = imageHosts;
  }

  draw(tokens: readonly Token[]): void {
    for (const token of tokens) {
      for (let count = token.closes; count > 0; count--) this.#close();
      if (token.kind === 'text') this.#text(token.text);
      else if (this.#image) this.#image.alternative += token.text || ' ';
      else this.#drawLeaf(token);
      for (const opening of token.opens) this.#open.push(this.#begin(opening));
    }
  }

  #text(text: string): void {
    if (!text) return;
    if (this.#image) {
      this.#image.alternative += text;
      return;
    }
    const shown = this.#link ? withoutBidiControls(text) : text;
    if (this.#link) this.#link.text += shown;
    this.#cursor.text(shown);
  }

  #drawLeaf(token: Token): void {
    if (token.kind === 'break') {
      this.#cursor.leaf('br');
      return;
    }
    this.#cursor.open('code');
    this.#text(token.text);
    this.#cursor.close();
  }

  #begin(opening: Opening): Open {
    if (this.#image) return { type: 'left-out' };
    if (typeof opening !== 'string') return this.#beginLink(opening);
    if (this.#open.length >= deepestElement) return { type: 'left-out' };
    this.#cursor.open(opening);
    return { type: 'plain' };
  }

  #beginLink({ target, isImage }: LinkOpening): Open {
    if (isImage && this.#imageHosts.includes(target.place)) {
      this.#image = { type: 'image', target, alternative: '' };
      return this.#image;
    }
    if (this.#link) return { type: 'left-out' };
    this.#cursor.open('a', {
      href: target.href,
      title: target.title || null,
      target: '_blank',
      rel: 'noopener noreferrer nofollow',
      referrerpolicy: 'no-referrer',
    });
    this.#link = { type: 'link', isImage, target, text: '' };
    return this.#link;
  }

  #close(): void {
    const open = this.#open.pop();
    switch (open?.type) {
      case 'image':
        this.#drawImage(open);
        break;
      case 'link':
        // A picture without a description is named by its address.
        if (open.isImage && !open.text) this.#text(open.target.href);
        this.#link = undefined;
        if (!showsPlace(open.text, open.target)) this.#drawPlace(open);
        this.#cursor.close();
        break;
      case 'plain':
        this.#cursor.close();
        break;
      case 'left-out':
      case undefined:
        break;
    }
  }

  #drawPlace({ target, text }: OpenLink): void {
    this.#cursor.open('span', {}, 'linkHost');
    this.#cursor.text(text ? ` (${target.place})` : target.place);
    this.#cursor.close();
  }

  #drawImage({ target, alternative }: OpenImage): void {
    this.#image = undefined;
    this.#cursor.leaf('img', {
      src: target.href,
      alt: alternative,
      title: target.title || null,
      loading: 'lazy',
      referrerpolicy: 'no-referrer',
    });
  }
}
