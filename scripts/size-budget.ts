/** Fails when the widget's script is larger, as gzip, than a page should have to load. Tells of what the first opening loads besides. */
import { globSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const FOLDER = 'dist/assets';
const SCRIPT = 'widget.js';
const BUDGET_BYTES = 22_000;
const LIMIT_BYTES = 30_000;

const scriptBytes = gzippedBytes(SCRIPT);
console.log(
  `${SCRIPT}: ${kilobytes(scriptBytes)} as gzip; budget ${kilobytes(BUDGET_BYTES)}, limit ${kilobytes(LIMIT_BYTES)}`,
);
for (const file of globSync('*.js', { cwd: FOLDER }).filter((name) => name !== SCRIPT)) {
  console.log(`${file}: ${kilobytes(gzippedBytes(file))} as gzip, loaded when the chat is opened`);
}
if (scriptBytes > LIMIT_BYTES) process.exitCode = 1;

function gzippedBytes(file: string): number {
  return gzipSync(readFileSync(`${FOLDER}/${file}`), { level: 9 }).byteLength;
}

function kilobytes(size: number): string {
  return `${(size / 1000).toFixed(1)} kB`;
}
