import { type Html, html } from './html.ts';

const PICTURES: Readonly<Record<string, Html>> = {
  prod_2f81: html`<path d="M28 34h40v40a8 8 0 0 1-8 8H36a8 8 0 0 1-8-8z"/><path d="M68 44h8a10 10 0 0 1 0 24h-8"/><path class="accent" d="M28 46h40M40 24c-4-6 4-8 0-14m14 14c-4-6 4-8 0-14"/>`,
  prod_7c04: html`<g transform="translate(15)"><path d="M22 34h56v36a6 6 0 0 1-6 6H22z"/><path d="M22 34a9 21 0 0 0 0 42"/><path class="accent" d="M36 34v42m14-42v42m14-42v42M22 48h56M22 62h56"/></g>`,
  prod_a913: html`<path d="M30 18h40a6 6 0 0 1 6 6v52a6 6 0 0 1-6 6H30z"/><path d="M24 26h12m-12 16h12M24 58h12m-12 16h12"/><path class="accent" d="M46 36h20M46 48h20M46 60h12"/>`,
  prod_5be2: html`<g transform="translate(8)"><path d="m20 28 20-8 20 8 20-8v52l-20 8-20-8-20 8z"/><path d="M40 20v52m20-44v52"/><path class="accent" d="m26 62 10-18 8 12 12-22 8 16 10-6"/></g>`,
  prod_19ac: html`<path d="M34 38h32l4 36H30z"/><path d="M38 38c0-22 24-22 24 0M28 82h44v-8H28z"/><path class="accent" d="M50 66c-8-6-4-12 0-18 4 6 8 12 0 18z"/>`,
  prod_d640: html`<g transform="translate(10)"><path d="M24 66c0-36 52-36 52 0z"/><path d="M18 66h64M50 39V28m-8 0h16"/><path class="accent" d="M44 66c0 12 12 12 12 0M34 56c2-8 6-11 10-12"/></g>`,
};

/** A line drawing of the product, or a parcel for one that has none. */
export function productPicture(productId: string): Html {
  const drawing =
    PICTURES[productId] ?? html`<path d="M20 34h60v44H20z"/><path class="accent" d="M50 34v44M20 48h60"/>`;
  return html`<svg class="picture" viewBox="0 0 100 100" aria-hidden="true">${drawing}</svg>`;
}
