import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { CAR_CITIES } from '../../demo/car-api/seed-cars.ts';
import { API_KEY, startCarRental } from './demo-fixtures.ts';

const now = () => Date.parse('2026-11-30T12:00:00Z');
const asAccount = { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' };
const days = { pickUpDate: '2026-12-02', returnDate: '2026-12-03' };
const fiat = { carId: 'MILAN-FIAT-500', ...days, price: { amount: 98, currency: 'CHF' } };

function search(url: string, query: Record<string, string>) {
  return fetch(`${url}/cars?${new URLSearchParams(query)}`, { headers: asAccount });
}

async function carsFree(url: string, query: Record<string, string>): Promise<string[]> {
  const { cars } = await (await search(url, { city: 'Milan', ...query })).json();
  return cars.map(({ carId }: { carId: string }) => carId);
}

function book(url: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(`${url}/bookings`, {
    method: 'POST',
    headers: { ...asAccount, ...headers },
    body: JSON.stringify(body),
  });
}

test('a car that is booked is free again for other days only', async (t) => {
  const { url, bookings } = await startCarRental(t, now);
  const all = ['MILAN-FIAT-500', 'MILAN-LANCIA-YPSILON', 'MILAN-SKODA-OCTAVIA', 'MILAN-FIAT-ULYSSE'];
  assert.deepEqual(await carsFree(url, days), all);
  const booked = await book(url, fiat, { 'X-Session-Id': 'session-1', 'X-Idempotency-Key': 'key-1' });
  assert.equal(booked.status, 201);
  assert.equal((await booked.json()).total, 98);
  assert.deepEqual(
    bookings().map((row) => [row.total_cents, row.session_id, row.idempotency_key]),
    [[9_800, 'session-1', 'key-1']],
  );
  assert.deepEqual(await carsFree(url, days), all.slice(1));
  assert.deepEqual(await carsFree(url, { pickUpDate: '2026-12-03', returnDate: '2026-12-09' }), all.slice(1));
  assert.deepEqual(await carsFree(url, { pickUpDate: '2026-12-01', returnDate: '2026-12-01' }), all);
  assert.deepEqual(await carsFree(url, { pickUpDate: '2026-12-04', returnDate: '2026-12-04' }), all);
});

test('of twenty bookings of one car at once, one is made; the same key twenty times makes one too', async (t) => {
  const { url, bookings } = await startCarRental(t, now);
  const rivals = await Promise.all(Array.from({ length: 20 }, () => book(url, fiat)));
  assert.equal(rivals.filter(({ status }) => status === 201).length, 1);
  const refused = rivals.find(({ status }) => status !== 201);
  assert.deepEqual([refused?.status, (await refused!.json()).code], [409, 'not_available']);

  const lancia = { carId: 'MILAN-LANCIA-YPSILON', ...days, price: { amount: 104, currency: 'CHF' } };
  const key = { 'X-Idempotency-Key': 'key-1' };
  const repeated = await Promise.all(Array.from({ length: 20 }, () => book(url, lancia, key)));
  assert.equal(repeated.filter(({ status }) => status === 200).length, 19);
  assert.equal(bookings().length, 2);
  const conflict = await book(url, { ...fiat, carId: 'MILAN-SKODA-OCTAVIA' }, key);
  assert.deepEqual([conflict.status, (await conflict.json()).code], [409, 'key_conflict']);
});

const refusals: { body: Record<string, unknown>; status: number; code: string; field: string }[] = [
  { body: { carId: 'MILAN-TRABANT' }, status: 422, code: 'unknown_car', field: 'carId' },
  { body: { carId: 1 }, status: 400, code: 'invalid_request', field: 'carId' },
  { body: { returnDate: '2026-12-01' }, status: 400, code: 'invalid_request', field: 'returnDate' },
  { body: { returnDate: '2027-01-02' }, status: 400, code: 'invalid_request', field: 'returnDate' },
  { body: { pickUpDate: '2026-11-29' }, status: 422, code: 'date_out_of_range', field: 'pickUpDate' },
  { body: { pickUpDate: 'tomorrow' }, status: 400, code: 'invalid_request', field: 'pickUpDate' },
  { body: { price: { amount: 49, currency: 'CHF' } }, status: 400, code: 'invalid_request', field: 'price' },
  { body: { price: undefined }, status: 400, code: 'invalid_request', field: 'price' },
];
for (const { body, status, code, field } of refusals) {
  test(`a car with ${JSON.stringify(body)} is refused with ${code} about ${field}, and nothing is written`, async (t) => {
    const { url, bookings } = await startCarRental(t, now);
    const response = await book(url, { ...fiat, ...body });
    const problem = await response.json();
    assert.deepEqual([response.status, problem.code, problem.field], [status, code, field]);
    assert.deepEqual(bookings(), []);
  });
}

test('the description names the cities of the fleet, and every answer has what it requires', async (t) => {
  const { url } = await startCarRental(t, now);
  const served = await (await fetch(`${url}/openapi.yaml`)).text();
  assert.equal(served, readFileSync(new URL('../../demo/car-api/openapi.yaml', import.meta.url), 'utf8'));
  const { schemas } = parse(served).components;
  assert.deepEqual(schemas.City.enum, CAR_CITIES);
  const { cars } = await (await search(url, { city: 'Milan', ...days })).json();
  assert.deepEqual(Object.keys(cars[0]), schemas.Car.required);
  assert.deepEqual(Object.keys(await (await book(url, fiat)).json()), schemas.Booking.required);
});
