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

/** What makes sense as the first thing that is said. */
const OPENINGS = [
  'order 2 units of prod_2f81',
  'find me a coach from Bern to Milan tomorrow',
  'order 2 units of prod_2f81 twice',
  'show the products',
];
const EXAMPLES = [
  'order 2 units of prod_2f81',
  'find me a coach from Bern to Milan tomorrow',
  'and a car there',
  'book it',
  'order 2 units of prod_2f81 twice',
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
  // A day that there never is, of a year for which coaches are sold already.
  const wrongDate = `find me a coach from Bern to Milan on 31.02.${new Date().getFullYear() + 1}`;
  const examples = [...EXAMPLES.slice(0, 5), wrongDate, ...EXAMPLES.slice(5)];
  return pageFrame({
    ownScripts: ['/received-headers.js'],
    title: 'Wegwarte – goods for the road',
    relayUrl,
    heading: 'Wegwarte',
    suggestions: [...OPENINGS, wrongDate],
    content: html`
    <header class="bar">
      <a class="brand" href="/"><img src="/icon.svg" alt="" width="32" height="32">Wegwarte</a>
      <p class="standin">The chat’s agent host is a <strong>stand-in</strong>: it follows fixed rules and is no AI model. Its orders and bookings are real ones, in the demo’s own databases.</p>
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
        <ul class="examples">${examples.map((example) => html`<li>${openButton(example)}</li>`)}</ul>
      </section>
      <section class="travel" aria-labelledby="travel">
        <h2 id="travel">Down the road</h2>
        <ul>
          <li>
            <h3>Coach line</h3>
            <p>From Bern over the passes to Milan. To book, you release the booking yourself: the chat asks for a code, and the code appears in the terminal where the demo runs.</p>
            <p>${openButton('find me a coach from Bern to Milan tomorrow', 'Find a coach')}</p>
          </li>
          <li>
            <h3>Car rental</h3>
            <p>For the last valley, where no coach goes. The agent has to leave the coaches before it may look at cars, and the chat shows when it does.</p>
            <p>${openButton('find me a car in Milan tomorrow', 'Find a car')}</p>
          </li>
        </ul>
      </section>
      <section class="received" aria-labelledby="received">
        <h2 id="received">What the APIs received</h2>
        <p>The headers of the agent’s latest calls, by name and length; no value is shown. In colour: what the relay has filled in for the call, from the credential and the <code>_meta</code> that the agent host sent, where the API takes it. The rest comes with any HTTP request.</p>
        <div id="received-headers"><p class="none">No call yet.</p></div>
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
