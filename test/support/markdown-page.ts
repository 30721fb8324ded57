import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './source-files.ts';

/** One of the project's own pages, cut at its headings. */
export class MarkdownPage {
  readonly path: string;
  text: string;

  constructor(path: string) {
    this.path = path;
    this.text = readFileSync(join(ROOT, path), 'utf8');
  }

  /** What stands between a heading and the next one. Throws when there is no such heading. */
  section(heading: string): string {
    const [, section] = new RegExp(`^#+ ${heading}\\n([\\s\\S]*?)(?=^#+ |$(?![\\s\\S]))`, 'm').exec(this.text) ?? [];
    if (section === undefined) throw new Error(`${this.path} has no section "${heading}"`);
    return section;
  }

  /** The table of a section as it is written, without the blanks around it. */
  table(heading: string): string {
    const rows = this.section(heading)
      .split('\n')
      .filter((line) => line.startsWith('|'));
    return rows.join('\n');
  }

  /** Puts another table into a section, here and in the file. */
  replaceTable(heading: string, table: string): void {
    const section = this.section(heading);
    this.text = this.text.replace(section, () => section.replace(this.table(heading), () => table));
    writeFileSync(join(ROOT, this.path), this.text);
  }

  /** The first column of a section's table, without its head and without the marks of code. */
  firstColumn(heading: string): string[] {
    const rows = this.table(heading).split('\n').slice(2);
    return rows.map((row) => (row.split('|')[1] ?? '').trim().replaceAll('`', ''));
  }

  /** The code blocks of a language, in order. */
  codeBlocks(language: string): string[] {
    return Array.from(
      this.text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm')),
      ([, code]) => code!,
    );
  }
}

/** A table as our pages write it: no padding, so that one longer cell does not change every row. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
