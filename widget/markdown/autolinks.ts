import { longestEntity } from './entities.ts';
import { longestConstruct } from './link-syntax.ts';

/** An address in the running text that becomes a link (GFM "autolinks (extension)"). */
export interface Autolink {
  readonly start: number;
  readonly end: number;
  /** The address with its scheme. Empty when the text that was read so far does not tell where it ends. */
  readonly destination: string;
}

const candidate = /(?<=^|[\s*_~(])(?:https?:\/\/|www\.)[\p{L}\p{N}][^\s<]*|(?<![\w.+-])[\w.+-]+@[\w.-]+/giu;

/** The first address in `text` from `from` on. `isFinal`: no more text follows. */
export function findAutolink(text: string, from: number, isFinal: boolean): Autolink | undefined {
  candidate.lastIndex = from;
  for (let found = candidate.exec(text); found; found = candidate.exec(text)) {
    const start = found.index;
    const isOpen = !isFinal && candidate.lastIndex === text.length;
    const isMail = /^[^:/]*@/.test(found[0]);
    const address = isOpen ? found[0] : isMail ? found[0].replace(/\.+$/, '') : trimAddress(found[0]);
    if (address.length > longestConstruct || (isMail && !isOpen && !/\.[^@]*[^-_]$/.test(address))) continue;
    const scheme = isMail ? 'mailto:' : /^w/i.test(address) ? 'http://' : '';
    return { start, end: start + address.length, destination: isOpen ? '' : scheme + address };
  }
  return undefined;
}

/** Leaves out what more likely ends the sentence: punctuation, a closing parenthesis without its opening one, an entity. */
function trimAddress(address: string): string {
  let surplus = address.split(')').length - address.split('(').length;
  let end = address.length;
  for (;;) {
    const last = address.charAt(end - 1);
    const entity = last === ';' && /&\w+;$/.exec(address.slice(Math.max(0, end - longestEntity), end));
    if (entity) end -= entity[0].length;
    else if ((last === ')' && surplus-- > 0) || /[?!.,:*_~'"]/.test(last)) end--;
    else return address.slice(0, end);
  }
}
