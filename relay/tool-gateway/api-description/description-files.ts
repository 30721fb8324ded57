/** Reads a description and the files of its folder that it refers to. Nothing is ever fetched. */
import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { LineCounter, parseDocument, type Node as YamlNode } from 'yaml';
import { ApiDescriptionError } from './api-description-error.ts';
import { JsonLines } from './json-lines.ts';
import { isJsonRecord } from './json-record.ts';

const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_FILES = 500;

/** One parsed file. */
interface DescriptionFile {
  readonly file: string;
  readonly root: unknown;
  /** False when no reference can lead to another file. */
  readonly mayReferOutside: boolean;
  /** The line, from 1, of the value at this path; undefined where there is none. */
  lineOf(path: readonly string[]): number | undefined;
}

/** All files of one description, by the part of a reference that stands before `#`; the main file's is empty. */
export interface DescriptionFiles {
  readonly main: DescriptionFile;
  readonly byName: ReadonlyMap<string, DescriptionFile>;
  /** Why a file that is referred to was not read, by the part before `#`. */
  readonly refused: ReadonlyMap<string, string>;
}

/**
 * Reads `file` and, through relative references, further files at or below its folder. References into other files are
 * rewritten in the parsed values, so that each begins with a name in `byName` or `refused`. Throws `ApiDescriptionError`.
 */
export async function readDescriptionFiles(file: string): Promise<DescriptionFiles> {
  const main = await readDescriptionFile(file);
  const folder = path.dirname(await realpath(file));
  const byName = new Map<string, DescriptionFile>([['', main]]);
  const refused = new Map<string, string>();

  const waiting = main.mayReferOutside ? [{ name: '', file: main }] : [];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const name of nameReferences(next.file.root, next.name)) {
      if (byName.has(name) || refused.has(name)) continue;
      try {
        if (byName.size >= MAX_FILES) throw new Error(`the description has more than ${MAX_FILES} files`);
        const read = await readDescriptionFile(await fileBelow(folder, name));
        byName.set(name, read);
        waiting.push({ name, file: read });
      } catch (error) {
        refused.set(name, error instanceof Error ? error.message : String(error));
      }
    }
  }
  return { main, byName, refused };
}

async function fileBelow(folder: string, name: string): Promise<string> {
  if (/^[a-z][a-z0-9+.-]*:|^\/\/|\\|%/i.test(name))
    throw new Error(`"${name}" is not a file of the description's folder`);
  const real = await realpath(path.resolve(folder, name)).catch(() => undefined);
  if (real === undefined) throw new Error(`there is no file "${name}"`);
  if (!real.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep)) {
    throw new Error(`"${name}" lies outside the description's folder`);
  }
  return real;
}

/** Rewrites each reference that leaves the file to the name of its target, and gives back the names. */
function nameReferences(root: unknown, from: string): ReadonlySet<string> {
  const names = new Set<string>();
  // Aliases of YAML make one object appear at many places.
  const seen = new Set<object>();
  const waiting: unknown[] = [root];
  for (let value = waiting.pop(); waiting.length > 0 || value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    if (Array.isArray(value)) {
      for (const item of value) if (typeof item === 'object') waiting.push(item);
      continue;
    }
    const record = value as Record<string, unknown>;
    for (const key of Object.keys(record)) {
      const item = record[key];
      if (typeof item === 'object') waiting.push(item);
      if (key !== '$ref' || typeof item !== 'string') continue;
      const [target = '', pointer = ''] = item.split('#', 2);
      if (target === '' && from === '') continue;
      const name = target === '' ? from : nameOf(target, from);
      names.add(name);
      record.$ref = `${name}#${pointer}`;
    }
  }
  names.delete('');
  return names;
}

function nameOf(target: string, from: string): string {
  const isAddress = /^[a-z][a-z0-9+.-]*:|^\/\//i.test(target);
  return isAddress ? target : path.posix.normalize(path.posix.join(path.posix.dirname(from), target));
}

async function readDescriptionFile(file: string): Promise<DescriptionFile> {
  let text: string;
  try {
    const bytes = await readFile(file);
    if (bytes.length > MAX_FILE_BYTES) throw new Error(`the file is larger than ${MAX_FILE_BYTES / 1024 / 1024} MB`);
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ApiDescriptionError(file, undefined, error instanceof Error ? error.message : String(error));
  }
  return /^\s*\{/.test(text) ? parseJson(file, text) : parseYaml(file, text);
}

function parseJson(file: string, text: string): DescriptionFile {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    // YAML in flow style begins like JSON; where it is neither, its reader knows the line.
    return parseYaml(file, text);
  }
  const lines = new JsonLines(text);
  // Written in an unusual way it is missed, and then leads nowhere.
  const mayReferOutside = /"\$ref"\s*:\s*"[^#]/.test(text);
  return { file, root, mayReferOutside, lineOf: (at) => lines.lineOf(at) };
}

function parseYaml(file: string, text: string): DescriptionFile {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, version: '1.2', merge: true });
  const fault = document.errors[0];
  if (fault) throw new ApiDescriptionError(file, lineCounter.linePos(fault.pos[0]).line, fault.message);
  let root: unknown;
  try {
    root = document.toJS({ maxAliasCount: 1_000 });
  } catch (error) {
    throw new ApiDescriptionError(file, undefined, error instanceof Error ? error.message : String(error));
  }
  if (!isJsonRecord(root)) throw new ApiDescriptionError(file, 1, 'expected a YAML or JSON object');
  return {
    file,
    root,
    mayReferOutside: true,
    lineOf(at) {
      const node = document.getIn(at.map(String), true) as YamlNode | undefined;
      const offset = node?.range?.[0];
      return offset === undefined ? undefined : lineCounter.linePos(offset).line;
    },
  };
}
