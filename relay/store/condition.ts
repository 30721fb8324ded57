import type { Condition } from './store.ts';

/** Whether a condition of a commit holds now. `row` finds what the store has under a key, expired rows left out. */
export function holds(
  condition: Condition,
  nowMs: number,
  row: (key: string) => { readonly version: number } | undefined,
): boolean {
  switch (condition.type) {
    case 'before':
      return nowMs < condition.timeMs;
    case 'absent':
      return row(condition.key) === undefined;
    case 'present':
      return row(condition.key) !== undefined;
    case 'version':
      return row(condition.key)?.version === condition.version;
  }
}
