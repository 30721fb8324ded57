import type { Labels } from './labels.ts';
import { LAUNCHER_LABELS } from './launcher-labels.ts';
import { VERSION } from './version.ts';

/**
 * The labels of a language, from the file that the relay serves beside the widget. Undefined where there is none: the
 * widget stays English. `language` is the first part of a BCP 47 tag.
 */
export async function loadLabels(relay: string, language: string): Promise<Labels | undefined> {
  if (!Object.hasOwn(LAUNCHER_LABELS, language)) return undefined;
  const url = `${relay}/widget@${VERSION}/labels/${language}.js`;
  try {
    const file = (await import(/* @vite-ignore */ url)) as { default: Labels };
    return file.default;
  } catch {
    // An older relay, or one that is away: English is understood better than nothing.
    return undefined;
  }
}
