import { createHash } from 'node:crypto';
import { type FSWatcher, readFileSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { failureForLog, type Log } from '../log.ts';

/** An editor writes in several steps; a mounted configuration is exchanged by its folder's links. */
const SETTLED_MS = 200;

/**
 * Tells when the content of one of several files has changed. Watches their folders, since a file that is replaced is another
 * one. Where watching fails, it says so in the log once and tells nothing more.
 */
export class FileWatch {
  readonly #onChange: () => void;
  readonly #log: Log;
  #watchers: FSWatcher[] = [];
  #files: readonly string[] = [];
  #contents = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(onChange: () => void, log: Log) {
    this.#onChange = onChange;
    this.#log = log;
  }

  /** From now on these files, as they are now. */
  watch(files: readonly string[]): void {
    this.#stop();
    this.#files = files;
    this.#contents = contentsOf(files);
    for (const directory of new Set(files.map((file) => dirname(file)))) {
      try {
        const watcher = watch(directory, { persistent: false }, () => this.#look());
        watcher.on('error', (failure) => this.#fail(failure));
        this.#watchers.push(watcher);
      } catch (failure) {
        this.#fail(failure);
      }
    }
  }

  close(): void {
    this.#stop();
  }

  #look(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const contents = contentsOf(this.#files);
      if (contents === this.#contents) return;
      this.#contents = contents;
      this.#onChange();
    }, SETTLED_MS).unref();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
  }

  #fail(failure: unknown): void {
    this.#log.warn(failureForLog(failure), 'the configuration’s files cannot be watched; SIGHUP reads them anew');
  }
}

function contentsOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) {
    try {
      hash.update(readFileSync(file)).update('\u0000');
    } catch {
      // While it is replaced there is none: that is a content of its own, and the next look finds the new one.
      hash.update('\u0001');
    }
  }
  return hash.digest('base64');
}
