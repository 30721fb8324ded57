import type { LinkTarget } from './link-target.ts';

/** What begins behind a token and ends with some later token's `closes`. */
export type Opening = 'em' | 'strong' | 'del' | LinkOpening;

export interface LinkOpening {
  readonly target: LinkTarget;
  readonly isImage: boolean;
}

/** A piece of inline content in the order of the text: first it closes what is open, then shows its own, then opens. */
export interface Token {
  closes: number;
  /** What it shows: text, the content of a code span, or for a break nothing. */
  readonly kind: 'text' | 'code' | 'break';
  text: string;
  readonly opens: Opening[];
}

export function createToken(text: string, kind: Token['kind'] = 'text'): Token {
  return { closes: 0, kind, text, opens: [] };
}
