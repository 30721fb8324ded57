/** The language of an element: its own `lang`, that of what it stands in, or the browser's. A BCP 47 tag that `Intl` takes. */
export function languageOf(element: HTMLElement): string {
  for (let at: Element | null = element; at; at = parentOf(at)) {
    const tag = validTag(at.getAttribute('lang'));
    if (tag) return tag;
  }
  return validTag(navigator.language) ?? 'en';
}

/** Across shadow roots: the widget may stand in another component. */
function parentOf(element: Element): Element | null {
  if (element.parentElement) return element.parentElement;
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}

function validTag(tag: string | null): string | undefined {
  try {
    return tag ? Intl.getCanonicalLocales(tag.replace('_', '-'))[0] : undefined;
  } catch {
    // A page may write anything there.
    return undefined;
  }
}

/** `de` of `de-CH`. */
export function baseLanguage(tag: string): string {
  return tag.split('-', 1)[0] as string;
}

/** `labels` may bring languages that the widget has no file for. */
const RIGHT_TO_LEFT = new Set(['ar', 'arc', 'ckb', 'dv', 'fa', 'he', 'ku', 'ps', 'sd', 'ug', 'ur', 'yi']);

export function directionOf(tag: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(baseLanguage(tag)) ? 'rtl' : 'ltr';
}
