import { CONTINUE_MESSAGE } from '../../relay/protocol/requests.ts';
import { readTravel, type TravelIntent } from './travel-words.ts';

export type Language = 'en' | 'de';

/** What a message asks for, as far as the fixed rules go. */
export type Intent =
  | {
      readonly type: 'order';
      readonly quantity: number;
      /** A product id, or the words that may be a product's name. */
      readonly product: { readonly id: string } | { readonly words: readonly string[] };
      /** The call is made twice in one turn, as a model in a loop would. */
      readonly isCalledTwice: boolean;
    }
  | TravelIntent
  /** What the relay says for a visitor who has released a call after it had been given back. */
  | { readonly type: 'continue' }
  | { readonly type: 'several-products' }
  | { readonly type: 'show-products' }
  | { readonly type: 'order-status'; readonly orderId: string | undefined }
  | { readonly type: 'long-answer' }
  | { readonly type: 'fail' }
  | { readonly type: 'break-off' }
  | { readonly type: 'think-slowly' }
  | { readonly type: 'help' }
  | { readonly type: 'unknown' };

const GERMAN =
  'bestell bestelle bestellen bestellung kauf kaufe kaufen möchte hätte nehme zeig zeige wo ist meine mein schreib schreibe ' +
  'antwort lange langsam denk denke nach brich ab hilfe hallo produkte sortiment beispiele ich bitte und der die das ein ' +
  'eine einen nicht kein keine was wie von stück scheitere mittendrin danke finde such suche bus morgen übermorgen heute nach mietwagen auto dort buche buchen den ihn es zweiten';
const ORDER_VERBS = 'order buy purchase bestell bestelle bestellen kauf kaufe kaufen nehme';
const ORDER_NOUNS = 'order orders bestellung bestellungen';
const REFUSALS = "don't dont not never cancel nicht kein keine storniere stornieren";
const NUMBER_WORDS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  ten: 10,
  ein: 1,
  eine: 1,
  einen: 1,
  zwei: 2,
  drei: 3,
  vier: 4,
  fünf: 5,
  sechs: 6,
  zehn: 10,
};
const NOT_A_NAME = new Set(
  (
    `${ORDER_VERBS} please i i'd would like to want the of unit units piece pieces pcs x me my for some and twice repeat call ` +
    'in same turn bitte ich möchte hätte gern gerne die der das den von vom stück mir und zweimal doppelt'
  ).split(' '),
);

/** Reads a message by fixed rules, in English or German. What no rule covers is `unknown`. */
export function understand(message: string): { intent: Intent; language: Language } {
  const text = message.toLowerCase().replaceAll('’', "'");
  const words = text.match(/[\p{L}\p{N}_']+/gu) ?? [];
  const germanWords = countOf(words, GERMAN);
  return {
    intent: readIntent(text, words),
    language: germanWords > 0 && germanWords * 3 >= words.length ? 'de' : 'en',
  };
}

function readIntent(text: string, words: readonly string[]): Intent {
  const has = (list: string) => countOf(words, list) > 0;
  const productIds = new Set(words.filter((word) => word.startsWith('prod_')));
  const orderId = words.find((word) => /^ord_[0-9a-z]+$/.test(word));

  if (text.trim() === CONTINUE_MESSAGE.toLowerCase()) return { type: 'continue' };
  if (orderId !== undefined) return { type: 'order-status', orderId };
  if (productIds.size === 0 && has(ORDER_NOUNS) && has('where wo my meine status')) {
    return { type: 'order-status', orderId: undefined };
  }
  if (has(REFUSALS)) return { type: 'unknown' };
  const travel = productIds.size === 0 ? readTravel(text) : undefined;
  // “Order the book” is no booking.
  const isOrder = has(ORDER_VERBS) && travel?.type === 'book' && travel.what === undefined;
  if (travel !== undefined && !isOrder) return travel;
  if (has('long lange langen ausführliche') && has('answer antwort text write schreib schreibe')) {
    return { type: 'long-answer' };
  }
  if (/\bbreak(s|ing)? off\b|\bbrich\b.*\bab\b/.test(text)) return { type: 'break-off' };
  if (has('fail fails scheitere scheitern')) return { type: 'fail' };
  if (has('slowly slow langsam')) return { type: 'think-slowly' };
  if (productIds.size > 1) return { type: 'several-products' };
  if (has(ORDER_VERBS) || (has('like möchte hätte') && productIds.size === 1)) {
    const [id] = productIds;
    return {
      type: 'order',
      quantity: readQuantity(text, words),
      product: id === undefined ? { words: words.filter((word) => isNameWord(word)) } : { id },
      isCalledTwice: has('twice repeat zweimal doppelt'),
    };
  }
  if (has('product products catalogue catalog sell produkt produkte sortiment verkauft'))
    return { type: 'show-products' };
  if (has('help examples hello hi hey hilfe beispiele hallo')) return { type: 'help' };
  return { type: 'unknown' };
}

function countOf(words: readonly string[], list: string): number {
  const wanted = new Set(list.split(' '));
  return words.filter((word) => wanted.has(word)).length;
}

function isNameWord(word: string): boolean {
  return !NOT_A_NAME.has(word) && !Object.hasOwn(NUMBER_WORDS, word) && !/^\d+x?$/.test(word);
}

// A negative or broken number is taken as it is: the API refuses it, and its reason is worth showing.
function readQuantity(text: string, words: readonly string[]): number {
  const digits = /(?<![\p{L}\p{N}_.,-])(-?\d+(?:[.,]\d+)?)\s*[x×]?(?![\p{L}\p{N}_])/u.exec(text)?.[1];
  if (digits !== undefined) {
    const quantity = Number(digits.replace(',', '.'));
    return Math.max(Number.MIN_SAFE_INTEGER, Math.min(quantity, Number.MAX_SAFE_INTEGER));
  }
  const numberWord = words.find((word) => Object.hasOwn(NUMBER_WORDS, word));
  return numberWord === undefined ? 1 : (NUMBER_WORDS[numberWord] ?? 1);
}
