/**
 * Reads the frames of an event stream from its bytes, however they are cut: `type:` and `data:` lines and a blank line,
 * as the agent host writes them, and server-sent events, as the relay writes them. `event:` is the same as `type:`.
 *
 * One per stream. Runs in the browser too: no Node, no DOM, no package.
 * Source: the agent host's description of its answer stream; the line rules are those of the HTML standard, section
 * "Server-sent events".
 */
export interface Frame {
  readonly type: string;
  /** All `data` lines, joined by line feeds; empty when there was none. */
  readonly data: string;
  readonly id?: string;
}

export interface FrameLimits {
  /** The longest line, in bytes. Checked as the bytes arrive, so that a line without an end is stopped too. */
  readonly maxLineBytes: number;
  /**
   * The longest `data` of one frame over all its lines, in bytes; each line counts 16 more, which is what keeping it
   * costs.
   */
  readonly maxEventBytes: number;
}

/** A line or a frame is longer than allowed. The reader cannot be used any more. */
export class FrameLimitError extends Error {
  override readonly name = 'FrameLimitError';
}

const LINE_FEED = 10;
const SPACE = 32;
const COLON = 58;
const BYTE_ORDER_MARK = 0xfeff;
const COST_OF_A_DATA_LINE_BYTES = 16;

export class FrameReader {
  /** Whether at least one whole frame came: the stream speaks the protocol. */
  hasSeenFrame = false;
  /**
   * Whether anything came but comments and blank lines. Content without a frame at the end is not the protocol at all.
   */
  hasSeenContent = false;

  readonly #limits: FrameLimits;
  readonly #wholeDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #cutDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** The last piece may have ended inside a character: `#cutDecoder` has its first bytes. */
  #isCharacterOpen = false;
  #isAtStart = true;
  /** The last piece ended with CR, which has ended its line: a line feed that follows belongs to it. */
  #isAfterReturn = false;
  /** The beginning of the line that has no end yet. */
  #line = '';
  #lineBytes = 0;
  #type = '';
  #id: string | undefined;
  #data: string | undefined;
  #eventBytes = 0;

  constructor(limits: FrameLimits) {
    this.#limits = limits;
  }

  /** The frames that these bytes complete. Throws `FrameLimitError`. */
  push(bytes: Uint8Array): Frame[] {
    const frames: Frame[] = [];
    const text = this.#decode(bytes);
    if (text !== '') this.#take(text, bytes.length / text.length, frames);
    return frames;
  }

  /**
   * For a stream that ended in good order, never for a lost one: a last line without its end and a last frame without
   * its blank line count as whole.
   */
  end(): Frame[] {
    const frames: Frame[] = [];
    const rest = this.#cutDecoder.decode();
    if (rest !== '') this.#take(rest, 1, frames);
    this.#take('\n\n', 1, frames);
    return frames;
  }

  /**
   * A decoder that is told of more to come is much slower than one that is not, so whole pieces go to one of their own.
   */
  #decode(bytes: Uint8Array): string {
    const endsInAscii = bytes.length > 0 && bytes[bytes.length - 1]! < 0x80;
    if (endsInAscii && !this.#isCharacterOpen) return this.#wholeDecoder.decode(bytes);
    if (bytes.length > 0) this.#isCharacterOpen = !endsInAscii;
    return this.#cutDecoder.decode(bytes, { stream: true });
  }

  /** `width`: bytes per UTF-16 unit of this text, on average; a line's bytes are counted by it. */
  #take(text: string, width: number, frames: Frame[]): void {
    let start = 0;
    if (this.#isAtStart) {
      this.#isAtStart = false;
      if (text.charCodeAt(0) === BYTE_ORDER_MARK) start = 1;
    }
    if (this.#isAfterReturn && start < text.length) {
      this.#isAfterReturn = false;
      if (text.charCodeAt(start) === LINE_FEED) start += 1;
    }
    let feed = text.indexOf('\n', start);
    let carriageReturn = text.indexOf('\r', start);
    while (feed !== -1 || carriageReturn !== -1) {
      const endsWithReturn = carriageReturn !== -1 && (feed === -1 || carriageReturn < feed);
      const end = endsWithReturn ? carriageReturn : feed;
      this.#endLine(text, start, end, width, frames);
      start = end + 1;
      if (endsWithReturn) {
        if (start === text.length) this.#isAfterReturn = true;
        else if (feed === start) start += 1;
        carriageReturn = text.indexOf('\r', start);
      }
      if (feed !== -1 && feed < start) feed = text.indexOf('\n', start);
    }
    if (start < text.length) {
      this.#countLine((text.length - start) * width);
      this.#line += text.slice(start);
    }
  }

  #countLine(bytes: number): void {
    this.#lineBytes += bytes;
    if (this.#lineBytes > this.#limits.maxLineBytes) {
      throw new FrameLimitError(`a line of the stream is longer than ${this.#limits.maxLineBytes} bytes`);
    }
  }

  #endLine(text: string, start: number, end: number, width: number, frames: Frame[]): void {
    this.#countLine((end - start) * width);
    const lineBytes = this.#lineBytes;
    this.#lineBytes = 0;
    if (this.#line === '') {
      this.#readLine(text, start, end, lineBytes, frames);
    } else {
      const line = this.#line + text.slice(start, end);
      this.#line = '';
      this.#readLine(line, 0, line.length, lineBytes, frames);
    }
  }

  #readLine(text: string, start: number, end: number, lineBytes: number, frames: Frame[]): void {
    if (start === end) {
      this.#endFrame(frames);
      return;
    }
    if (text.charCodeAt(start) === COLON) return;
    this.hasSeenContent = true;
    if (isField('data', text, start, end)) {
      this.#eventBytes += lineBytes + COST_OF_A_DATA_LINE_BYTES;
      if (this.#eventBytes > this.#limits.maxEventBytes) {
        throw new FrameLimitError(`an event of the stream is longer than ${this.#limits.maxEventBytes} bytes`);
      }
      const value = valueAfter('data', text, start, end);
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    } else if (isField('type', text, start, end)) {
      // One without a value counts for nothing, so that it does not matter whether it stands before `event` or after.
      this.#type = valueAfter('type', text, start, end) || this.#type;
    } else if (isField('event', text, start, end)) {
      // Where both stand, `type` is the protocol's own word.
      if (this.#type === '') this.#type = valueAfter('event', text, start, end);
    } else if (isField('id', text, start, end)) {
      const id = valueAfter('id', text, start, end);
      if (!id.includes('\0')) this.#id = id;
    }
  }

  #endFrame(frames: Frame[]): void {
    if (this.#type !== '') {
      this.hasSeenFrame = true;
      const data = this.#data ?? '';
      frames.push(this.#id === undefined ? { type: this.#type, data } : { type: this.#type, data, id: this.#id });
    }
    this.#type = '';
    this.#id = undefined;
    this.#data = undefined;
    this.#eventBytes = 0;
  }
}

/** A field's name ends at the colon, or with the line when it has none. */
function isField(name: string, text: string, start: number, end: number): boolean {
  const after = start + name.length;
  return (after === end || (after < end && text.charCodeAt(after) === COLON)) && text.startsWith(name, start);
}

/** What stands behind the colon, without the one space that may follow it. */
function valueAfter(name: string, text: string, start: number, end: number): string {
  const value = start + name.length + 1;
  return text.slice(text.charCodeAt(value) === SPACE ? value + 1 : value, Math.max(value, end));
}
