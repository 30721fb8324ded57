import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRetryAfterMs } from '../../relay/agent-host/retry-after.ts';

const NOW_MS = Date.parse('2026-11-30T12:00:00Z');

for (const [given, expectedMs] of [
  [['2'], 2_000],
  [['0'], 1_000],
  [[' 30 '], 30_000],
  [['3600'], 3_600_000],
  [['3601'], 3_600_000],
  [['99999999999999999999999'], 3_600_000],
  [['Mon, 30 Nov 2026 12:01:30 GMT'], 90_000],
  [['Mon, 30 Nov 2026 11:00:00 GMT'], 1_000],
  [['Tue, 01 Dec 2026 12:00:00 GMT'], 3_600_000],
  [['Mon, 99 Nov 2026 12:01:30 GMT'], 5_000],
  [['soon'], 5_000],
  [['-5'], 5_000],
  [['1.5'], 5_000],
  [['1e3'], 5_000],
  [['2026-11-30T12:01:30Z'], 5_000],
  [['Infinity'], 5_000],
  [[''], 5_000],
  [['2', '2'], 5_000],
  [[], 5_000],
  [undefined, 5_000],
] as const) {
  test(`Retry-After ${JSON.stringify(given) ?? 'absent'} means ${expectedMs} ms`, () => {
    assert.equal(readRetryAfterMs(given, NOW_MS), expectedMs);
  });
}
