/**
 * The demo's car rental as a process. Settings: `CAR_DATABASE` (file), `CAR_CREDENTIALS` (JSON object of accepted Bearer
 * values, each with its owner's name), `PORT` (absent: a free one).
 */
import { runAsProcess } from '../listen-on-loopback.ts';
import { createCarApi } from './car-api.ts';
import { CarDatabase } from './car-database.ts';

const database = new CarDatabase(process.env.CAR_DATABASE ?? ':memory:');
const credentials = new Map(Object.entries(JSON.parse(process.env.CAR_CREDENTIALS ?? '{}') as Record<string, string>));

await runAsProcess('The car API', createCarApi({ database, credentials }), {
  port: Number(process.env.PORT ?? 0),
  onClosed: () => database.close(),
});
