import type { Alignment } from './table-syntax.ts';

/**
 * A block that is still open, and how far it is drawn. One shape for all kinds, so that an open block can be copied and put back: what
 * the unfinished last line does to it is undone when more of that line comes.
 */
export class Block {
  /** Its kind, by the name of its element; `code` and `table` have more around it. The document itself has none. */
  tag: string;
  readonly parent: Block | null;
  readonly isList: boolean;
  /** A paragraph or heading. */
  readonly isText: boolean;
  /** Holds text or rows, no other blocks. */
  readonly isLeaf: boolean;
  /** Its element; null until it is drawn. */
  node: HTMLElement | null = null;
  /** The node that holds its children, rows or text. */
  host: Node | null = null;
  /** The last node in `host` that is there to stay; what follows is from an earlier drawing of what was unfinished. */
  last: Node | null = null;
  /** A leaf's text that is not settled. Paragraph: lines without the space before them. */
  text = '';
  /** Paragraph: where its last line begins in `text`. */
  lineStart = 0;
  /** The text is looked at for what can be settled when it is this long. */
  settleLength = 0;
  /** Paragraph: it may still begin with link reference definitions. */
  mayDefine = false;
  /** Paragraph that begins a task: whether its box is ticked. */
  isDone: boolean | null = null;
  /** List: its bullet or the character behind its numbers. Fenced code: the fence's character. Heading: `#` if it begins with one. */
  mark = '';
  /** Ordered list: its first number. */
  start = 1;
  /** List: blank lines stand between its items or their blocks. */
  isLoose = false;
  /** Item: the columns that its content is indented by. Fenced code: those that are taken off its lines. */
  indent = 0;
  /** Anything with children: something is in it. */
  hasChildren = false;
  /** Fenced code: the length of the fence. */
  fenceLength = 0;
  /** Fenced code: the word behind the fence; null while that line is unfinished. */
  language: string | null = null;
  /** Indented code: blank lines that belong to it if more code follows. */
  blankLines = '';
  /** Table: its columns, and how many cells were added to rows that are too short. */
  columns: readonly Alignment[] = [];
  filledCells = 0;

  constructor(tag: string, parent: Block | null) {
    this.tag = tag;
    this.parent = parent;
    this.isList = tag === 'ul' || tag === 'ol';
    this.isText = tag === 'p' || /^h\d/.test(tag);
    this.isLeaf = this.isText || tag === 'code' || tag === 'table';
  }
}
