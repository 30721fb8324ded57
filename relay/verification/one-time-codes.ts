/** One-time codes: drawn, kept as an HMAC, compared in constant time, and recognised where they do not belong. */
import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { deriveKey, type Secrets } from '../sealing/secrets.ts';
import type { Transaction } from '../tool-policy/transactions.ts';

const DIGITS = 6;
const KEY_BYTES = 32;
/** A message with more numbers like a code than this is taken for one that has it. */
const MOST_CANDIDATES = 3;

/** What a code is good for: nothing else has the same HMAC. */
type Bound = Pick<Transaction, 'id' | 'tool' | 'domain' | 'digest'> & { readonly sessionId: string };

export class OneTimeCodes {
  readonly #keys: readonly [Buffer, ...Buffer[]];

  /** Codes are kept under the first secret and accepted under any. */
  constructor(secrets: Secrets) {
    const [first, ...others] = secrets;
    this.#keys = [keyOf(first), ...others.map(keyOf)];
  }

  /** Six random digits. */
  draw(): string {
    return String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');
  }

  mac(code: string, bound: Bound): string {
    return macUnder(this.#keys[0], code, bound).toString('base64url');
  }

  /** Whether this text is the code, as people type one: with spaces or dashes, in the digits of their script. */
  isRight(text: string, mac: string, bound: Bound): boolean {
    const code = westernDigits(text).replace(SEPARATORS, '');
    const expected = Buffer.from(mac, 'base64url');
    // Every key is tried, so that the time tells nothing about which one fits.
    return this.#keys
      .map((key) => macUnder(key, code, bound))
      .map((given) => given.length === expected.length && timingSafeEqual(given, expected))
      .includes(true);
  }
}

/**
 * The numbers of a message that a six-digit code could be, as typed in one piece or in groups. `tooMany`: more than a person
 * would write by chance while a code is awaited.
 */
export function codeCandidates(message: string): readonly string[] | 'tooMany' {
  const found = new Set<string>();
  for (const [run] of westernDigits(message).matchAll(DIGIT_RUNS)) {
    const digits = run.replace(SEPARATORS, '');
    const groups = run.split(SEPARATORS).filter((group) => group !== '');
    if (digits.length === DIGITS) found.add(digits);
    // A code may stand beside other numbers: every row of whole groups that makes six digits counts.
    for (let from = 0; from < groups.length; from++) {
      let row = '';
      for (let to = from; to < groups.length && row.length < DIGITS; to++) row += groups[to];
      if (row.length === DIGITS) found.add(row);
    }
    if (found.size > MOST_CANDIDATES) return 'tooMany';
  }
  return [...found];
}

const SEPARATORS = /[\s\-.·_,/‐-―−]+/gu;
const DIGIT_RUNS = /\d(?:[\s\-.·_,/‐-―−]{0,3}\d)*/gu;

/** Digits of any script as ASCII ones (Unicode keeps each script's ten in a row), and without characters that are not seen. */
function westernDigits(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\p{Nd}/gu, (digit) => {
      let zero = digit.codePointAt(0) ?? 0;
      const value = zero;
      while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && value - zero < 9) zero -= 1;
      return String(value - zero);
    });
}

function macUnder(key: Buffer, code: string, { sessionId, id, tool, domain, digest }: Bound): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([sessionId, id, tool, domain, digest, code]))
    .digest();
}

function keyOf(secret: string): Buffer {
  return deriveKey(secret, 'one-time codes', KEY_BYTES);
}
