import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The project's own folder. */
export const ROOT = join(import.meta.dirname, '../..');

/** Paths of the TypeScript files below a folder of the project, relative to the project, sorted; none where it does not exist. */
export function sourceFiles(folder: string): string[] {
  const path = join(ROOT, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((file) => !file.split('/').includes('node_modules'))
    .sort();
}
