/** Markup that is safe to put into a page as it is. */
export interface Html {
  readonly markup: string;
}

/** Template tag: texts are escaped, `Html` and lists of it go in as they are. For element content and quoted attributes. */
export function html(
  strings: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html {
  return { markup: String.raw({ raw: strings }, ...values.map(toMarkup)) };
}

function toMarkup(value: string | number | Html | readonly Html[]): string {
  if (typeof value === 'object') return 'markup' in value ? value.markup : value.map(toMarkup).join('');
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
