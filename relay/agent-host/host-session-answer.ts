import type { IncomingMessage } from 'node:http';
import { AgentHostError, type HostSession } from './agent-host.ts';

const MAX_ANSWER_BYTES = 262_144;
const MAX_INITIAL_MESSAGE_LENGTH = 65_536;

/** An opaque text that goes into paths and JSON: anything that can be printed. */
const SESSION_ID = /^[^\p{Cc}\p{Cs}]{1,1024}$/u;
/** Goes into a header, so visible ASCII; spaces only inside. */
const SESSION_SECRET = /^[\x21-\x7e](?:[\x20-\x7e]{0,1022}[\x21-\x7e])?$/;

/**
 * The session in the host's answer to the start of one. `createdAt` is not read: the relay's own clock decides when a
 * session ends. Throws `AgentHostError` (`upstream_protocol`) that names what is wrong and quotes nothing.
 */
export async function readSessionAnswer(response: IncomingMessage): Promise<HostSession> {
  const answer = parseObject(await readText(response));
  const { sessionId, sessionSecret, initialMessage } = answer;
  // "." and ".." would climb in a path however they are written.
  if (typeof sessionId !== 'string' || !SESSION_ID.test(sessionId) || /^\.\.?$/.test(sessionId)) {
    throw unreadable('its sessionId is no printable text of 1 to 1024 characters');
  }
  if (typeof sessionSecret !== 'string' || !SESSION_SECRET.test(sessionSecret)) {
    throw unreadable('its sessionSecret is no text of 1 to 1024 visible ASCII characters');
  }
  const text = initialMessage ?? '';
  if (typeof text !== 'string' || text.length > MAX_INITIAL_MESSAGE_LENGTH) {
    throw unreadable(`its initialMessage is no text of at most ${MAX_INITIAL_MESSAGE_LENGTH} characters`);
  }
  return { hostSessionId: sessionId, sessionSecret, initialMessage: text };
}

async function readText(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > MAX_ANSWER_BYTES) break;
      pieces.push(piece);
    }
  } catch {
    throw unreadable('it was cut off');
  }
  if (bytes > MAX_ANSWER_BYTES) throw unreadable(`it is longer than ${MAX_ANSWER_BYTES} bytes`);
  return Buffer.concat(pieces).toString();
}

function parseObject(json: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw unreadable('it is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unreadable('it is no JSON object');
  return value as Record<string, unknown>;
}

function unreadable(reason: string): AgentHostError {
  return new AgentHostError(
    'upstream_protocol',
    `the agent host's answer to the call "start" cannot be used: ${reason}`,
  );
}
