import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { CITIES } from '../../demo/coach-api/seed-timetable.ts';
import { API_KEY, startCoachLine, VISITOR_CREDENTIAL } from './demo-fixtures.ts';

/** A Monday; in Switzerland it is already Tuesday. */
const NOW_MS = Date.parse('2026-11-30T23:40:00Z');
const now = () => NOW_MS;
const asAccount = { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' };
const seat = {
  connectionId: 'BERN-MILAN-0730',
  departureDate: '2026-12-02',
  seats: 2,
  price: { amount: 78, currency: 'CHF' },
};

function search(url: string, query: Record<string, string>) {
  return fetch(`${url}/connections?${new URLSearchParams(query)}`, { headers: asAccount });
}

function book(url: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(`${url}/bookings`, {
    method: 'POST',
    headers: { ...asAccount, ...headers },
    body: JSON.stringify(body),
  });
}

test('a search tells what runs on that weekday, in Swiss time of that day, with the seats that are left', async (t) => {
  const { url } = await startCoachLine(t, now);
  const departuresOn = async (departureDate: string) => {
    const { connections } = await (await search(url, { from: 'Bern', to: 'Milan', departureDate })).json();
    return connections.map(({ departure }: { departure: string }) => departure);
  };
  assert.deepEqual(await departuresOn('2026-12-02'), [
    '2026-12-02T07:30:00+01:00',
    '2026-12-02T11:15:00+01:00',
    '2026-12-02T16:45:00+01:00',
  ]);
  // A Sunday, and in summer.
  assert.deepEqual(await departuresOn('2027-06-27'), ['2027-06-27T07:30:00+02:00', '2027-06-27T11:15:00+02:00']);

  await book(url, seat);
  const { connections } = await (await search(url, { from: 'Bern', to: 'Milan', departureDate: '2026-12-02' })).json();
  assert.deepEqual(connections[0], {
    connectionId: 'BERN-MILAN-0730',
    from: 'Bern',
    to: 'Milan',
    departure: '2026-12-02T07:30:00+01:00',
    arrival: '2026-12-02T12:05:00+01:00',
    pricePerSeat: 39,
    currency: 'CHF',
    seatsLeft: 46,
  });
});

test('a booking is priced and written, and the same idempotency key gives it back, also for calls at once', async (t) => {
  const { url, bookings } = await startCoachLine(t, now);
  const headers = { 'X-Idempotency-Key': 'key-1', 'X-Session-Id': 'session-1' };
  const responses = await Promise.all(Array.from({ length: 8 }, () => book(url, seat, headers)));
  const answers = await Promise.all(responses.map((response) => response.json()));
  assert.equal(new Set(answers.map(({ bookingId }) => bookingId)).size, 1);
  assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 201]);
  assert.deepEqual([answers[0].total, answers[0].departure], [78, '2026-12-02T07:30:00+01:00']);
  const [stored, ...others] = bookings();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [stored?.total_cents, stored?.session_id, stored?.idempotency_key, stored?.owner],
    [7_800, 'session-1', 'key-1', 'account'],
  );

  const conflict = await book(url, { ...seat, seats: 1, price: { amount: 39, currency: 'CHF' } }, headers);
  assert.deepEqual([conflict.status, (await conflict.json()).code], [409, 'key_conflict']);
  const other = await book(url, seat, { ...headers, Authorization: `Bearer ${VISITOR_CREDENTIAL}` });
  assert.equal(other.status, 201);
});

const refusals: { body: Record<string, unknown>; status: number; code: string; field: string }[] = [
  { body: { connectionId: 'BERN-MILAN-0000' }, status: 422, code: 'unknown_connection', field: 'connectionId' },
  { body: { connectionId: 'the first one' }, status: 400, code: 'invalid_request', field: 'connectionId' },
  // Saturday, when that coach does not run.
  {
    body: { connectionId: 'BERN-MILAN-1645', departureDate: '2026-12-05' },
    status: 422,
    code: 'unknown_connection',
    field: 'departureDate',
  },
  { body: { departureDate: '02.12.2026' }, status: 400, code: 'invalid_request', field: 'departureDate' },
  { body: { departureDate: '2027-02-31' }, status: 400, code: 'invalid_request', field: 'departureDate' },
  { body: { departureDate: '2026-11-30' }, status: 422, code: 'date_out_of_range', field: 'departureDate' },
  { body: { departureDate: '2028-12-02' }, status: 422, code: 'date_out_of_range', field: 'departureDate' },
  { body: { seats: 0 }, status: 400, code: 'invalid_request', field: 'seats' },
  { body: { seats: 10 }, status: 400, code: 'invalid_request', field: 'seats' },
  { body: { price: { amount: 1, currency: 'CHF' } }, status: 400, code: 'invalid_request', field: 'price' },
  { body: { price: { amount: 78, currency: 'EUR' } }, status: 400, code: 'invalid_request', field: 'price' },
  { body: { discount: 100 }, status: 400, code: 'invalid_request', field: 'discount' },
];
for (const { body, status, code, field } of refusals) {
  test(`a booking with ${JSON.stringify(body)} is refused with ${code} about ${field}, and nothing is written`, async (t) => {
    const { url, bookings } = await startCoachLine(t, now);
    const response = await book(url, { ...seat, ...body });
    const problem = await response.json();
    assert.deepEqual([response.status, problem.code, problem.field], [status, code, field]);
    assert.ok(problem.expected.length > 0);
    assert.deepEqual(bookings(), []);
  });
}

test('no more seats are sold than there are', async (t) => {
  const { url, bookings } = await startCoachLine(t, now);
  const small = { connectionId: 'LUCERNE-MILAN-1300', departureDate: '2026-12-05' };
  const of = (seats: number) => ({ ...small, seats, price: { amount: 33 * seats, currency: 'CHF' } });
  const responses = await Promise.all([5, 5, 3].map((seats) => book(url, of(seats))));
  assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 201, 409]);
  assert.equal(bookings().length, 2);
  const refused = responses.find(({ status }) => status === 409);
  assert.equal((await refused!.json()).code, 'sold_out');
});

test('a search for a city or a day that there is not is refused, and nobody searches without a credential', async (t) => {
  const { url } = await startCoachLine(t, now);
  const right = { from: 'Bern', to: 'Milan', departureDate: '2026-12-02' };
  for (const [field, value] of [
    ['from', 'Atlantis'],
    ['to', 'milan'],
    ['departureDate', '31.02.2027'],
  ] as const) {
    const response = await search(url, { ...right, [field]: value });
    assert.deepEqual([response.status, (await response.json()).field], [400, field]);
  }
  assert.equal((await fetch(`${url}/connections?${new URLSearchParams(right)}`)).status, 401);
});

test('the description names the cities of the timetable, and every answer has what it requires', async (t) => {
  const { url } = await startCoachLine(t, now);
  const served = await (await fetch(`${url}/openapi.yaml`)).text();
  assert.equal(served, readFileSync(new URL('../../demo/coach-api/openapi.yaml', import.meta.url), 'utf8'));
  const { schemas } = parse(served).components;
  assert.deepEqual(schemas.City.enum, CITIES);
  const { connections } = await (await search(url, { from: 'Bern', to: 'Milan', departureDate: '2026-12-02' })).json();
  assert.deepEqual(Object.keys(connections[0]), schemas.Connection.required);
  assert.deepEqual(Object.keys(await (await book(url, seat)).json()), schemas.Booking.required);
});

test('the headers that came are told by name and length, to others than who sent them, and no value', async (t) => {
  const { url } = await startCoachLine(t, now);
  await book(url, seat, { 'X-Session-Id': 'a-session-CANARY', 'X-Idempotency-Key': 'a-key-CANARY' });
  const ask = async (credential: string) =>
    (await fetch(`${url}/received-headers`, { headers: { Authorization: `Bearer ${credential}` } })).text();
  assert.deepEqual(JSON.parse(await ask(API_KEY)), { requests: [] });
  const told = await ask(VISITOR_CREDENTIAL);
  const [{ method, path, headers }] = JSON.parse(told).requests;
  assert.deepEqual([method, path], ['POST', '/bookings']);
  const lengths = new Map(headers.map(({ name, length }: { name: string; length: number }) => [name, length]));
  assert.equal(lengths.get('X-Session-Id'), 'a-session-CANARY'.length);
  assert.equal(lengths.get('X-Idempotency-Key'), 'a-key-CANARY'.length);
  assert.doesNotMatch(told, /CANARY/);
});
