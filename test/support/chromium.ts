import type { TestContext } from 'node:test';
import { type Browser, launch } from 'puppeteer-core';
import { browserPath } from '../../scripts/browser-path.ts';

/** A Chromium that is gone after the test. */
export async function startChromium(t: Pick<TestContext, 'after'>, args: readonly string[] = []): Promise<Browser> {
  const browser = await launch({
    executablePath: browserPath('chromium'),
    // No sandbox, because CI runs as root; nothing that would ask for something by itself.
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', ...args],
  });
  t.after(() => browser.close());
  return browser;
}
