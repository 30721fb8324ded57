/** Session ids and tokens: random, told once, and (tokens) kept only as a hash. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 128 random bits. */
export function drawSessionId(): string {
  return randomBytes(16).toString('base64url');
}

/** True for texts that `drawSessionId` can have made; anything else need not be looked up. */
export function isSessionId(text: string): boolean {
  return /^[A-Za-z0-9_-]{22}$/.test(text);
}

/** 256 random bits. */
export function drawToken(): string {
  return randomBytes(32).toString('base64url');
}

/** SHA-256 as 64 hex digits. A token has 256 random bits, so that a plain hash cannot be turned round. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

const HASH_OF_NO_TOKEN = hashToken(drawToken());

/** Compares in constant time. `tokenHash` undefined (no such session): does the same work and says no. */
export function isTokenOf(tokenHash: string | undefined, token: string): boolean {
  const isEqual = timingSafeEqual(Buffer.from(hashToken(token)), Buffer.from(tokenHash ?? HASH_OF_NO_TOKEN));
  return isEqual && tokenHash !== undefined;
}
