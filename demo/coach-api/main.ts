/**
 * The demo's coach line as a process. Settings: `COACH_DATABASE` (file), `COACH_CREDENTIALS` (JSON object of accepted Bearer
 * values, each with its owner's name), `PORT` (absent: a free one).
 */
import { runAsProcess } from '../listen-on-loopback.ts';
import { createCoachApi } from './coach-api.ts';
import { CoachDatabase } from './coach-database.ts';

const database = new CoachDatabase(process.env.COACH_DATABASE ?? ':memory:');
const credentials = new Map(
  Object.entries(JSON.parse(process.env.COACH_CREDENTIALS ?? '{}') as Record<string, string>),
);

await runAsProcess('The coach API', createCoachApi({ database, credentials }), {
  port: Number(process.env.PORT ?? 0),
  onClosed: () => database.close(),
});
