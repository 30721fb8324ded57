import type { LinkTarget } from './link-target.ts';

/** An element that begins behind a token and ends with some later token's `closes`: by its name, or a link or image. */
export type Opening = string | { readonly target: LinkTarget; readonly isImage: boolean };

/** A piece of inline content in the order of the text: first it closes what is open, then shows its text, then opens. */
export interface Token {
  text: string;
  closes: number;
  readonly opens: Opening[];
}
