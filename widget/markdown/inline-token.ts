import type { LinkTarget } from './link-target.ts';

/** What begins behind a token and ends with some later token's `closes`. */
export type Opening = 'em' | 'strong' | 'del' | LinkOpening;

export interface LinkOpening {
  readonly target: LinkTarget;
  readonly isImage: boolean;
}

/** A piece of inline content in the order of the text: first it closes what is open, then shows its own, then opens. */
export interface Token {
  /** The element around its text, if any: a code span or a line break. */
  readonly tag: 'code' | 'br' | null;
  text: string;
  closes: number;
  readonly opens: Opening[];
}
