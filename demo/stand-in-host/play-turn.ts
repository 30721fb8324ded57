import { callInDomain } from './call-in-domain.ts';
import { longAnswer } from './long-answer.ts';
import { PHRASES, type Phrases } from './phrases.ts';
import { playContinuation, playTravel } from './play-travel.ts';
import { readRefusal } from './refusal.ts';
import { readOrder, readProducts, type ShopProduct } from './tool-answers.ts';
import type { Turn } from './turn.ts';
import { type Intent, understand } from './understand.ts';

/** Plays the turn that the fixed rules have for a message; returns the rule's name. Rejects when the turn is stopped. */
export async function playTurn(
  turn: Turn,
  { message, nowMs }: { readonly message: string; readonly nowMs: number },
  onRule: (rule: Intent['type']) => void,
): Promise<void> {
  const { intent, language } = understand(message);
  const phrases = PHRASES[language];
  onRule(intent.type);
  await turn.think();
  switch (intent.type) {
    case 'order':
      await playOrder(turn, intent, phrases);
      return turn.complete();
    case 'show-products':
      await playProducts(turn, phrases);
      return turn.complete();
    case 'order-status':
      await playOrderStatus(turn, intent.orderId ?? turn.session.lastOrderId, phrases);
      return turn.complete();
    case 'find-coach':
    case 'find-car':
    case 'book':
      await playTravel(turn, intent, language, nowMs);
      return turn.complete();
    case 'continue':
      await playContinuation(turn);
      return turn.complete();
    case 'several-products':
      await turn.say(phrases.oneProductAtATime);
      return turn.complete();
    case 'long-answer':
      await turn.say(longAnswer(language));
      return turn.complete();
    case 'think-slowly':
      await playSlowThinking(turn, phrases);
      return turn.complete();
    case 'help':
      await turn.say(phrases.help);
      return turn.complete();
    case 'unknown':
      await turn.say(phrases.notUnderstood);
      return turn.complete();
    case 'fail':
      await turn.say(phrases.beforeFailure);
      return turn.fail('The stand-in failed because it was asked to.');
    case 'break-off':
      await turn.say(firstThird(longAnswer(language)));
      return turn.breakOff();
  }
}

async function playOrder(turn: Turn, intent: Intent & { type: 'order' }, phrases: Phrases): Promise<void> {
  let productId: string;
  if ('id' in intent.product) {
    productId = intent.product.id;
  } else {
    const listed = await callInDomain(turn, 'orders', 'list_products', {});
    if (listed.isError) return turn.say(phrases.refused(readRefusal(listed.body)));
    const products = readProducts(listed.body);
    const found = findByName(products, intent.product.words);
    await turn.think();
    if (found === undefined) return turn.say(phrases.productNotFound(products));
    productId = found.id;
  }

  const input = { productId, quantity: intent.quantity };
  let outcome = await callInDomain(turn, 'orders', 'create_order', input);
  await turn.think();
  if (intent.isCalledTwice && !outcome.isError) {
    outcome = await callInDomain(turn, 'orders', 'create_order', input);
    await turn.think();
  }
  if (outcome.isError) return turn.say(phrases.refused(readRefusal(outcome.body)));
  const order = readOrder(outcome.body);
  turn.session.lastOrderId = order.orderId;
  await turn.say(phrases.orderConfirmed(order) + (outcome.isReplay ? phrases.secondCallHadNoEffect : ''));
}

async function playProducts(turn: Turn, phrases: Phrases): Promise<void> {
  const outcome = await callInDomain(turn, 'orders', 'list_products', {});
  await turn.think();
  await turn.say(
    outcome.isError ? phrases.refused(readRefusal(outcome.body)) : phrases.products(readProducts(outcome.body)),
  );
}

async function playOrderStatus(turn: Turn, orderId: string | undefined, phrases: Phrases): Promise<void> {
  if (orderId === undefined) return turn.say(phrases.whichOrder);
  const outcome = await callInDomain(turn, 'orders', 'get_order', { orderId });
  await turn.think();
  await turn.say(
    outcome.isError ? phrases.refused(readRefusal(outcome.body)) : phrases.orderFound(readOrder(outcome.body)),
  );
}

async function playSlowThinking(turn: Turn, phrases: Phrases): Promise<void> {
  for (let round = 0; round < 4; round += 1) await turn.think(4);
  await turn.say(phrases.thoughtSlowly);
}

// The product with the most of the words in its name; a plural's s does not count. None where no word fits or two fit alike.
function findByName(products: readonly ShopProduct[], words: readonly string[]): ShopProduct | undefined {
  const wanted = new Set(words.map(withoutPlural));
  const rated = products
    .map((product) => ({
      product,
      hits: product.name
        .toLowerCase()
        .split(' ')
        .filter((word) => wanted.has(withoutPlural(word))).length,
    }))
    .sort((a, b) => b.hits - a.hits);
  const [best, next] = rated;
  return best !== undefined && best.hits > (next?.hits ?? 0) ? best.product : undefined;
}

function withoutPlural(word: string): string {
  return word.replace(/s$/, '');
}

function firstThird(text: string): string {
  return text.slice(0, text.indexOf(' ', text.length / 3));
}
