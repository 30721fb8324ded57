import * as http from 'node:http';
import * as https from 'node:https';
import type { HostEvent } from '../protocol/events.ts';
import {
  type AgentHost,
  AgentHostError,
  type Credential,
  type HostAnswer,
  type HostSession,
  type HostSessionReference,
  type HostTurn,
  type StartHostSession,
} from './agent-host.ts';
import { callHost } from './host-call.ts';
import { HostEventStream, type HostEventStreamLimits } from './host-event-stream.ts';
import { failureOfStatus, type HostCallName } from './host-failure.ts';
import { readSessionAnswer } from './host-session-answer.ts';
import { SecretRedactor } from './secret-redactor.ts';
import { TurnRedactor } from './turn-redactor.ts';

export interface HttpAgentHostOptions {
  /** `http:` or `https:`, with a path if the host stands below one. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The longest wait for the headers of an answer and for each byte of a turn while we read. Default 60 000. */
  readonly idleMs?: number;
  /** The longest time for a whole turn. Default 600 000. */
  readonly turnMs?: number;
  /** The longest time for the start of a session. Default 30 000. */
  readonly startMs?: number;
  /** The longest time for the end of a session and for a check. Default 5 000. */
  readonly endMs?: number;
  /** Default 7 MiB: a tool result of 5 MB passes. */
  readonly maxLineBytes?: number;
  /** Default 7 MiB. */
  readonly maxEventBytes?: number;
  /** Default 64 MiB. */
  readonly maxTurnBytes?: number;
  readonly log?: HostLog;
}

/** What the agent host writes to the operator's log; pino's logger is one. Never a body, a key or a secret. */
interface HostLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

const MEBIBYTE = 1_048_576;
const MAX_KEPT_CONNECTIONS = 8;
/** A header value that Node sends as it is. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]+$/;

/**
 * The agent host over HTTP. A turn has a connection of its own, because a kept one that has died unnoticed would lose
 * the message or, tried again, send it twice; only starting and ending a session may reuse connections.
 * Source: the agent host's description of its application endpoints.
 */
export class HttpAgentHost implements AgentHost {
  readonly #server: URL;
  readonly #basePath: string;
  readonly #apiKey: string;
  readonly #idleMs: number;
  readonly #startMs: number;
  readonly #endMs: number;
  readonly #limits: HostEventStreamLimits;
  readonly #log: HostLog | undefined;
  /** Makes a connection for each call; what it keeps is TLS sessions, so that the next connection is quick. */
  readonly #freshConnections: http.Agent;
  readonly #keptConnections: http.Agent;

  /** Throws `TypeError` for an address or a key that no call could be made with. */
  constructor(options: HttpAgentHostOptions) {
    this.#server = new URL(options.baseUrl);
    if (!/^https?:$/.test(this.#server.protocol)) throw new TypeError('baseUrl must begin with http: or https:');
    if (!HEADER_VALUE.test(options.apiKey)) throw new TypeError('apiKey has characters that no header can carry');
    this.#basePath = this.#server.pathname.replace(/\/+$/, '');
    this.#apiKey = options.apiKey;
    this.#idleMs = options.idleMs ?? 60_000;
    this.#startMs = options.startMs ?? 30_000;
    this.#endMs = options.endMs ?? 5_000;
    this.#limits = {
      idleMs: this.#idleMs,
      turnMs: options.turnMs ?? 600_000,
      maxLineBytes: options.maxLineBytes ?? 7 * MEBIBYTE,
      maxEventBytes: options.maxEventBytes ?? 7 * MEBIBYTE,
      maxTurnBytes: options.maxTurnBytes ?? 64 * MEBIBYTE,
    };
    this.#log = options.log;
    const { Agent } = this.#server.protocol === 'https:' ? https : http;
    this.#freshConnections = new Agent({ keepAlive: false });
    this.#keptConnections = new Agent({ keepAlive: true, maxFreeSockets: MAX_KEPT_CONNECTIONS });
  }

  async startSession(request: StartHostSession, signal: AbortSignal): Promise<HostSession> {
    const { application, userId, credential } = request;
    const body = JSON.stringify({ userId });
    return callHost(
      {
        ...this.#keptCall('start', this.#startMs),
        method: 'POST',
        path: this.#path(application, 'session'),
        headers: { ...this.#headers(credential), ...jsonHeaders(body), Accept: 'application/json' },
        body,
      },
      signal,
      (response) => {
        assertSuccess(response, 'start', credential);
        return readSessionAnswer(response);
      },
    );
  }

  async streamTurn(turn: HostTurn, signal: AbortSignal): Promise<HostAnswer> {
    const { application, hostSessionId, sessionSecret, message, credential } = turn;
    const body = JSON.stringify({ sessionId: hostSessionId, message });
    return callHost(
      {
        name: 'turn',
        server: this.#server,
        method: 'POST',
        path: this.#path(application, 'chat'),
        headers: {
          ...this.#headers(credential),
          ...jsonHeaders(body),
          Accept: 'text/event-stream',
          'x-session-secret': sessionSecret,
        },
        body,
        agent: this.#freshConnections,
        timeoutMs: this.#idleMs,
      },
      signal,
      (response) => {
        assertSuccess(response, 'turn', credential);
        const secrets = new SecretRedactor([this.#apiKey, sessionSecret, hostSessionId]);
        return new HostEventStream(response, this.#limits, new TurnRedactor(secrets), this.#reportOnce(), signal);
      },
    );
  }

  async endSession(session: HostSessionReference, signal: AbortSignal): Promise<void> {
    const { application, hostSessionId, credential } = session;
    await callHost(
      {
        ...this.#keptCall('end', this.#endMs),
        method: 'DELETE',
        path: this.#path(application, 'session', hostSessionId),
        headers: this.#headers(credential),
      },
      signal,
      (response) => {
        const isGoneAlready = response.statusCode === 404 || response.statusCode === 410;
        if (!isGoneAlready) assertSuccess(response, 'end', credential);
        leaveBody(response);
      },
    );
  }

  async check(signal: AbortSignal): Promise<void> {
    await callHost(
      { ...this.#keptCall('check', this.#endMs), method: 'HEAD', path: `${this.#basePath}/`, headers: {} },
      signal,
      // The answer to HEAD has no body.
      (response) => void response.resume(),
    );
  }

  /** Lets go of the connections that are kept. */
  close(): void {
    this.#keptConnections.destroy();
    this.#freshConnections.destroy();
  }

  #keptCall(name: HostCallName, timeoutMs: number) {
    const agents = { agent: this.#keptConnections, retryAgent: this.#freshConnections };
    return { name, server: this.#server, timeoutMs, ...agents };
  }

  #path(application: string, ...parts: readonly string[]): string {
    return `${this.#basePath}/stream/${[application, ...parts].map(encodeURIComponent).join('/')}`;
  }

  #headers(credential: Credential): http.OutgoingHttpHeaders {
    const common = { 'Accept-Encoding': 'identity' };
    if (credential.type === 'key') return { ...common, 'X-Api-Key': this.#apiKey };
    if (!HEADER_VALUE.test(credential.authorization)) {
      throw new AgentHostError(
        'credential_rejected',
        "the visitor's credential has characters that no header can carry",
      );
    }
    return { ...common, Authorization: credential.authorization };
  }

  /** One line in the log per turn, whatever else is wrong with it. */
  #reportOnce() {
    let hasReported = false;
    return (type: HostEvent['type'], field: string) => {
      if (hasReported) return;
      hasReported = true;
      this.#log?.warn({ eventType: type, field }, 'the agent host sent an event that cannot be read in full');
    };
  }
}

function jsonHeaders(body: string): http.OutgoingHttpHeaders {
  return { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
}

/** Throws `AgentHostError` unless the answer is a success whose body can be read as it comes. */
function assertSuccess(response: http.IncomingMessage, call: HostCallName, credential: Credential): void {
  const status = response.statusCode ?? 0;
  if (status < 200 || status > 299) throw failureOfStatus(response, call, credential);
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') {
    throw new AgentHostError(
      'upstream_protocol',
      'the agent host compressed an answer that was asked for uncompressed',
    );
  }
}

/** Keeps the connection if there is no body, and otherwise closes it rather than read what nobody needs. */
function leaveBody(response: http.IncomingMessage): void {
  if (response.statusCode === 204 || response.headers['content-length'] === '0') response.resume();
  else response.destroy();
}
