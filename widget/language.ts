/**
 * The language of an element: its own `lang`, that of what it stands in, of the page, or the browser's. A BCP 47 tag that
 * `Intl` takes, whatever the page has written there.
 */
export function languageOf(element: HTMLElement): string {
  const { lang } = element.closest<HTMLElement>('[lang]') ?? document.documentElement;
  for (const tag of [lang.replace('_', '-'), navigator.language]) {
    try {
      if (tag) return Intl.getCanonicalLocales(tag)[0] as string;
    } catch {
      // Not a language tag: the next one is asked.
    }
  }
  return 'en';
}

/** `de` of `de-CH`. */
export function baseLanguage(tag: string): string {
  return tag.split('-', 1)[0] as string;
}

/** Also for languages that the widget has no file for: `labels` may bring them. */
export function directionOf(tag: string): 'ltr' | 'rtl' {
  return /^(ar|ckb|dv|fa|he|ps|sd|ug|ur|yi)\b/.test(tag) ? 'rtl' : 'ltr';
}
