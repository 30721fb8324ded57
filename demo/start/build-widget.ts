import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCES = ['widget/**/*.ts', 'relay/protocol/*.ts', 'vite*.config.ts', 'package-lock.json'];
const BUILT = 'dist/assets/widget.js';

/**
 * Builds the widget where its sources are newer than what was built; resolves to whether it did. Rejects with what the build
 * printed when it fails, and with the signal's reason, the build killed, when that is aborted.
 */
export async function buildWidgetIfStale(signal: AbortSignal): Promise<boolean> {
  const builtAtMs = modifiedAtMs(BUILT) ?? 0;
  const newestSourceMs = Math.max(...globSync(SOURCES, { cwd: ROOT }).map((file) => modifiedAtMs(file) ?? 0));
  if (newestSourceMs <= builtAtMs) return false;

  const vite = fileURLToPath(new URL('bin/vite.js', import.meta.resolve('vite/package.json')));
  const build = spawn(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  let printed = '';
  for (const output of [build.stdout, build.stderr]) output.setEncoding('utf8').on('data', (text) => (printed += text));
  const [code] = await once(build, 'close');
  if (code !== 0) throw new Error(`The widget could not be built.\n${printed}`);
  return true;
}

function modifiedAtMs(file: string): number | undefined {
  return statSync(ROOT + file, { throwIfNoEntry: false })?.mtimeMs;
}
