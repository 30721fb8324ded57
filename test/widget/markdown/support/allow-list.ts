import { markdownParts } from '../../../../widget/markdown/markdown-parts.ts';

/** What an element of an answer may be, in the stand-in page and in a browser. */
interface AnswerElement {
  readonly localName: string;
  readonly attributes: Iterable<readonly [string, string]>;
}

const elements = new Set(
  'p br hr strong em del code pre ul ol li blockquote h1 h2 h3 h4 h5 h6 table thead tbody tr th td a span div button input'.split(
    ' ',
  ),
);
const attributes = new Set(
  'href title dir start align class rel target referrerpolicy type checked disabled aria-label tabindex data-own part'.split(
    ' ',
  ),
);
const parts = new Set<string>(markdownParts);
const schemes = new Set(['http:', 'https:', 'mailto:', 'tel:']);

/** What is wrong with an element of an answer, or undefined when nothing is. */
export function violation({ localName, attributes: own }: AnswerElement): string | undefined {
  const values = new Map(own);
  const describe = () => `<${localName} ${[...values].map(([name, value]) => `${name}=${value}`).join(' ')}>`;
  if (!elements.has(localName)) return `element ${describe()}`;
  for (const [name, value] of values) {
    if (!attributes.has(name)) return `attribute ${name} of ${describe()}`;
    if (name === 'part' && !parts.has(value)) return `part of ${describe()}`;
    if (name === 'class' && !/^(?:language-|md-)\S+$/.test(value)) return `class of ${describe()}`;
  }
  if (localName === 'button' && !values.has('data-own')) return `button ${describe()}`;
  if (localName === 'input' && (values.get('type') !== 'checkbox' || !values.has('disabled')))
    return `input ${describe()}`;
  if (localName !== 'a') return undefined;
  if (!URL.canParse(values.get('href') ?? '') || !schemes.has(new URL(values.get('href') ?? '').protocol))
    return `scheme of ${describe()}`;
  const isSafe =
    values.get('target') === '_blank' &&
    values.get('rel') === 'noopener noreferrer nofollow' &&
    values.get('referrerpolicy') === 'no-referrer';
  return isSafe ? undefined : `link ${describe()}`;
}
