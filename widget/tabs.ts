/**
 * The other tabs, frames and elements of this browser that show the same session. One of them reads the stream and tells the
 * others what it brings; when it goes, the next one in line reads on. Where the browser offers no channel or no locks, each
 * reads for itself.
 */
import type { SessionEndReason } from '../relay/protocol/events.ts';
import { holdLock } from './lock.ts';
import type { PageEnvironment } from './page-environment.ts';
import type { ReceivedEvent } from './reduce.ts';

export type TabMessage =
  /** An empty list is a sign of life. */
  | { readonly type: 'received'; readonly events: readonly ReceivedEvent[] }
  | { readonly type: 'ended'; readonly reason: SessionEndReason };

export class Tabs {
  readonly #name: string;
  readonly #channel: BroadcastChannel | undefined;
  readonly #locks: LockManager | undefined;

  /** `listener` hears what the others tell, never what this one tells. */
  constructor(sessionId: string, environment: PageEnvironment, listener: (message: TabMessage) => void) {
    // The number is the messages' version: two builds of the widget in two tabs need not understand each other.
    this.#name = `parley-1-${sessionId}`;
    this.#channel = environment.openChannel(this.#name);
    this.#locks = this.#channel && environment.locks();
    this.#channel?.addEventListener('message', (event: MessageEvent<TabMessage>) => listener(event.data));
  }

  tell(message: TabMessage): void {
    this.#channel?.postMessage(message);
  }

  /**
   * Resolves when this tab is the one that reads, which it stays until the signal aborts. Rejects when the signal aborts
   * before.
   */
  lead(signal: AbortSignal): Promise<void> {
    return holdLock(this.#locks, this.#name, signal);
  }

  /** Messages that were told before still arrive. */
  leave(): void {
    this.#channel?.close();
  }
}
