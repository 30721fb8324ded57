/** Finds out who calls `/mcp`, and which visitor's session he calls for. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { CredentialDigests } from '../sessions/credential-digests.ts';
import { hostSessionKey, parseSessionRecord, sessionKey, turnKey } from '../sessions/session-record.ts';
import type { Store } from '../store/store.ts';
import type { Caller, CallerRule, Callers, CallSession } from '../tool-gateway/callers.ts';
import type { SourceCredential } from '../tool-gateway/tool-source.ts';
import { parseTurnRecord } from '../turns/turn-record.ts';

const TOKEN_HEADER = 'x-parley-token';

export class McpCallers implements Callers {
  readonly #store: Store;
  readonly #digests: CredentialDigests;
  readonly #accountKeyDigest: string;
  readonly #now: () => number;

  constructor(parts: { store: Store; digests: CredentialDigests; accountKey: string; now: () => number }) {
    this.#store = parts.store;
    this.#digests = parts.digests;
    this.#accountKeyDigest = parts.digests.digest(parts.accountKey);
    this.#now = parts.now;
  }

  async admit(rule: CallerRule, header: (name: string) => string | undefined): Promise<Caller | undefined> {
    const credential = credentialIn(header);
    const digest = credential && this.#digests.digest(credential.value);
    const isAccountKey = digest !== undefined && isSame(digest, this.#accountKeyDigest);
    const caller = (id: string): Caller => ({ id, credential, isAccountKey });
    switch (rule.type) {
      case 'open':
        return caller(digest ?? 'open');
      case 'tokens': {
        const token = header(TOKEN_HEADER);
        if (token === undefined || !isOneOf(rule.tokens, token)) return undefined;
        return caller(digest ?? `token ${sha256(token)}`);
      }
      case 'api':
        return digest === undefined ? undefined : caller(digest);
      case 'session': {
        if (digest === undefined) return undefined;
        return isAccountKey || (await this.#digests.isKnown(this.#store, digest)) ? caller(digest) : undefined;
      }
    }
  }

  async findSession(rule: CallerRule, caller: Caller, hostSessionId: string): Promise<CallSession | undefined> {
    const found = await this.#store.get(hostSessionKey(hostSessionId));
    if (typeof found?.value !== 'string') return undefined;
    const sessionId = found.value;
    const [stored, turn] = await Promise.all([
      this.#store.get(sessionKey(sessionId)),
      this.#store.get(turnKey(sessionId)),
    ]);
    if (!stored) return undefined;
    const record = parseSessionRecord(stored.value);
    if (record.expiresAtMs <= this.#now()) return undefined;
    if (rule.type === 'session' && !(await this.#isCallersSession(caller, sessionId, record.startedBy)))
      return undefined;
    const latest = turn && parseTurnRecord(turn.value);
    return { sessionId, turn: latest?.status === 'running' ? latest.turn : undefined };
  }

  async #isCallersSession(caller: Caller, sessionId: string, startedBy: 'key' | 'visitor'): Promise<boolean> {
    if (startedBy === 'key') return caller.isAccountKey;
    return this.#digests.isOfSession(this.#store, sessionId, caller.id);
  }
}

function credentialIn(header: (name: string) => string | undefined): SourceCredential | undefined {
  const authorization = header('authorization');
  if (authorization) return { type: 'authorization', value: authorization };
  const key = header('x-api-key');
  return key ? { type: 'x-api-key', value: key } : undefined;
}

/** Looks at every one of them, so that the time tells nothing. */
function isOneOf(tokens: readonly string[], token: string): boolean {
  return tokens.reduce((isFound, candidate) => isSame(sha256(candidate), sha256(token)) || isFound, false);
}

function isSame(digest: string, other: string): boolean {
  return digest.length === other.length && timingSafeEqual(Buffer.from(digest), Buffer.from(other));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
