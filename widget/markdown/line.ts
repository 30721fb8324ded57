/** Reads the structure at the beginning of one line. Columns count a tab up to the next multiple of four (CommonMark 0.31 §2.2). */
export class Line {
  readonly text: string;
  /** The next character to be read. */
  at = 0;
  #column = 0;
  /** Columns that are left of a tab which was read in part. */
  #spare = 0;
  /** The first character that is neither space nor tab, and how many columns away it is. */
  next = 0;
  indent = 0;

  constructor(text: string) {
    this.text = text;
    this.#look();
  }

  get isBlank(): boolean {
    return this.next >= this.text.length;
  }

  /** What is left of the line, a tab that was read in part as spaces. */
  get rest(): string {
    return ' '.repeat(this.#spare) + this.text.slice(this.at);
  }

  /** What is left without the spaces before it. */
  get content(): string {
    return this.text.slice(this.next);
  }

  /** Passes up to `columns` columns of space. Always true, to be the end of a condition. */
  skipSpace(columns: number): true {
    let left = columns;
    while (left > 0) {
      if (this.#spare === 0) {
        const character = this.text[this.at];
        if (character === '\t') this.#spare = 4 - (this.#column % 4);
        else if (character === ' ') this.#spare = 1;
        else break;
        this.at++;
      }
      const used = Math.min(left, this.#spare);
      this.#spare -= used;
      this.#column += used;
      left -= used;
    }
    return this.#look();
  }

  /** Passes the space before the next character and then `length` characters. */
  skipMark(length: number): true {
    this.skipSpace(this.indent);
    this.at += length;
    this.#column += length;
    return this.#look();
  }

  #look(): true {
    let column = this.#column + this.#spare;
    let next = this.at;
    for (; next < this.text.length; next++) {
      const character = this.text[next];
      if (character === ' ') column++;
      else if (character === '\t') column += 4 - (column % 4);
      else break;
    }
    this.next = next;
    this.indent = column - this.#column;
    return true;
  }
}
