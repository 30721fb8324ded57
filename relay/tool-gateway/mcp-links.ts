/**
 * The connections to one MCP server: one per credential, so that nothing of one visitor's (a session at the server, a stream)
 * is ever reached by another's call. Each is opened when it is needed and shared by all calls that need it.
 */
import { digest } from './digest.ts';
import type { McpLink } from './mcp-link.ts';
import type { SourceCredential } from './tool-source.ts';

/** Opening is not tried again before that. */
export class LinkPausedError extends Error {
  override readonly name = 'LinkPausedError';
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number, cause: unknown) {
    super('the server could not be reached a moment ago', { cause });
    this.retryAfterMs = retryAfterMs;
  }
}

export interface HeldLink {
  readonly link: McpLink;
  /** Must be called when the call is over. */
  release(): void;
}

interface Slot {
  readonly opened: Promise<McpLink>;
  calls: number;
  lastUsedMs: number;
  isDropped: boolean;
}

const MAX_LINKS = 256;
const IDLE_MS = 10 * 60_000;
const SWEEP_MS = 60_000;
/** For calls that are still on the way over a link whose session has gone. */
const LINGER_MS = 5_000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;
/** A link that has held for so long ends the row of failures. */
const STEADY_MS = 30_000;

export class McpLinks {
  readonly #open: (credential: SourceCredential | undefined) => Promise<McpLink>;
  readonly #slots = new Map<string, Slot>();
  readonly #sweeper: NodeJS.Timeout;
  #failures = 0;
  #pausedUntilMs = 0;
  #lastFailure: unknown;
  #isClosed = false;

  constructor(open: (credential: SourceCredential | undefined) => Promise<McpLink>) {
    this.#open = open;
    this.#sweeper = setInterval(() => this.#dropIdle(), SWEEP_MS).unref();
  }

  /** Rejects with what opening failed with, or `LinkPausedError` soon after that: pauses grow from 0.25 s to 30 s. */
  async hold(credential: SourceCredential | undefined): Promise<HeldLink> {
    const key = keyOf(credential);
    const slot = this.#slots.get(key) ?? this.#openSlot(key, credential);
    slot.calls += 1;
    slot.lastUsedMs = Date.now();
    try {
      const link = await slot.opened;
      return { link, release: () => this.#release(slot) };
    } catch (failure) {
      slot.calls -= 1;
      throw failure;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweeper);
    const slots = [...this.#slots.values()];
    this.#slots.clear();
    await Promise.all(slots.map(closeSlot));
  }

  #openSlot(key: string, credential: SourceCredential | undefined): Slot {
    if (this.#isClosed) throw new Error('the server’s links are closed');
    const pauseMs = this.#pausedUntilMs - Date.now();
    if (pauseMs > 0) throw new LinkPausedError(pauseMs, this.#lastFailure);
    if (this.#slots.size >= MAX_LINKS) this.#dropLeastUsed();
    const opened = this.#open(credential);
    const slot: Slot = { opened, calls: 0, lastUsedMs: Date.now(), isDropped: false };
    this.#slots.set(key, slot);
    const openedAtMs = Date.now();
    opened.then(
      (link) => {
        const onEnd = () => {
          this.#drop(key, slot);
          if (Date.now() - openedAtMs < STEADY_MS) this.#pause(new Error('the server ended the connection'));
          else this.#failures = 0;
        };
        if (link.ended.aborted) onEnd();
        else link.ended.addEventListener('abort', onEnd, { once: true });
      },
      (failure: unknown) => {
        this.#drop(key, slot);
        this.#pause(failure);
      },
    );
    return slot;
  }

  /** The first failure costs no pause, so that a server that was restarted is there again with the next call. */
  #pause(failure: unknown): void {
    this.#lastFailure = failure;
    const pauseMs = this.#failures === 0 ? 0 : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 1));
    this.#failures += 1;
    this.#pausedUntilMs = Date.now() + pauseMs;
  }

  #release(slot: Slot): void {
    slot.calls -= 1;
    slot.lastUsedMs = Date.now();
    if (slot.isDropped && slot.calls === 0) void closeSlot(slot);
  }

  #drop(key: string, slot: Slot): void {
    if (slot.isDropped) return;
    slot.isDropped = true;
    if (this.#slots.get(key) === slot) this.#slots.delete(key);
    if (slot.calls === 0) void closeSlot(slot);
    else setTimeout(() => void closeSlot(slot), LINGER_MS).unref();
  }

  #dropIdle(): void {
    const beforeMs = Date.now() - IDLE_MS;
    for (const [key, slot] of this.#slots) if (slot.calls === 0 && slot.lastUsedMs < beforeMs) this.#drop(key, slot);
  }

  #dropLeastUsed(): void {
    const idle = [...this.#slots].filter(([, slot]) => slot.calls === 0);
    const [oldest] = idle.sort(([, a], [, b]) => a.lastUsedMs - b.lastUsedMs);
    if (oldest) this.#drop(...oldest);
  }
}

/** Of the whole value: the map holds no credential. */
function keyOf(credential: SourceCredential | undefined): string {
  if (!credential) return '';
  return digest(`${credential.type} ${credential.value}`);
}

async function closeSlot(slot: Slot): Promise<void> {
  try {
    await (await slot.opened).close();
  } catch {
    // It never opened, or its end fails: either way there is nothing left of it that could be closed.
  }
}
