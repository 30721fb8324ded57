import type { Express } from 'express';
import { readCallHeaders } from '../api-frame/call-headers.ts';
import { createApi, ownerOf } from '../api-frame/create-api.ts';
import { readPrice } from '../api-frame/read-price.ts';
import { readCount, readMembers, readOneOf, readText } from '../api-frame/read-values.ts';
import { readTravelDate } from '../api-frame/travel-date.ts';
import type { CoachDatabase } from './coach-database.ts';
import { CITIES } from './seed-timetable.ts';

const MAX_SEATS = 9;
const EXAMPLE =
  '{"connectionId":"BERN-MILAN-0730","departureDate":"2027-03-14","seats":1,"price":{"amount":39,"currency":"CHF"}}';
const CONNECTION_ID = {
  form: /^[A-Z]{3,20}-[A-Z]{3,20}-\d{4}$/,
  expected: 'string like BERN-MILAN-0730',
  example: 'BERN-MILAN-0730',
};

export interface CoachApiOptions {
  readonly database: CoachDatabase;
  /** Bearer values that the coach line accepts, each with the name of its owner. */
  readonly credentials: ReadonlyMap<string, string>;
  /** Milliseconds since 1970; `Date.now` but in tests. */
  readonly now?: () => number;
}

/** The demo's coach line, as `openapi.yaml` beside this file describes it. */
export function createCoachApi({ database, credentials, now = Date.now }: CoachApiOptions): Express {
  return createApi({
    description: new URL('openapi.yaml', import.meta.url),
    credentials,
    addRoutes: (routes) => {
      routes.get('/connections', ({ query }, response) => {
        const from = readOneOf('from', query.from, CITIES);
        const to = readOneOf('to', query.to, CITIES);
        const date = readTravelDate('departureDate', query.departureDate, now());
        response.json({ connections: database.search(from, to, date) });
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
  const members = readMembers(body, ['connectionId', 'departureDate', 'seats', 'price'], EXAMPLE);
  return {
    connectionId: readText('connectionId', members.connectionId, CONNECTION_ID),
    departureDate: readTravelDate('departureDate', members.departureDate, nowMs),
    seats: readCount('seats', members.seats, MAX_SEATS, 'seats'),
    total: readPrice('price', members.price),
  };
}
