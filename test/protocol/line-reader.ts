import type { Frame } from '../../relay/protocol/frame-reader.ts';

/**
 * The plainest reader of a whole stream that there can be, written without a look at ours: all lines, then all frames.
 * What stands after the last blank line counts as a frame.
 */
export function readWhole(text: string): Frame[] {
  const frames: Frame[] = [];
  let lines: string[] = [];
  const allLines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  for (const line of [...allLines, '']) {
    if (line !== '') {
      lines.push(line);
      continue;
    }
    const fields = lines.filter((each) => !each.startsWith(':')).map(fieldOf);
    lines = [];
    const all = (name: string) => fields.filter((field) => field.name === name).map((field) => field.value);
    const type = all('type').findLast((value) => value !== '') ?? all('event').find((value) => value !== '');
    const id = all('id').findLast((value) => !value.includes('\0'));
    if (type) frames.push({ type, data: all('data').join('\n'), ...(id !== undefined && { id }) });
  }
  return frames;
}

function fieldOf(line: string): { name: string; value: string } {
  const match = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
  return { name: match[1]!, value: match[2] ?? '' };
}
