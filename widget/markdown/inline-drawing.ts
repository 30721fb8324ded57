import type { DomCursor } from './dom-cursor.ts';
import type { Opening, Token } from './inline-token.ts';
import { showsPlace, withoutBidiControls } from './link-target.ts';

/** Elements inside elements beyond this are left out, their text stays: browsers lay out deep nesting recursively. */
const deepestElement = 24;

/** Draws the tokens of one stretch at the cursor. Images come from `imageHosts` only; the others are links. */
export function drawTokens(cursor: DomCursor, tokens: readonly Token[], imageHosts: readonly string[]): void {
  /** What to do when each of the open elements ends. */
  const endings: (() => void)[] = [];
  /** The text of the open link, and the description of the open image. */
  let linkText: string | undefined;
  let description: string | undefined;

  const draw = (text: string) => {
    if (description !== undefined) {
      description += text;
      return;
    }
    const shown = linkText === undefined ? text : withoutBidiControls(text);
    if (linkText !== undefined) linkText += shown;
    cursor.text(shown);
  };

  /** Opens an element; gives what to do when it ends. */
  const open = (opening: Opening): (() => void) => {
    const isLink = typeof opening !== 'string';
    const isShownImage = isLink && opening.isImage && imageHosts.includes(opening.target.place);
    // A link holds no other link, a description no element: what is in them stays as text.
    if (
      description !== undefined ||
      endings.length >= deepestElement ||
      (isLink && !isShownImage && linkText !== undefined)
    ) {
      return () => {};
    }
    if (!isLink) {
      cursor.open(opening);
      return () => cursor.close();
    }
    const { isImage, target } = opening;
    const { href, place } = target;
    const title = target.title || null;
    const referrerpolicy = 'no-referrer';
    if (isShownImage) {
      description = '';
      return () => {
        cursor.open('img', 'img', { src: href, alt: description ?? '', title, loading: 'lazy', referrerpolicy });
        cursor.close();
        description = undefined;
      };
    }
    linkText = '';
    cursor.open('a', 'a', { href, title, target: '_blank', rel: 'noopener noreferrer nofollow', referrerpolicy });
    return () => {
      if (isImage && !linkText) draw(href);
      const text = linkText ?? '';
      linkText = undefined;
      if (!showsPlace(text, target)) {
        cursor.open('span', 'host');
        cursor.text(text ? ` (${place})` : place);
        cursor.close();
      }
      cursor.close();
    };
  };

  for (const token of tokens) {
    for (let count = token.closes; count > 0; count--) endings.pop()?.();
    draw(token.text);
    for (const opening of token.opens) endings.push(open(opening));
  }
}
