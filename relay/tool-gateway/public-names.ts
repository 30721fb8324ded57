/** The names under which a domain's tools are listed. */
import { createHash } from 'node:crypto';

/** What language models' APIs take as a tool's name. */
export const MAX_NAME_CHARACTERS = 64;
const HASH_CHARACTERS = 8;

/**
 * `<domain>_<tool>`, at most 64 letters, digits, `_` and `-`. What does not fit is never just cut: the name then ends in a
 * hash of the whole one, so that two tools never become one, and the same tool has the same name at every start.
 */
export function publicName(domain: string, tool: string): string {
  const plain = `${domain}_${tool}`;
  if (plain.length <= MAX_NAME_CHARACTERS && /^[A-Za-z0-9_-]+$/.test(plain)) return plain;
  return hashedName(domain, tool);
}

/** The form with a hash, for a name that does not fit or is taken. */
export function hashedName(domain: string, tool: string): string {
  const hash = createHash('sha256').update(`${domain}\u0000${tool}`).digest('hex').slice(0, HASH_CHARACTERS);
  const room = MAX_NAME_CHARACTERS - HASH_CHARACTERS - 1;
  const readable = `${domain}_${tool}`.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, room);
  return `${readable}_${hash}`;
}
