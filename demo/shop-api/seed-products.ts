/** What the shop sells when its database is new. Prices in Swiss centimes. */
export interface SeedProduct {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly priceCents: number;
  readonly stock: number;
}

export const SEED_PRODUCTS: readonly SeedProduct[] = [
  {
    id: 'prod_2f81',
    name: 'Enamel travel mug',
    description: 'Keeps tea warm from Bern to the Brenner.',
    priceCents: 2999,
    stock: 120,
  },
  {
    id: 'prod_7c04',
    name: 'Wool picnic blanket',
    description: 'Two metres square, rolls up under one arm.',
    priceCents: 8450,
    stock: 18,
  },
  {
    id: 'prod_a913',
    name: 'Timetable notebook',
    description: 'Ruled for departures, arrivals and second thoughts.',
    priceCents: 1290,
    stock: 200,
  },
  {
    id: 'prod_5be2',
    name: 'Road atlas of the Alps',
    description: 'Every pass, with the month in which it opens.',
    priceCents: 3900,
    stock: 6,
  },
  {
    id: 'prod_19ac',
    name: 'Folding lantern',
    description: 'Flat as a letter, bright as a waiting room.',
    priceCents: 4990,
    stock: 35,
  },
  // None left, so that the demo can show how a refusal by the API is explained.
  {
    id: 'prod_d640',
    name: 'Brass bicycle bell',
    description: 'Heard around two corners.',
    priceCents: 2400,
    stock: 0,
  },
];
