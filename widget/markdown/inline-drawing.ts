import type { DomCursor } from './dom-cursor.ts';
import type { LinkOpening, Opening, Token } from './inline-token.ts';
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

  const drawText = (text: string) => {
    if (description !== undefined) {
      description += text;
    } else if (linkText === undefined) {
      cursor.text(text);
    } else {
      const shown = withoutBidiControls(text);
      linkText += shown;
      cursor.text(shown);
    }
  };

  const drawElement = ({ tag, text }: Token) => {
    if (tag && description === undefined) cursor.open(tag);
    drawText(tag === 'br' && description !== undefined ? ' ' : text);
    if (tag && description === undefined) cursor.close();
  };

  const openLink = ({ target, isImage }: LinkOpening): (() => void) => {
    const { href, place } = target;
    const title = target.title || null;
    if (isImage && imageHosts.includes(place)) {
      description = '';
      return () => {
        const alt = description ?? '';
        description = undefined;
        cursor.leaf('img', { src: href, alt, title, loading: 'lazy', referrerpolicy: 'no-referrer' });
      };
    }
    // A link holds no other link: the text of the inner one stays.
    if (linkText !== undefined) return () => {};
    linkText = '';
    const rel = 'noopener noreferrer nofollow';
    cursor.open('a', 'a', { href, title, target: '_blank', rel, referrerpolicy: 'no-referrer' });
    return () => {
      if (isImage && !linkText) drawText(href);
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

  const open = (opening: Opening): (() => void) => {
    if (description !== undefined) return () => {};
    if (typeof opening !== 'string') return openLink(opening);
    if (endings.length >= deepestElement) return () => {};
    cursor.open(opening);
    return () => cursor.close();
  };

  for (const token of tokens) {
    for (let count = token.closes; count > 0; count--) endings.pop()?.();
    if (token.text || token.tag) drawElement(token);
    for (const opening of token.opens) endings.push(open(opening));
  }
}
