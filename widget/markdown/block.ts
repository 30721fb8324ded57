import type { Alignment } from './table-syntax.ts';

export type BlockKind =
  | 'document'
  | 'quote'
  | 'list'
  | 'item'
  | 'paragraph'
  | 'heading'
  | 'fence'
  | 'indented'
  | 'table';

/**
 * A block that is still open, and how far it is drawn. One shape for all kinds, so that an open block can be copied and put back: what
 * the unfinished last line does to it is undone when more of that line comes.
 */
export class Block {
  kind: BlockKind;
  readonly parent: Block | null;
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
  /** Paragraph that begins a task: the state of its box. */
  task: 'done' | 'open' | null = null;
  /** List: its bullet or the character behind its numbers. Fence: its character. */
  mark = '';
  /** Ordered list: its first number. */
  start: number | null = null;
  /** List: blank lines stand between its items or their blocks. */
  isLoose = false;
  /** Item: the columns that its content is indented by. Fence: those that are taken off its lines. */
  indent = 0;
  /** Item, list: something is in it. */
  hasChildren = false;
  /** Heading: 1 to 6. Fence: how many characters it has. */
  size = 0;
  /** Fence: what stands behind it, known when the line is complete. */
  language: string | null = null;
  /** Indented code: blank lines that belong to it if more code follows. */
  blankLines = '';
  /** Table: its columns, and how many cells were added to rows that are too short. */
  columns: readonly Alignment[] = [];
  filledCells = 0;

  constructor(kind: BlockKind, parent: Block | null) {
    this.kind = kind;
    this.parent = parent;
  }
}
