import { table } from './markdown-table.ts';
import type { Refusal } from './refusal.ts';
import type { ShopOrder, ShopProduct } from './tool-answers.ts';
import type { Language } from './understand.ts';

/** Everything that the stand-in says, as markdown. */
export interface Phrases {
  readonly help: string;
  readonly notUnderstood: string;
  readonly oneProductAtATime: string;
  readonly whichOrder: string;
  readonly beforeFailure: string;
  readonly thoughtSlowly: string;
  readonly secondCallHadNoEffect: string;
  orderConfirmed(order: ShopOrder): string;
  orderFound(order: ShopOrder): string;
  products(products: readonly ShopProduct[]): string;
  productNotFound(products: readonly ShopProduct[]): string;
  refused(refusal: Refusal): string;
}

export const INITIAL_MESSAGE =
  'Hello! I stand in for an agent: I follow fixed rules and am no AI model. What I order and book is real, in ' +
  'the demo’s own database. Try “order 2 units of prod_2f81”, or “help” for more. Deutsch geht auch.';

const EXAMPLES_EN = `- order 2 units of prod_2f81
- order 2 units of prod_2f81 twice *(two calls, one order)*
- find me a coach from Bern to Milan tomorrow
- and a car there *(after the coach: another domain)*
- book it *(needs your release, by a code)*
- find me a coach from Bern to Milan on 31.02.2027 *(a wrong date)*
- order three lanterns
- order 500 units of prod_2f81 *(the tool gateway refuses)*
- order 1 bell *(sold out)*
- show the products
- where is my order?
- write a long answer
- think slowly
- fail in the middle
- break off`;

const EXAMPLES_DE = `- bestelle 2 Stück von prod_2f81
- finde einen Bus von Bern nach Mailand morgen
- und ein Mietwagen dort *(nach dem Bus: eine andere Domain)*
- buche ihn *(braucht deine Freigabe, mit einem Code)*
- finde einen Bus von Bern nach Mailand am 31.02.2027 *(ein falsches Datum)*
- bestelle 500 Stück von prod_2f81 *(das Tool-Gateway lehnt ab)*
- bestelle 1 prod_d640 *(ausverkauft)*
- bestelle zweimal prod_2f81 *(zwei Aufrufe, eine Bestellung)*
- zeig die Produkte
- wo ist meine Bestellung?
- schreib eine lange Antwort
- denk langsam nach
- scheitere mittendrin
- brich ab`;

export const PHRASES: Readonly<Record<Language, Phrases>> = {
  en: {
    help: `### What I can do\n\nI follow fixed rules and am no AI model. These I know:\n\n${EXAMPLES_EN}`,
    notUnderstood: `I have no rule for that. I follow fixed rules and am no AI model, so I would only be guessing. These I know:\n\n${EXAMPLES_EN}`,
    oneProductAtATime: 'I can order one product per message. Please send one order after the other.',
    whichOrder: 'This conversation has no order yet. Tell me its number, for example “where is my order ord_9c14a7”.',
    beforeFailure: 'This answer starts well, and halfway through its second sentence something',
    thoughtSlowly: 'Done thinking. I came to no conclusion, but I took my time over it.',
    secondCallHadNoEffect:
      '\n\nI called the tool twice with the same arguments. Both calls carried the same idempotency key, so the first order was given back and no second one was placed.',
    orderConfirmed: (order) =>
      `### Order confirmed\n\n${orderTable(order, ['Field', 'Value', 'Order ID', 'Product', 'Quantity', 'Total'])}`,
    orderFound: (order) =>
      `### Order ${order.orderId}\n\nIts status is **${order.status}**.\n\n${orderTable(order, ['Field', 'Value', 'Order ID', 'Product', 'Quantity', 'Total'])}`,
    products: (products) =>
      `### In the shop\n\n${productTable(products, ['Product', 'Name', 'Price', 'In stock', 'sold out'])}`,
    productNotFound: (products) =>
      `I found no single product of that name, so I ordered nothing. Please use an id from this list:\n\n${productTable(products, ['Product', 'Name', 'Price', 'In stock', 'sold out'])}`,
    refused: (refusal) =>
      `### Not possible\n\n${refusalEn(refusal)} ${isCertain(refusal) ? 'Nothing was ordered or booked.' : 'I cannot tell whether it had an effect.'}${details(refusal, ['Field', 'Received', 'Expected'])}`,
  },
  de: {
    help: `### Was ich kann\n\nIch folge festen Regeln und bin kein KI-Modell. Das hier kenne ich:\n\n${EXAMPLES_DE}`,
    notUnderstood: `Dafür habe ich keine Regel. Ich folge festen Regeln und bin kein KI-Modell; alles andere wäre geraten. Das hier kenne ich:\n\n${EXAMPLES_DE}`,
    oneProductAtATime: 'Ich kann pro Nachricht ein Produkt bestellen. Bitte eine Bestellung nach der anderen.',
    whichOrder:
      'In dieser Unterhaltung gibt es noch keine Bestellung. Nenne mir ihre Nummer, zum Beispiel „wo ist meine Bestellung ord_9c14a7“.',
    beforeFailure: 'Diese Antwort fängt gut an, und mitten im zweiten Satz geht etwas',
    thoughtSlowly: 'Fertig gedacht. Herausgekommen ist nichts, aber ich habe mir Zeit dafür genommen.',
    secondCallHadNoEffect:
      '\n\nIch habe das Tool zweimal mit denselben Argumenten aufgerufen. Beide Aufrufe trugen denselben Idempotenzschlüssel, darum kam die erste Bestellung zurück, und eine zweite wurde nicht angelegt.',
    orderConfirmed: (order) =>
      `### Bestellung bestätigt\n\n${orderTable(order, ['Feld', 'Wert', 'Bestellnummer', 'Produkt', 'Menge', 'Summe'])}`,
    orderFound: (order) =>
      `### Bestellung ${order.orderId}\n\nIhr Status ist **${order.status === 'confirmed' ? 'bestätigt' : order.status}**.\n\n${orderTable(order, ['Feld', 'Wert', 'Bestellnummer', 'Produkt', 'Menge', 'Summe'])}`,
    products: (products) =>
      `### Im Shop\n\n${productTable(products, ['Produkt', 'Name', 'Preis', 'Vorrat', 'ausverkauft'])}`,
    productNotFound: (products) =>
      `Ich habe kein einzelnes Produkt dieses Namens gefunden und nichts bestellt. Bitte nimm eine Nummer aus dieser Liste:\n\n${productTable(products, ['Produkt', 'Name', 'Preis', 'Vorrat', 'ausverkauft'])}`,
    refused: (refusal) =>
      `### Nicht möglich\n\n${refusalDe(refusal)} ${isCertain(refusal) ? 'Es wurde nichts bestellt oder gebucht.' : 'Ob es eine Wirkung hatte, weiss ich nicht.'}${details(refusal, ['Feld', 'Erhalten', 'Erwartet'])}`,
  },
};

function orderTable(order: ShopOrder, [field, value, id, product, quantity, total]: readonly string[]): string {
  return table(
    [field, value],
    [
      [id, order.orderId],
      [product, order.productId],
      [quantity, String(order.quantity)],
      [total, `${order.total.toFixed(2)} ${order.currency}`],
    ],
  );
}

function productTable(products: readonly ShopProduct[], [id, name, price, stock, soldOut]: readonly string[]): string {
  return table(
    [id, name, price, stock],
    products.map((product) => [
      `\`${product.id}\``,
      product.name,
      `${product.price.toFixed(2)} ${product.currency}`,
      product.stock === 0 ? soldOut : String(product.stock),
    ]),
  );
}

/** The call has certainly had no effect. */
function isCertain({ code }: Refusal): boolean {
  return !['unreachable', 'api_unreachable', 'api_timeout', 'outcome_unknown', 'internal_error'].includes(code);
}

function refusalEn({ by, code, detail }: Refusal): string {
  if (by === 'api') return detail ?? 'The API has refused the call.';
  return code === 'unreachable'
    ? 'The tools cannot be reached at the moment.'
    : `The tool gateway has refused the call (\`${code}\`), and the API was not asked.`;
}

function refusalDe({ by, code, detail }: Refusal): string {
  if (by === 'api') return detail === undefined ? 'Die API hat abgelehnt.' : `Die API hat abgelehnt: „${detail}“`;
  return code === 'unreachable'
    ? 'Die Tools sind gerade nicht erreichbar.'
    : `Das Tool-Gateway hat den Aufruf abgelehnt (\`${code}\`), die API wurde nicht gefragt.`;
}

function details(refusal: Refusal, [field, received, expected]: readonly string[]): string {
  const rows = [
    [field, refusal.field],
    [received, refusal.received],
    [expected, refusal.expected],
  ].filter(([, value]) => value !== undefined);
  return rows.length === 0 ? '' : `\n\n${rows.map(([name, value]) => `- ${name}: \`${value}\``).join('\n')}`;
}
