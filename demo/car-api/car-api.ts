import type { Express } from 'express';
import { ApiProblem } from '../api-frame/api-problem.ts';
import { readCallHeaders } from '../api-frame/call-headers.ts';
import { createApi, ownerOf } from '../api-frame/create-api.ts';
import { readPrice } from '../api-frame/read-price.ts';
import { readMembers, readOneOf, readText } from '../api-frame/read-values.ts';
import { daysBetween, readTravelDate } from '../api-frame/travel-date.ts';
import type { CarDatabase, RentalDays } from './car-database.ts';
import { CAR_CITIES } from './seed-cars.ts';

const MAX_DAYS = 30;
const EXAMPLE =
  '{"carId":"MILAN-FIAT-500","pickUpDate":"2027-03-14","returnDate":"2027-03-15","price":{"amount":98,"currency":"CHF"}}';
const CAR_ID = {
  form: /^[A-Z]{3,20}(-[A-Z0-9]{1,20}){1,4}$/,
  expected: 'string like MILAN-FIAT-500',
  example: 'MILAN-FIAT-500',
};

export interface CarApiOptions {
  readonly database: CarDatabase;
  /** Bearer values that the rental accepts, each with the name of its owner. */
  readonly credentials: ReadonlyMap<string, string>;
  /** Milliseconds since 1970; `Date.now` but in tests. */
  readonly now?: () => number;
}

/** The demo's car rental, as `openapi.yaml` beside this file describes it. */
export function createCarApi({ database, credentials, now = Date.now }: CarApiOptions): Express {
  return createApi({
    description: new URL('openapi.yaml', import.meta.url),
    credentials,
    addRoutes: (routes) => {
      routes.get('/cars', ({ query }, response) => {
        const city = readOneOf('city', query.city, CAR_CITIES);
        const days = readDays(query.pickUpDate, query.returnDate, now());
        response.json({ cars: database.search(city, days) });
      });
      routes.post('/bookings', (request, response) => {
        const { booking, isReplay } = database.book({
          ...readBookingBody(request.body, now()),
          ...readCallHeaders(request),
          owner: ownerOf(response),
        });
        if (isReplay) response.set('Idempotent-Replayed', 'true');
        response.status(isReplay ? 200 : 201).json(booking);
      });
    },
  });
}

function readBookingBody(body: unknown, nowMs: number) {
  const members = readMembers(body, ['carId', 'pickUpDate', 'returnDate', 'price'], EXAMPLE);
  return {
    carId: readText('carId', members.carId, CAR_ID),
    ...readDays(members.pickUpDate, members.returnDate, nowMs),
    total: readPrice('price', members.price),
  };
}

function readDays(first: unknown, last: unknown, nowMs: number): RentalDays {
  const pickUpDate = readTravelDate('pickUpDate', first, nowMs);
  const returnDate = readTravelDate('returnDate', last, nowMs);
  const days = daysBetween(pickUpDate, returnDate) + 1;
  if (days >= 1 && days <= MAX_DAYS) return { pickUpDate, returnDate };
  throw new ApiProblem('invalid_request', {
    detail: days < 1 ? 'The return is before the pick-up.' : `A car can be had for ${MAX_DAYS} days at most.`,
    field: 'returnDate',
    expected: `a day from ${pickUpDate} on, at most ${MAX_DAYS} days in all`,
    received: returnDate,
    example: pickUpDate,
  });
}
