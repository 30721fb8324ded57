import { longestConstruct } from './link-syntax.ts';

/** An address in the running text that becomes a link (GFM "autolinks (extension)"). */
export interface Autolink {
  readonly start: number;
  readonly end: number;
  /** The address with its scheme. Empty when the text that was read so far does not tell where it ends. */
  readonly destination: string;
}

const candidate = /(?<=^|[\s*_~(])(?:https?:\/\/|www\.)[^\s<]+|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/gi;
const domain = /^(?:https?:\/\/)?(?:[^\s/?#:@]*@)?([\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*)/iu;
const openAddress = /[\w.+@-]*$/y;

/** The first address in `text` from `from` on. `isFinal`: no more text follows. */
export function findAutolink(text: string, from: number, isFinal: boolean): Autolink | undefined {
  candidate.lastIndex = from;
  for (let found = candidate.exec(text); found; found = candidate.exec(text)) {
    const start = found.index;
    const isAddress = /^[^:/]*@/.test(found[0]);
    openAddress.lastIndex = candidate.lastIndex;
    if (!isFinal && (isAddress ? openAddress.test(text) : candidate.lastIndex === text.length)) {
      if (text.length - start <= longestConstruct) return { start, end: text.length, destination: '' };
      continue;
    }
    const address = isAddress ? found[0] : trimAddress(found[0]);
    if (address.length > longestConstruct || !isValid(address, isAddress)) continue;
    const scheme = isAddress ? 'mailto:' : /^www/i.test(address) ? 'http://' : '';
    return { start, end: start + address.length, destination: scheme + address };
  }
  return undefined;
}

function isValid(address: string, isMail: boolean): boolean {
  if (isMail) return !/[-_]$/.test(address);
  const name = domain.exec(address)?.[1];
  return name !== undefined && !name.split('.').slice(-2).join().includes('_');
}

/** Leaves out what more likely ends the sentence: punctuation, a closing parenthesis without its opening one, an entity. */
function trimAddress(address: string): string {
  let end = address.length;
  let surplus = address.split(')').length - address.split('(').length;
  while (end > 0) {
    const last = address.charAt(end - 1);
    if (last === ')' && surplus > 0) surplus--;
    else if (!/[?!.,:*_~'"]/.test(last)) {
      const reference = last === ';' ? /&[a-z\d]+;$/i.exec(address.slice(Math.max(0, end - 40), end)) : null;
      if (!reference) break;
      end -= reference[0].length - 1;
    }
    end--;
  }
  return address.slice(0, end);
}
