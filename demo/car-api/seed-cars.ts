/** Where the demo's cars stand. */
export const CAR_CITIES = ['Milan', 'Lugano', 'Turin', 'Bern', 'Zurich', 'Geneva'] as const;
export type CarCity = (typeof CAR_CITIES)[number];

/** One car. */
export interface SeedCar {
  readonly id: string;
  readonly city: CarCity;
  readonly model: string;
  readonly category: 'small' | 'estate' | 'van';
  readonly seats: number;
  /** In Swiss centimes. */
  readonly pricePerDayCents: number;
}

/** The fleet when the database is new. */
export const FLEET: readonly SeedCar[] = [
  car('MILAN-1', 'Milan', 'Fiat 500', 'small', 4, 4900),
  car('MILAN-2', 'Milan', 'Lancia Ypsilon', 'small', 4, 5200),
  car('MILAN-3', 'Milan', 'Škoda Octavia Combi', 'estate', 5, 7900),
  car('MILAN-4', 'Milan', 'Fiat Ulysse', 'van', 8, 11_500),
  car('LUGANO-1', 'Lugano', 'Renault 5', 'small', 5, 5900),
  car('LUGANO-2', 'Lugano', 'VW Golf Variant', 'estate', 5, 8400),
  car('TURIN-1', 'Turin', 'Fiat Panda', 'small', 5, 4500),
  car('TURIN-2', 'Turin', 'Fiat Tipo Wagon', 'estate', 5, 7200),
  car('BERN-1', 'Bern', 'Renault Zoe', 'small', 5, 6400),
  car('BERN-2', 'Bern', 'VW Multivan', 'van', 7, 13_900),
  car('ZURICH-1', 'Zurich', 'Toyota Yaris', 'small', 5, 6100),
  car('GENEVA-1', 'Geneva', 'Peugeot 208', 'small', 5, 5800),
];

function car(
  id: string,
  city: CarCity,
  model: string,
  category: SeedCar['category'],
  seats: number,
  pricePerDayCents: number,
): SeedCar {
  return { id, city, model, category, seats, pricePerDayCents };
}
