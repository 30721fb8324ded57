/** Where Debian's packages put the browsers that the tests run in. */
const BROWSER_PATHS = {
  chromium: '/usr/bin/chromium',
  firefox: '/usr/bin/firefox-esr',
  webkit: '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
} as const;

export function browserPath(browser: keyof typeof BROWSER_PATHS): string {
  return BROWSER_PATHS[browser];
}
