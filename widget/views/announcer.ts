import { type Answer, isRunning } from '../conversation.ts';
import type { Labels } from '../labels.ts';
import { problemSentence } from './problem-sentence.ts';
import { speakableText } from './speakable-text.ts';

/** `final`: an answer is read when it has ended. `sentences`: sentence by sentence as it comes. `off`: never. */
export type Speak = 'final' | 'sentences' | 'off';

/** A text that was announced leaves the page again, so that nobody finds the answer twice while reading along. */
const CLEARED_AFTER_MS = 10_000;

/**
 * Tells a screen reader what is new, through one polite live region outside the transcript. The transcript itself is not
 * live: a region that grows chunk by chunk is read letter by letter, or again and again from its start.
 */
export class Announcer {
  readonly element = document.createElement('div');
  #answerId: string | undefined;
  #spokenLength = 0;
  #isOver = true;
  #clearing: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.element.className = 'hidden';
    this.element.role = 'status';
    this.element.ariaLive = 'polite';
  }

  /** Call it with the newest answer after each change. Answers that had ended before this page saw them run are not read. */
  hear(answer: Answer, speak: Speak, labels: Labels): void {
    if (answer.id !== this.#answerId) {
      this.#answerId = answer.id;
      this.#spokenLength = 0;
      this.#isOver = !isRunning(answer);
    }
    if (this.#isOver || speak === 'off') return;
    this.#isOver = !isRunning(answer);
    if (!this.#isOver && speak !== 'sentences') return;
    const end = this.#isOver ? answer.text.length : endOfLastSentence(answer.text);
    const news = speakableText(answer.text.slice(this.#spokenLength, end));
    this.#spokenLength = end;
    const problem = this.#isOver && answer.problem ? problemSentence(answer.problem, labels) : '';
    this.say(`${news} ${problem}`.trim());
  }

  say(text: string): void {
    if (!text) return;
    this.element.textContent = text;
    clearTimeout(this.#clearing);
    this.#clearing = setTimeout(() => this.element.replaceChildren(), CLEARED_AFTER_MS);
  }
}

/** Where the last whole sentence or line of a text ends that may go on. */
function endOfLastSentence(text: string): number {
  let end = 0;
  for (const match of text.matchAll(/[.!?…](?=\s)|[。！？]|\n/g)) end = match.index + match[0].length;
  return end;
}
