import { Page, type PageNode } from './page.ts';

/**
 * Brings a drawing and a specification's HTML to one form, so that they can be compared: what the renderer adds on purpose (parts, bars,
 * the wrapper around a table, a link's host) and what CommonMark leaves open (line ends between blocks) falls away. An address is
 * compared as the browser resolves it.
 */
const kept = new Set(['href', 'src', 'alt', 'title', 'start', 'align', 'type', 'checked', 'disabled']);
const blocks = new Set('div p h1 h2 h3 h4 h5 h6 hr pre blockquote ul ol li table thead tbody tr th td'.split(' '));

export function comparable(node: PageNode): string {
  return content(node).join('');
}

function content(parent: PageNode): string[] {
  const pieces: { text: string; isBlock: boolean }[] = [];
  for (const node of parent.childNodes) {
    const last = pieces.at(-1);
    if (node.nodeType === 3) {
      if (last && !last.isBlock) last.text += escape(node.data);
      else pieces.push({ text: escape(node.data), isBlock: false });
      continue;
    }
    for (const piece of element(node, parent)) {
      const previous = pieces.at(-1);
      if (!piece.isBlock && previous && !previous.isBlock) previous.text += piece.text;
      else pieces.push(piece);
    }
  }
  if (!blocks.has(parent.localName)) return pieces.map(({ text }) => text);
  return pieces.map(({ text, isBlock }) => (isBlock ? text : text.replace(/^\s+|\s+$/g, ''))).filter(Boolean);
}

function element(node: PageNode, parent: PageNode): { text: string; isBlock: boolean }[] {
  const part = node.getAttribute('part') ?? '';
  if (part === 'md-code-bar' || part === 'md-host') return [];
  const isBlock = blocks.has(node.localName);
  const isTight = node.localName === 'p' && parent.parentNode?.getAttribute('class') === 'md-tight';
  const isWrapper = part === 'md-code-block' || part === 'md-table-scroll';
  if (isTight || isWrapper) return [{ text: content(node).join(''), isBlock: isWrapper }];
  const attributes = [...node.attributes]
    .filter(([name, value]) => kept.has(name) || (name === 'class' && value.startsWith('language-')))
    .map(([name, value]) => ` ${name}="${escape(/^(href|src)$/.test(name) ? resolved(value, node) : value)}"`);
  const open = `<${node.localName}${attributes.sort().join('')}>`;
  return [{ text: `${open}${content(node).join('')}</${node.localName}>`, isBlock }];
}

function resolved(address: string, node: PageNode): string {
  if (!URL.canParse(address, node.ownerDocument.baseURI)) return address;
  // cmark encodes brackets, the URL parser does not; both mean the same.
  return new URL(address, node.ownerDocument.baseURI).href.replaceAll('%5B', '[').replaceAll('%5D', ']');
}

function escape(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

const named: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' };
const token = /<(\/?)([a-z][a-z\d]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*(\/?)>|([^<]+|<)/g;
const voids = new Set(['br', 'hr', 'img', 'input']);

/** Reads HTML as a markdown renderer writes it: quoted attributes, four named entities. Anything else becomes text. */
export function readHtml(html: string): PageNode {
  const page = new Page();
  const root = page.createElement('div');
  let parent = root;
  for (const [, end, name = '', attributes = '', , text] of html.matchAll(token)) {
    if (text !== undefined) {
      parent.appendChild(page.createTextNode(decode(text)));
    } else if (end) {
      parent = parent.parentNode ?? root;
    } else {
      const node = page.createElement(name);
      for (const [, key = '', value = ''] of attributes.matchAll(/([a-z-]+)(?:="([^"]*)")?/g)) {
        node.setAttribute(key, decode(value));
      }
      parent.appendChild(node);
      if (!voids.has(name)) parent = node;
    }
  }
  return root;
}

function decode(text: string): string {
  return text.replace(/&(lt|gt|amp|quot);/g, (_, name: string) => named[name] as string);
}
