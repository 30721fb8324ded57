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
  car('MILAN-FIAT-500', 'Milan', 'Fiat 500', 'small', 4, 4900),
  car('MILAN-LANCIA-YPSILON', 'Milan', 'Lancia Ypsilon', 'small', 4, 5200),
  car('MILAN-SKODA-OCTAVIA', 'Milan', 'Škoda Octavia Combi', 'estate', 5, 7900),
  car('MILAN-FIAT-ULYSSE', 'Milan', 'Fiat Ulysse', 'van', 8, 11_500),
  car('LUGANO-RENAULT-5', 'Lugano', 'Renault 5', 'small', 5, 5900),
  car('LUGANO-VW-GOLF', 'Lugano', 'VW Golf Variant', 'estate', 5, 8400),
  car('TURIN-FIAT-PANDA', 'Turin', 'Fiat Panda', 'small', 5, 4500),
  car('TURIN-FIAT-TIPO', 'Turin', 'Fiat Tipo Wagon', 'estate', 5, 7200),
  car('BERN-RENAULT-ZOE', 'Bern', 'Renault Zoe', 'small', 5, 6400),
  car('BERN-VW-MULTIVAN', 'Bern', 'VW Multivan', 'van', 7, 13_900),
  car('ZURICH-TOYOTA-YARIS', 'Zurich', 'Toyota Yaris', 'small', 5, 6100),
  car('GENEVA-PEUGEOT-208', 'Geneva', 'Peugeot 208', 'small', 5, 5800),
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
