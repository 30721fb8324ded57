/**
 * What a view in a file of its own needs of Lit: the templates that it makes are drawn by the Lit of the widget's script. Their
 * shape and the name of `nothing` are the same in every copy of Lit, so that several of them get along on one page.
 * The build of such a file puts this in Lit's place.
 */
export const html = (strings: TemplateStringsArray, ...values: readonly unknown[]) => ({
  _$litType$: 1,
  strings,
  values,
});

export const nothing = Symbol.for('lit-nothing');
