/**
 * The relay's log: one JSON line per request, per turn and per fault, with ids, codes, counts and durations. Message text, user
 * labels, tokens, keys and secrets are never given to it. Text from outside goes through `loggable` first.
 */
import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/** `destination` takes finished lines; absent: standard output. */
export function createLog(level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return destination ? pino(options, destination) : pino(options);
}

const MAX_LOGGED_CHARACTERS = 200;
// What a terminal would obey and JSON leaves as it is: DEL, the C1 controls, line separators, direction marks.
const OBEYED_BY_TERMINALS = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text from outside in the form that may stand in a log line: short, and with nothing in it that a terminal obeys. */
export function loggable(text: string): string {
  const short = text.length > MAX_LOGGED_CHARACTERS ? `${text.slice(0, MAX_LOGGED_CHARACTERS)}…` : text;
  return short.replace(
    OBEYED_BY_TERMINALS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** What the log says about a failure: names and codes along the chain of causes; our own words, never an upstream's body. */
export function failureForLog(failure: unknown): { error: string; causes?: string[]; stack?: string } {
  if (!(failure instanceof Error)) return { error: loggable(String(failure)) };
  const causes: string[] = [];
  for (let cause = failure.cause; cause instanceof Error && causes.length < 5; cause = cause.cause) {
    causes.push(loggable(`${cause.name}: ${cause.message}`));
  }
  return { error: loggable(`${failure.name}: ${failure.message}`), ...(causes.length > 0 && { causes }) };
}
