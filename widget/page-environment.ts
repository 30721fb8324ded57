/** What the conversation needs of the page around it. Read when it is needed, never while the module loads. */
export interface PageEnvironment {
  readonly fetch: typeof fetch;
  /** Gets `pagehide`, `pageshow`, `online`, `offline`. */
  readonly window: EventTarget;
  /** Gets `visibilitychange`. */
  readonly document: EventTarget & { readonly visibilityState: DocumentVisibilityState };
  isOnline(): boolean;
  /** Undefined where the page may not store; the storage itself may still throw. */
  storage(persist: 'tab' | 'device'): Storage | undefined;
  /** Undefined where tabs cannot talk to each other. */
  openChannel(name: string): BroadcastChannel | undefined;
  /** Undefined in pages without a secure origin. */
  locks(): LockManager | undefined;
}

export function browserEnvironment(): PageEnvironment {
  return {
    fetch: (...request) => fetch(...request),
    window,
    document,
    isOnline: () => navigator.onLine,
    storage: (persist) => attempt(() => (persist === 'tab' ? sessionStorage : localStorage)),
    openChannel: (name) => attempt(() => new BroadcastChannel(name)),
    locks: () => navigator.locks,
  };
}

/** A sandboxed frame throws where others have nothing: both mean that it is not there. */
function attempt<Thing>(get: () => Thing): Thing | undefined {
  try {
    return get();
  } catch {
    return undefined;
  }
}
