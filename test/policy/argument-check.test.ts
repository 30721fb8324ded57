import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ArgumentCheck } from '../../relay/tool-policy/argument-check.ts';

const TRIP = {
  type: 'object',
  properties: {
    date: { type: 'string', format: 'date', description: 'Day of departure' },
    leaves: { type: 'string', format: 'date-time' },
    passengers: { type: 'integer', minimum: 1, maximum: 9, description: 'Number of passengers' },
    distance_km: { type: 'number' },
    currency: { type: 'string', description: 'Currency (ISO 4217)' },
    class: { enum: ['first', 'second'] },
    code: { type: 'string', pattern: '^[A-Z]{2}\\d{3}$', examples: ['BE123'] },
    stops: { type: 'array', items: { $ref: '#/$defs/stop' } },
    contact: { $ref: '#/$defs/contact' },
    returns: { type: 'string', description: 'Day of return, YYYY-MM-DD' },
    extras: { type: 'object' },
  },
  required: ['date', 'passengers'],
  $defs: {
    stop: {
      type: 'object',
      properties: { city: { type: 'string' }, minutes: { type: 'integer' } },
      required: ['city'],
    },
    contact: {
      allOf: [
        { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        { type: 'object', properties: { email: { type: 'string', format: 'email' } } },
      ],
    },
  },
} as const;

const check = (args: Record<string, unknown>, schema: Record<string, unknown> = TRIP) =>
  new ArgumentCheck(schema).check(args);

/** The faults by field, or what came through. */
function faultsOf(args: Record<string, unknown>, schema?: Record<string, unknown>) {
  const checked = check(args, schema);
  return checked.type === 'right' ? 'right' : Object.fromEntries(checked.faults.map((fault) => [fault.field, fault]));
}

const GOOD = { date: '2026-03-14', passengers: 2 };

describe('arguments', () => {
  test('all faults of a call come in one answer, each with field, received, expected and example [S3.15, S3.17]', () => {
    assert.deepEqual(
      faultsOf({ date: '14.03.2026', leaves: '2026-03-14T09:30', distance_km: '12 km', klass: 'first' }),
      {
        passengers: {
          field: 'passengers',
          expected: 'a whole number (passengers) (required)',
          received: 'nothing',
          example: '1',
        },
        klass: {
          field: 'klass',
          expected: 'no such field; "class" is near',
          received: '"first"',
          example: '"class": …',
        },
        date: {
          field: 'date',
          expected: 'a date in ISO 8601, YYYY-MM-DD',
          received: '"14.03.2026"',
          example: '"2026-03-14"',
        },
        leaves: {
          field: 'leaves',
          expected: 'a date and time in ISO 8601 with an offset, YYYY-MM-DDThh:mm:ss±hh:mm or …Z',
          received: '"2026-03-14T09:30"',
          example: '"2026-03-14T09:30:00+01:00"',
        },
        distance_km: { field: 'distance_km', expected: 'a number (km)', received: '"12 km"', example: '1' },
      },
    );
  });

  for (const [name, value, isRight] of [
    ['date', '2024-02-29', true],
    ['date', '2026-02-29', false],
    ['date', '2026-13-01', false],
    ['date', 'tomorrow', false],
    ['date', '2026-03-14T00:00:00Z', false],
    ['returns', '14 March 2026', false],
    ['returns', '2026-03-14', true],
    ['leaves', '2026-03-14T09:30:00+01:00', true],
    ['leaves', '2026-03-14T09:30:00Z', true],
    ['leaves', '2026-03-14T09:30:00', false],
    ['leaves', '2026-03-14 09:30:00Z', false],
    ['leaves', '2026-03-14T25:30:00Z', false],
    ['currency', 'CHF', true],
    ['currency', 'chf', false],
    ['currency', 'Fr.', false],
    ['class', 'First', false],
    ['code', 'BE123', true],
    ['code', 'be123', false],
    ['distance_km', 12.5, true],
    ['distance_km', Number.NaN, false],
    ['extras', { anything: true }, true],
  ] as const) {
    test(`${name} ${JSON.stringify(value)} is ${isRight ? 'taken' : 'refused'} [S3.9, S3.10]`, () => {
      const faults = faultsOf({ ...GOOD, [name]: value });
      if (isRight) assert.equal(faults, 'right');
      else assert.deepEqual(Object.keys(faults), [name]);
    });
  }

  test('ranges are told with their unit, and fields of nested objects by their path', () => {
    const faults = faultsOf({ ...GOOD, passengers: 12, stops: [{ city: 'Olten' }, { minutes: 5, town: 'x' }] });
    assert.ok(typeof faults === 'object');
    assert.equal(faults.passengers?.expected, 'a number <= 9 (passengers)');
    assert.equal(faults['stops/1/city']?.received, 'nothing');
    assert.match(faults['stops/1/town']?.expected ?? '', /no such field; there are: city, minutes/);
  });

  test('parts that are put together by allOf know each other’s fields and nobody else’s', () => {
    assert.equal(faultsOf({ ...GOOD, contact: { name: 'A', email: 'a@example.com' } }), 'right');
    assert.deepEqual(Object.keys(faultsOf({ ...GOOD, contact: { name: 'A', phone: '1' } })), ['contact/phone']);
  });

  test('a list or an object that came as text is read where one is wanted, at every depth', () => {
    const checked = check({ ...GOOD, stops: '[{"city":"Olten"}]', contact: '{"name":"A"}' });
    assert.deepEqual(checked, {
      type: 'right',
      arguments: { ...GOOD, stops: [{ city: 'Olten' }], contact: { name: 'A' } },
    });
    assert.deepEqual(Object.keys(faultsOf({ ...GOOD, stops: '{"city":"Olten"}' })), ['stops']);
    assert.deepEqual(Object.keys(faultsOf({ ...GOOD, stops: 'Olten' })), ['stops']);
  });

  test('text stays text where text is wanted, and what was given is not changed', () => {
    const schema = {
      type: 'object',
      properties: { note: { type: 'string' }, any: {}, either: { type: ['string', 'array'] } },
    };
    const args = { note: '{"a":1}', any: '[1]', either: '[1]' };
    assert.deepEqual(check(args, schema), { type: 'right', arguments: args });
    const given = { ...GOOD, contact: '{"name":"A"}' };
    check(given);
    assert.equal(given.contact, '{"name":"A"}');
  });

  test('of alternatives the one is told that is nearest to what came', () => {
    const schema = {
      type: 'object',
      properties: {
        pay: {
          oneOf: [
            {
              type: 'object',
              properties: { iban: { type: 'string' } },
              required: ['iban'],
              additionalProperties: false,
            },
            {
              type: 'object',
              properties: { card: { type: 'string' }, cvc: { type: 'string' } },
              required: ['card', 'cvc'],
            },
          ],
        },
      },
    };
    assert.equal(faultsOf({ pay: { iban: 'CH1' } }, schema), 'right');
    assert.deepEqual(Object.keys(faultsOf({ pay: { card: '4' } }, schema)), ['pay/cvc']);
    assert.deepEqual(Object.keys(faultsOf({ pay: 5 }, schema)), ['pay']);
  });

  test('recursive schemas are judged, and a schema that allows other members is taken at its word', () => {
    const tree = {
      type: 'object',
      properties: {
        node: { $ref: '#/$defs/node' },
        open: { type: 'object', properties: {}, additionalProperties: true },
      },
      $defs: {
        node: {
          type: 'object',
          properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
        },
      },
    };
    assert.equal(faultsOf({ node: { name: 'a', children: [{ name: 'b' }] }, open: { x: 1 } }, tree), 'right');
    assert.deepEqual(Object.keys(faultsOf({ node: { children: [{ children: [{ nam: 'c' }] }] } }, tree)), [
      'node/children/0/children/0/nam',
    ]);
  });

  test('names from other objects’ prototypes are names like any others', () => {
    assert.deepEqual(Object.keys(faultsOf(JSON.parse('{"date":"2026-03-14","passengers":2,"__proto__":{"x":1}}'))), [
      '__proto__',
    ]);
    assert.deepEqual(Object.keys(faultsOf({ ...GOOD, constructor: 1 })), ['constructor']);
  });
});
