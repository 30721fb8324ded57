import { type Html, html } from './html.ts';
import { openButton, pageFrame } from './page-frame.ts';
import { productPicture } from './product-pictures.ts';

export interface ShownProduct {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly price: number;
  readonly currency: string;
  readonly stock: number;
}

const EXAMPLES = [
  'order 2 units of prod_2f81',
  'show the products',
  'where is my order?',
  'order 500 units of prod_2f81',
  'write a long answer',
  'think slowly',
  'fail in the middle',
  'break off',
];

/** The demo's shop. `products` are what the shop's API answered just now. */
export function shopPage(products: readonly ShownProduct[], relayUrl: string): string {
  return pageFrame({
    title: 'Wegwarte – goods for the road',
    relayUrl,
    heading: 'Wegwarte',
    suggestions: EXAMPLES.slice(0, 5),
    content: html`
    <header class="bar">
      <a class="brand" href="/"><img src="/icon.svg" alt="" width="32" height="32">Wegwarte</a>
      <p class="standin">The chat’s agent host is a <strong>stand-in</strong>: it follows fixed rules and is no AI model. The orders are real ones, in the demo’s own shop.</p>
    </header>
    <main>
      <section class="hero">
        <h1>Goods for the road</h1>
        <p>A few things worth carrying over a mountain. There is no basket here: tell the chat what you would like.</p>
        <p>${openButton('order 2 units of prod_2f81', 'Order two enamel mugs')}</p>
      </section>
      <section aria-labelledby="goods">
        <h2 id="goods">In the shop</h2>
        <ul class="goods">${products.map(productCard)}</ul>
      </section>
      <section aria-labelledby="examples">
        <h2 id="examples">What you can say</h2>
        <p>Each of these opens the chat. German works too: “bestelle 2 Stück von prod_2f81”.</p>
        <ul class="examples">${EXAMPLES.map((example) => html`<li>${openButton(example)}</li>`)}</ul>
      </section>
      <section class="soon" aria-labelledby="soon">
        <h2 id="soon">Down the road</h2>
        <ul>
          <li><h3>Coach line</h3><p>From Bern over the passes to Milan. Opens later.</p></li>
          <li><h3>Car rental</h3><p>For the last valley, where no coach goes. Opens later.</p></li>
        </ul>
      </section>
    </main>
    <footer>
      <p>Wegwarte is chicory, the blue flower at the wayside, and this shop is a demo of Parley. Nothing leaves this machine.</p>
    </footer>`,
  });
}

function productCard(product: ShownProduct): Html {
  const isSoldOut = product.stock === 0;
  return html`
          <li>
            ${productPicture(product.id)}
            <h3>${product.name}</h3>
            <p>${product.description}</p>
            <p class="price"><b>${product.currency} ${product.price.toFixed(2)}</b> <span>${isSoldOut ? 'sold out' : `${product.stock} in stock`}</span></p>
            <p>${openButton(`order 1 unit of ${product.id}`, html`Order <code>${product.id}</code>`)}</p>
          </li>`;
}
