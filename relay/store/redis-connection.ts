import { StoreUnavailableError } from './store.ts';

/** Every call of the store ends within two seconds; two of them in a row are rare, because the first breaks the connection. */
const COMMAND_LIMIT_MS = 1_500;
/** Longer than the client's own limit for the network's part, so that its socket is never abandoned half open. */
const CONNECT_LIMIT_MS = COMMAND_LIMIT_MS + 500;
const MIN_RETRY_MS = 100;
const MAX_RETRY_MS = 1_000;
/** A connection that is silent in both directions is not known to be dead (a failover behind a packet filter). */
const PING_INTERVAL_MS = 2_000;
/** Commands that may wait for an answer at once; beyond that the server is behind, and more would only fill the heap. */
const MAX_PENDING = 20_000;

export type RedisReply = null | number | string | readonly RedisReply[];

/** What is used of the client of the package `redis`. */
export interface RedisClient {
  on(event: 'error', listener: (error: Error) => void): unknown;
  connect(): Promise<unknown>;
  sendCommand(args: readonly string[]): Promise<unknown>;
  subscribe(channels: string[], listener: (message: string, channel: string) => void): Promise<void>;
  unsubscribe(channels: string[], listener: (message: string, channel: string) => void): Promise<void>;
  destroy(): void;
}

/** Options of a client that leaves waiting, limits and coming back to `RedisConnection`. */
export const REDIS_CLIENT_OPTIONS = {
  RESP: 3,
  disableOfflineQueue: true,
  disableClientInfo: true,
  maintNotifications: 'disabled',
  commandsQueueMaxLength: MAX_PENDING,
  // 0: none. The client's own one makes an AbortSignal per command and ends only commands that were not sent yet.
  commandOptions: { timeout: 0 },
} as const;
export const REDIS_SOCKET_OPTIONS = { connectTimeout: COMMAND_LIMIT_MS, reconnectStrategy: false } as const;

export interface RedisConnectionOptions {
  /** Runs on each new connection before it is used. */
  readonly prepare?: (client: RedisClient) => Promise<unknown>;
  /** Called each time that a connection can be used. */
  readonly onReady?: () => void;
}

/**
 * A connection to the server that comes back by itself. Each time it is a new client: one that waited for an answer in vain
 * cannot be trusted to match later answers to questions.
 *
 * A command without an answer after 1.5 s breaks the connection; what waits behind it is rejected at once, and so is all
 * that follows until a new connection has answered. Nothing queues up for a server that is away. Every promise rejects with
 * `StoreUnavailableError`.
 */
export class RedisConnection {
  readonly #createClient: () => RedisClient;
  readonly #options: RedisConnectionOptions;
  readonly #pinger: NodeJS.Timeout;
  #client: RedisClient | undefined;
  #isReady = false;
  #problem = 'not connected yet';
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(createClient: () => RedisClient, options: RedisConnectionOptions) {
    this.#createClient = createClient;
    this.#options = options;
    this.#pinger = setInterval(() => this.#ping(), PING_INTERVAL_MS).unref();
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Resolves when the first attempt has succeeded or failed; after that the connection keeps trying by itself. */
  async open(): Promise<void> {
    await this.#connect();
  }

  /** Sends one command. An error reply of the server rejects too. */
  send(args: readonly string[]): Promise<RedisReply> {
    return this.run((client) => client.sendCommand(args) as Promise<RedisReply>);
  }

  /** Runs what asks the client for something, under the limit. */
  async run<T>(ask: (client: RedisClient) => Promise<T>): Promise<T> {
    const client = this.#client;
    if (!client || !this.#isReady) throw this.#unavailable();
    const timer = setTimeout(() => this.#break(client, `no answer within ${COMMAND_LIMIT_MS} ms`), COMMAND_LIMIT_MS);
    try {
      return await ask(client);
    } catch (error) {
      const message = messageOf(error);
      // The server has become a replica: its successor may already be found under the same name.
      if (message.startsWith('READONLY')) this.#break(client, message);
      throw this.#client === client ? new StoreUnavailableError(`Redis: ${message}`) : this.#unavailable();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Rejects what still waits. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#pinger);
    clearTimeout(this.#retry);
    if (this.#client) this.#break(this.#client, 'the store is closed');
    this.#problem = 'the store is closed';
  }

  async #connect(): Promise<void> {
    const client = this.#createClient();
    this.#client = client;
    client.on('error', (error) => this.#break(client, messageOf(error)));
    const timer = setTimeout(
      () => this.#break(client, `no connection within ${CONNECT_LIMIT_MS} ms`),
      CONNECT_LIMIT_MS,
    );
    try {
      await client.connect();
      await this.#options.prepare?.(client);
    } catch (error) {
      this.#break(client, messageOf(error));
    } finally {
      clearTimeout(timer);
    }
    if (this.#client !== client) {
      // Broken meanwhile. The client forgets a socket that was destroyed while it connected, hence once more.
      client.destroy();
      return;
    }
    this.#isReady = true;
    this.#failures = 0;
    this.#options.onReady?.();
  }

  #break(client: RedisClient, problem: string): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#isReady = false;
    this.#problem = problem;
    client.destroy();
    if (this.#isClosed) return;
    const waitMs = Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** this.#failures++) * (0.5 + Math.random() / 2);
    this.#retry = setTimeout(() => void this.#connect(), waitMs);
  }

  #ping(): void {
    // A failure has broken the connection, which is all that it is for.
    if (this.#isReady) this.send(['PING']).catch(() => {});
  }

  #unavailable(): StoreUnavailableError {
    return new StoreUnavailableError(`Redis: ${this.#problem}`);
  }
}

function messageOf(error: unknown): string {
  // Node gathers the failures of a name with several addresses in an error without a text of its own.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
