/**
 * The stand-in agent host as a process. Settings: `STAND_IN_APPLICATION_ID`, `STAND_IN_API_KEY`, `STAND_IN_VISITOR_CREDENTIALS`
 * (separated by spaces), `TOOLS_URL` (the tool gateway's `/mcp`), `STAND_IN_CHUNK_MS`, `STAND_IN_THINKING_MS`, `PORT` (absent: a free one).
 */
import { runAsProcess } from '../listen-on-loopback.ts';
import { createStandInHost } from './stand-in-host.ts';

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`The stand-in agent host needs ${name}.`);
  return value;
}

const host = createStandInHost({
  applicationId: setting('STAND_IN_APPLICATION_ID'),
  apiKey: setting('STAND_IN_API_KEY'),
  visitorCredentials: (process.env.STAND_IN_VISITOR_CREDENTIALS ?? '').split(' ').filter((value) => value !== ''),
  toolsUrl: setting('TOOLS_URL'),
  pace: {
    chunkMs: Number(process.env.STAND_IN_CHUNK_MS ?? 18),
    thinkingMs: Number(process.env.STAND_IN_THINKING_MS ?? 450),
  },
  log: (line) => console.log(line),
});

await runAsProcess('The stand-in agent host (fixed rules, no AI model)', host, {
  port: Number(process.env.PORT ?? 0),
});
