/**
 * Converts the whole GitHub description in this fresh process and fails above 3 s of processor time or 300 MB of memory at
 * its peak. Processor time, because a busy machine makes any wall clock late.
 */
import { loadApiDescription } from '../../relay/tool-gateway/api-description/load-api-description.ts';
import { GITHUB_FILE } from './descriptions.ts';

const MAX_SECONDS = 3;
const MAX_MEGABYTES = 300;

const before = process.cpuUsage();
const startedAt = performance.now();
const source = await loadApiDescription({ file: GITHUB_FILE, baseUrl: 'https://api.github.com' });
const wallSeconds = (performance.now() - startedAt) / 1_000;
const { user, system } = process.cpuUsage(before);
const seconds = (user + system) / 1e6;
const megabytes = (process.resourceUsage().maxRSS * 1_024) / 1e6;
const { tools, operations } = source.report;
await source.close();

console.log(
  `${tools} tools of ${operations} operations: ${seconds.toFixed(2)} s of processor time ` +
    `(limit ${MAX_SECONDS}), ${wallSeconds.toFixed(2)} s on the clock, ${megabytes.toFixed(0)} MB at the peak (limit ${MAX_MEGABYTES})`,
);
if (seconds > MAX_SECONDS || megabytes > MAX_MEGABYTES) process.exitCode = 1;
