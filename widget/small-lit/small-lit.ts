/**
 * The part of Lit that the widget uses, at two fifths of Lit's size: the widget's script is built with it in place of `lit`.
 * See `docs/decisions/small-lit.md`. What stands here does what Lit does; one suite runs against both.
 */
export { LitElement } from './element.ts';
export { html, nothing, render } from './templates.ts';

/** A style sheet as text; the element makes one sheet of all of them. */
export function css([text]: TemplateStringsArray): string {
  return text as string;
}
