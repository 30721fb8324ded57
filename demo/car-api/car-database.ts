import { DatabaseSync } from 'node:sqlite';
import { ApiProblem } from '../api-frame/api-problem.ts';
import type { CallHeaders } from '../api-frame/call-headers.ts';
import { inOneTransaction } from '../api-frame/in-one-transaction.ts';
import { daysBetween } from '../api-frame/travel-date.ts';
import { unusedId } from '../api-frame/unused-id.ts';
import { type CarCity, FLEET } from './seed-cars.ts';

/** As the API answers it. Prices are in `currency`. */
export interface FreeCar {
  readonly carId: string;
  readonly city: string;
  readonly model: string;
  readonly category: string;
  readonly seats: number;
  readonly pricePerDay: number;
  /** For all days of the search. */
  readonly total: number;
  readonly currency: 'CHF';
}

/** As the API answers it. `total` is in `currency`. */
export interface CarBooking {
  readonly bookingId: string;
  readonly status: 'confirmed';
  readonly carId: string;
  readonly city: string;
  readonly model: string;
  readonly pickUpDate: string;
  readonly returnDate: string;
  readonly total: number;
  readonly currency: 'CHF';
}

/** Days as `YYYY-MM-DD`, the return not before the pick-up. */
export interface RentalDays {
  readonly pickUpDate: string;
  readonly returnDate: string;
}

export interface CarRequest extends CallHeaders, RentalDays {
  readonly carId: string;
  /** What the caller believes that it costs, in CHF. */
  readonly total: number;
  /** Who books. */
  readonly owner: string;
}

interface CarRow {
  id: string;
  city: string;
  model: string;
  category: string;
  seats: number;
  price_cents: number;
}

interface BookingRow {
  id: string;
  car_id: string;
  pick_up_date: string;
  return_date: string;
  total_cents: number;
}

const SCHEMA = `
  create table if not exists cars (
    id text primary key,
    city text not null,
    model text not null,
    category text not null,
    seats integer not null check (seats > 0),
    price_cents integer not null check (price_cents >= 0)
  ) strict;
  create table if not exists bookings (
    id text primary key,
    owner text not null,
    car_id text not null references cars (id),
    pick_up_date text not null,
    return_date text not null check (return_date >= pick_up_date),
    total_cents integer not null,
    created_at text not null,
    session_id text,
    idempotency_key text,
    unique (owner, idempotency_key)
  ) strict;
`;

const TAKEN = 'select 1 from bookings where car_id = cars.id and pick_up_date <= ? and return_date >= ?';

/** The rental's fleet and bookings in one SQLite file. Every call is synchronous and either happens wholly or not at all. */
export class CarDatabase {
  readonly #database: DatabaseSync;

  /** Opens or creates `file` and puts the fleet in where there is none. `:memory:` works as well. */
  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec('pragma journal_mode = wal');
    this.#database.exec(SCHEMA);
    const insert = this.#database.prepare('insert or ignore into cars values (?, ?, ?, ?, ?, ?)');
    for (const { id, city, model, category, seats, pricePerDayCents } of FLEET) {
      insert.run(id, city, model, category, seats, pricePerDayCents);
    }
  }

  /** What is free on all of these days, the cheapest first. */
  search(city: CarCity, days: RentalDays): FreeCar[] {
    const rows = this.#database
      .prepare(`select * from cars where city = ? and not exists (${TAKEN}) order by price_cents`)
      .all(city, days.returnDate, days.pickUpDate) as unknown as CarRow[];
    return rows.map((row) => ({
      carId: row.id,
      city: row.city,
      model: row.model,
      category: row.category,
      seats: row.seats,
      pricePerDay: row.price_cents / 100,
      total: totalCents(row, days) / 100,
      currency: 'CHF',
    }));
  }

  /**
   * Takes the car for these days. A key that this owner has used gives back the first booking and `isReplay`, and nothing happens
   * a second time. Throws `ApiProblem` `unknown_car`, `not_available`, `invalid_request` for a wrong price, or `key_conflict`.
   */
  book(request: CarRequest): { booking: CarBooking; isReplay: boolean } {
    return inOneTransaction(this.#database, () => this.#findReplay(request) ?? this.#insert(request));
  }

  close(): void {
    this.#database.close();
  }

  #findReplay({ owner, idempotencyKey, carId, pickUpDate, returnDate }: CarRequest) {
    if (idempotencyKey === undefined) return undefined;
    const found = this.#database
      .prepare('select * from bookings where owner = ? and idempotency_key = ?')
      .get(owner, idempotencyKey);
    if (found === undefined) return undefined;
    const row = found as unknown as BookingRow;
    if (row.car_id !== carId || row.pick_up_date !== pickUpDate || row.return_date !== returnDate) {
      throw new ApiProblem('key_conflict', {
        detail: 'This idempotency key was used for another booking.',
        field: 'X-Idempotency-Key',
        expected: 'a new key for a new booking',
      });
    }
    return { booking: toBooking(row, this.#car(carId)), isReplay: true };
  }

  #insert(request: CarRequest) {
    const { carId, pickUpDate, returnDate, total, owner, sessionId, idempotencyKey } = request;
    const car = this.#car(carId);
    const isTaken = this.#database
      .prepare(`select 1 from cars where id = ? and exists (${TAKEN})`)
      .get(carId, returnDate, pickUpDate);
    if (isTaken !== undefined) {
      throw new ApiProblem('not_available', {
        detail: `The ${car.model} is taken on these days.`,
        field: 'carId',
        expected: 'a car that search_cars names for these days',
        received: carId,
      });
    }
    const cents = totalCents(car, request);
    if (Math.round(total * 100) !== cents) {
      throw new ApiProblem('invalid_request', {
        detail: 'The car has another price.',
        field: 'price',
        expected: `${(cents / 100).toFixed(2)} CHF`,
        received: String(total),
      });
    }
    const row: BookingRow = {
      id: unusedId(this.#database, 'bookings', 'car'),
      car_id: carId,
      pick_up_date: pickUpDate,
      return_date: returnDate,
      total_cents: cents,
    };
    this.#database
      .prepare(
        `insert into bookings
         (id, owner, car_id, pick_up_date, return_date, total_cents, created_at, session_id, idempotency_key)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        ...[row.id, owner, carId, pickUpDate, returnDate, cents, new Date().toISOString()],
        ...[sessionId ?? null, idempotencyKey ?? null],
      );
    return { booking: toBooking(row, car), isReplay: false };
  }

  #car(carId: string): CarRow {
    const found = this.#database.prepare('select * from cars where id = ?').get(carId);
    if (found !== undefined) return found as unknown as CarRow;
    throw new ApiProblem('unknown_car', {
      detail: 'There is no such car.',
      field: 'carId',
      expected: 'the id of a car, as search_cars answers it',
      received: carId,
      example: 'MILAN-FIAT-500',
    });
  }
}

/** The first and the last day count, as at a counter. */
function totalCents(car: CarRow, { pickUpDate, returnDate }: RentalDays): number {
  return car.price_cents * (daysBetween(pickUpDate, returnDate) + 1);
}

function toBooking(row: BookingRow, car: CarRow): CarBooking {
  return {
    bookingId: row.id,
    status: 'confirmed',
    carId: row.car_id,
    city: car.city,
    model: car.model,
    pickUpDate: row.pick_up_date,
    returnDate: row.return_date,
    total: row.total_cents / 100,
    currency: 'CHF',
  };
}
