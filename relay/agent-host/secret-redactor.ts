export const REDACTED = '[redacted]';

/** Shorter ones are no secrets, and to take them out would tear ordinary words. */
const MIN_SECRET_LENGTH = 4;

/** Takes known secrets out of texts: the API key, a session's secret, the host's session id. */
export class SecretRedactor {
  /** Longest first: one secret may be the beginning of another. */
  readonly #secrets: readonly string[];
  readonly #plain: RegExp;
  readonly #escaped: RegExp;

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets
      .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
      .sort((one, other) => other.length - one.length);
    this.#plain = new RegExp(this.#secrets.map(literalPattern).join('|'), 'g');
    this.#escaped = new RegExp(this.#secrets.map(escapedPattern).join('|'), 'g');
  }

  /** The text without the secrets. */
  redact(text: string): string {
    return this.#contains(text) ? text.replace(this.#plain, REDACTED) : text;
  }

  /**
   * The same for JSON text, where a secret may also stand escaped (`\"`, `\/`, `\u0041`), and more than once, since
   * here JSON stands inside strings of JSON.
   */
  redactJson(json: string): string {
    if (this.#secrets.length === 0 || !json.includes('\\')) return this.redact(json);
    return json.replace(this.#escaped, REDACTED);
  }

  /**
   * Takes the secrets out of a text that comes in pieces. `rest` is the end of it that may be the beginning of a
   * secret: the caller puts it before the next piece, or gives it out when there is none. It is nearly always empty.
   */
  redactPiece(text: string): { readonly clean: string; readonly rest: string } {
    let clean = '';
    let start = 0;
    for (;;) {
      const restStart = this.#startOfUnfinishedSecret(text, start);
      const match = this.#contains(text) ? this.#nextMatch(text, start) : undefined;
      // The leftmost wins, so that a secret that is the beginning of a longer one waits for the longer one.
      if (restStart !== -1 && (!match || restStart <= match.index)) {
        return { clean: clean + text.slice(start, restStart), rest: text.slice(restStart) };
      }
      if (!match) return { clean: start === 0 ? text : clean + text.slice(start), rest: '' };
      clean += text.slice(start, match.index) + REDACTED;
      start = match.index + match[0].length;
    }
  }

  #contains(text: string): boolean {
    for (const secret of this.#secrets) if (text.includes(secret)) return true;
    return false;
  }

  #nextMatch(text: string, start: number): RegExpExecArray | undefined {
    this.#plain.lastIndex = start;
    return this.#plain.exec(text) ?? undefined;
  }

  /**
   * Where the longest end of the text begins that is the beginning of a secret but not the whole; -1 if there is none.
   */
  #startOfUnfinishedSecret(text: string, from: number): number {
    let earliest = -1;
    for (const secret of this.#secrets) {
      const first = secret[0]!;
      let at = text.indexOf(first, Math.max(from, text.length - secret.length + 1));
      while (at !== -1 && !secret.startsWith(text.slice(at))) at = text.indexOf(first, at + 1);
      if (at !== -1 && (earliest === -1 || at < earliest)) earliest = at;
    }
    return earliest;
  }
}

function literalPattern(secret: string): string {
  return secret.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/** Matches the secret with each character as it is or escaped for JSON, at any depth of JSON inside JSON. */
function escapedPattern(secret: string): string {
  return Array.from({ length: secret.length }, (_, index) => escapedUnitPattern(secret, index)).join('');
}

function escapedUnitPattern(secret: string, index: number): string {
  const unit = secret[index]!;
  const hex = secret.charCodeAt(index).toString(16).padStart(4, '0');
  const byCode = `\\\\+u${hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)}`;
  if (unit === '\\') return `(?:${byCode}|\\\\+)`;
  const byBackslash = unit === '"' || unit === '/' ? '\\\\*' : '';
  return `(?:${byBackslash}${literalPattern(unit)}|${byCode})`;
}
