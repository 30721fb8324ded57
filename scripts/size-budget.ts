/** Fails when the widget's one file is larger, as gzip, than a page should have to load. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const FILE = 'dist/assets/widget.js';
const BUDGET_BYTES = 22_000;
const LIMIT_BYTES = 30_000;

const file = readFileSync(FILE);
const bytes = gzipSync(file, { level: 9 }).byteLength;
console.log(
  `${FILE}: ${kilobytes(bytes)} as gzip, ${kilobytes(file.byteLength)} as it is; ` +
    `budget ${kilobytes(BUDGET_BYTES)}, limit ${kilobytes(LIMIT_BYTES)}`,
);
if (bytes > LIMIT_BYTES) process.exitCode = 1;

function kilobytes(size: number): string {
  return `${(size / 1000).toFixed(1)} kB`;
}
