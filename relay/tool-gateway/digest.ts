import { createHash } from 'node:crypto';

/** SHA-256 as base64url. */
export function digest(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('base64url');
}
