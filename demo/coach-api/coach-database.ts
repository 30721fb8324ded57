import { DatabaseSync } from 'node:sqlite';
import { ApiProblem } from '../api-frame/api-problem.ts';
import type { CallHeaders } from '../api-frame/call-headers.ts';
import { inOneTransaction } from '../api-frame/in-one-transaction.ts';
import { unusedId } from '../api-frame/unused-id.ts';
import { type City, TIMETABLE } from './seed-timetable.ts';
import { swissTime } from './swiss-time.ts';

/** As the API answers it. `pricePerSeat` is in `currency`. */
export interface Connection {
  readonly connectionId: string;
  readonly from: string;
  readonly to: string;
  /** ISO 8601 with offset. */
  readonly departure: string;
  readonly arrival: string;
  readonly pricePerSeat: number;
  readonly currency: 'CHF';
  readonly seatsLeft: number;
}

/** As the API answers it. `total` is in `currency`. */
export interface CoachBooking {
  readonly bookingId: string;
  readonly status: 'confirmed';
  readonly connectionId: string;
  readonly from: string;
  readonly to: string;
  readonly departure: string;
  readonly arrival: string;
  readonly seats: number;
  readonly total: number;
  readonly currency: 'CHF';
}

export interface SeatRequest extends CallHeaders {
  readonly connectionId: string;
  /** `YYYY-MM-DD`. */
  readonly departureDate: string;
  readonly seats: number;
  /** What the caller believes that all seats cost, in CHF. */
  readonly total: number;
  /** Who books. */
  readonly owner: string;
}

interface ConnectionRow {
  id: string;
  from_city: string;
  to_city: string;
  departs: string;
  arrives: string;
  weekdays: string;
  price_cents: number;
  seats: number;
}

interface BookingRow {
  id: string;
  connection_id: string;
  departure_date: string;
  seats: number;
  total_cents: number;
}

const SCHEMA = `
  create table if not exists connections (
    id text primary key,
    from_city text not null,
    to_city text not null,
    departs text not null,
    arrives text not null,
    weekdays text not null,
    price_cents integer not null check (price_cents >= 0),
    seats integer not null check (seats >= 0)
  ) strict;
  create table if not exists bookings (
    id text primary key,
    owner text not null,
    connection_id text not null references connections (id),
    departure_date text not null,
    seats integer not null check (seats > 0),
    total_cents integer not null,
    created_at text not null,
    session_id text,
    idempotency_key text,
    unique (owner, idempotency_key)
  ) strict;
`;

/** The coach line's timetable and bookings in one SQLite file. Every call is synchronous and either happens wholly or not at all. */
export class CoachDatabase {
  readonly #database: DatabaseSync;

  /** Opens or creates `file` and puts the timetable in where there is none. `:memory:` works as well. */
  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec('pragma journal_mode = wal');
    this.#database.exec(SCHEMA);
    const insert = this.#database.prepare('insert or ignore into connections values (?, ?, ?, ?, ?, ?, ?, ?)');
    for (const { from, to, departs, arrives, weekdays, priceCents, seats } of TIMETABLE) {
      const id = `${from}-${to}-${departs.replace(':', '')}`.toUpperCase();
      insert.run(id, from, to, departs, arrives, weekdays, priceCents, seats);
    }
  }

  /** What runs on this day, by departure. */
  search(from: City, to: City, date: string): Connection[] {
    const rows = this.#database
      .prepare('select * from connections where from_city = ? and to_city = ? order by departs')
      .all(from, to) as unknown as ConnectionRow[];
    return rows
      .filter((row) => row.weekdays.includes(weekdayOf(date)))
      .map((row) => ({
        connectionId: row.id,
        ...placeAndTime(row, date),
        pricePerSeat: row.price_cents / 100,
        currency: 'CHF',
        seatsLeft: row.seats - this.#seatsTaken(row.id, date),
      }));
  }

  /**
   * Takes the seats. A key that this owner has used gives back the first booking and `isReplay`, and nothing happens a second time.
   * Throws `ApiProblem` `unknown_connection`, `sold_out`, `invalid_request` for a wrong price, or `key_conflict`.
   */
  book(request: SeatRequest): { booking: CoachBooking; isReplay: boolean } {
    return inOneTransaction(this.#database, () => this.#findReplay(request) ?? this.#insert(request));
  }

  close(): void {
    this.#database.close();
  }

  #findReplay({ owner, idempotencyKey, connectionId, departureDate, seats }: SeatRequest) {
    if (idempotencyKey === undefined) return undefined;
    const found = this.#database
      .prepare('select * from bookings where owner = ? and idempotency_key = ?')
      .get(owner, idempotencyKey);
    if (found === undefined) return undefined;
    const row = found as unknown as BookingRow;
    if (row.connection_id !== connectionId || row.departure_date !== departureDate || row.seats !== seats) {
      throw new ApiProblem('key_conflict', {
        detail: 'This idempotency key was used for another booking.',
        field: 'X-Idempotency-Key',
        expected: 'a new key for a new booking',
      });
    }
    return { booking: toBooking(row, this.#connection(connectionId)), isReplay: true };
  }

  #insert(request: SeatRequest) {
    const { connectionId, departureDate, seats, total, owner, sessionId, idempotencyKey } = request;
    const connection = this.#connection(connectionId);
    if (!connection.weekdays.includes(weekdayOf(departureDate))) {
      throw new ApiProblem('unknown_connection', {
        detail: `${connectionId} does not run on ${departureDate}.`,
        field: 'departureDate',
        expected: 'a day for which search_connections names the connection',
        received: departureDate,
      });
    }
    const seatsLeft = connection.seats - this.#seatsTaken(connectionId, departureDate);
    if (seatsLeft < seats) {
      throw new ApiProblem('sold_out', {
        detail: seatsLeft === 0 ? 'No seat is left.' : `Only ${seatsLeft} seats are left.`,
        field: 'seats',
        expected: seatsLeft === 0 ? 'another connection' : `at most ${seatsLeft}`,
        received: String(seats),
      });
    }
    const totalCents = connection.price_cents * seats;
    if (Math.round(total * 100) !== totalCents) {
      throw new ApiProblem('invalid_request', {
        detail: 'The seats have another price.',
        field: 'price',
        expected: `${(totalCents / 100).toFixed(2)} CHF for ${seats}`,
        received: String(total),
      });
    }
    const row: BookingRow = {
      id: unusedId(this.#database, 'bookings', 'coach'),
      connection_id: connectionId,
      departure_date: departureDate,
      seats,
      total_cents: totalCents,
    };
    this.#database
      .prepare(
        `insert into bookings
         (id, owner, connection_id, departure_date, seats, total_cents, created_at, session_id, idempotency_key)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        ...[row.id, owner, connectionId, departureDate, seats, totalCents, new Date().toISOString()],
        ...[sessionId ?? null, idempotencyKey ?? null],
      );
    return { booking: toBooking(row, connection), isReplay: false };
  }

  #connection(connectionId: string): ConnectionRow {
    const found = this.#database.prepare('select * from connections where id = ?').get(connectionId);
    if (found !== undefined) return found as unknown as ConnectionRow;
    throw new ApiProblem('unknown_connection', {
      detail: 'There is no such connection.',
      field: 'connectionId',
      expected: 'the id of a connection, as search_connections answers it',
      received: connectionId,
      example: 'BERN-MILAN-0730',
    });
  }

  #seatsTaken(connectionId: string, date: string): number {
    const row = this.#database
      .prepare('select coalesce(sum(seats), 0) as taken from bookings where connection_id = ? and departure_date = ?')
      .get(connectionId, date) as unknown as { taken: number };
    return row.taken;
  }
}

function toBooking(row: BookingRow, connection: ConnectionRow): CoachBooking {
  return {
    bookingId: row.id,
    status: 'confirmed',
    connectionId: row.connection_id,
    ...placeAndTime(connection, row.departure_date),
    seats: row.seats,
    total: row.total_cents / 100,
    currency: 'CHF',
  };
}

function placeAndTime(row: ConnectionRow, date: string) {
  return {
    from: row.from_city,
    to: row.to_city,
    departure: swissTime(date, row.departs),
    arrival: swissTime(date, row.arrives),
  };
}

/** ISO: Monday is 1. */
function weekdayOf(date: string): string {
  return String(new Date(`${date}T12:00:00Z`).getUTCDay() || 7);
}
