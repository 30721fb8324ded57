import { html, nothing, type TemplateResult } from 'lit';
import { fill, type Labels } from '../labels.ts';
import { iconButton } from './icon-button.ts';
import { ICONS } from './icons.ts';

/** The counter appears when this share of the limit is used. */
const COUNTER_FROM = 0.9;
/** A second click this soon after a sending one belongs to a double click: it must not stop what the first one began. */
const DOUBLE_CLICK_MS = 400;

export interface ComposerState {
  readonly labels: Labels;
  readonly placeholder: string;
  /** Characters (UTF-16 units) that a message may have. */
  readonly maxLength: number;
  readonly isTurnRunning: boolean;
  /** Writing is possible, sending is not: no session, no line, or the relay asked to wait. */
  readonly isSendingBlocked: boolean;
  /** Neither writing nor sending: the conversation has ended. The draft stays visible. */
  readonly isOff: boolean;
}

/**
 * Where the visitor writes. The text stands in one `<textarea>` that lives as long as the element: drafts outlast closing the
 * panel, an ended session and a failed sending.
 *
 * Enter sends and Shift+Enter breaks the line; where the pointer is coarse, so that there is no Shift key at hand, it is the
 * other way round. Enter that ends the work of an input method does nothing: most browsers say so by `isComposing`; Safari ends
 * the composition first and then reports the key, with the code 229.
 */
export class Composer {
  readonly input = document.createElement('textarea');
  readonly #send: (text: string) => boolean;
  readonly #stop: () => void;
  readonly #changed: () => void;
  #sentByClickAt = Number.NEGATIVE_INFINITY;
  #isCompositionJustOver = false;
  #state: ComposerState | undefined;

  constructor(calls: { send: (text: string) => boolean; stop: () => void; changed: () => void }) {
    this.#send = calls.send;
    this.#stop = calls.stop;
    this.#changed = calls.changed;
    this.input.rows = 1;
    this.input.part.add('input');
    this.input.dir = 'auto';
    this.input.addEventListener('keydown', (event) => this.#onKey(event));
    this.input.addEventListener('compositionend', () => this.#onCompositionEnd());
    this.input.addEventListener('input', () => {
      this.#grow();
      this.#changed();
    });
  }

  view(state: ComposerState): TemplateResult {
    this.#state = state;
    const { labels, maxLength, isOff } = state;
    const length = this.input.value.length;
    const isCounterShown = length > maxLength * COUNTER_FROM;
    this.input.placeholder = state.placeholder || labels.placeholder;
    this.input.ariaLabel = labels.message;
    this.input.enterKeyHint = isPointerCoarse() ? 'enter' : 'send';
    this.input.disabled = isOff;
    this.input.ariaInvalid = length > maxLength ? 'true' : null;
    return html`<div class="composer ${isOff ? 'off' : ''}" part="composer">
      ${this.input}
      ${
        isCounterShown
          ? html`<span class="counter ${length > maxLength ? 'over' : ''}" part="counter"
              >${fill(labels.counter, { count: length, limit: maxLength })}</span
            >`
          : nothing
      }
      ${
        state.isTurnRunning
          ? iconButton({
              icon: ICONS.stop,
              label: labels.stop,
              part: 'stop-button',
              look: 'filled stop',
              onClick: (event) => this.#onStopClick(event),
            })
          : iconButton({
              icon: ICONS.send,
              label: labels.send,
              part: 'send-button',
              look: 'filled',
              isDisabled: !this.#canSend(),
              onClick: (event) => this.#onSendClick(event),
            })
      }
    </div>`;
  }

  /** Begins a message for the visitor, who has written nothing yet; otherwise it does nothing. */
  offer(draft: string): void {
    if (this.input.value) return;
    this.input.value = draft;
    this.#grow();
    this.#changed();
  }

  /** Makes the field as high as its text where the style sheet cannot (`field-sizing`); the style sheet sets the limit. */
  #grow(): void {
    if (CSS.supports('field-sizing', 'content')) return;
    this.input.style.height = 'auto';
    if (this.input.scrollHeight > 0) this.input.style.height = `${this.input.scrollHeight}px`;
  }

  #canSend(): boolean {
    const state = this.#state;
    const text = this.input.value;
    if (!state || state.isOff || state.isSendingBlocked || state.isTurnRunning) return false;
    return text.trim() !== '' && text.length <= state.maxLength;
  }

  #submit(): void {
    if (!this.#canSend() || !this.#send(this.input.value)) return;
    this.input.value = '';
    this.#grow();
    this.#changed();
  }

  #onSendClick(event: MouseEvent): void {
    // A key that is held down on the button repeats the click: with the focus in the field the repeats do nothing.
    if (!isPointerCoarse()) this.input.focus();
    this.#sentByClickAt = event.timeStamp;
    this.#submit();
  }

  #onStopClick(event: MouseEvent): void {
    const isPointer = event.detail > 0;
    if (isPointer && event.timeStamp - this.#sentByClickAt < DOUBLE_CLICK_MS) return;
    this.#stop();
    this.input.focus();
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.isComposing || event.keyCode === 229 || this.#isCompositionJustOver) return;
    const isSending = event.ctrlKey || event.metaKey || event.shiftKey === isPointerCoarse();
    if (!isSending || event.altKey) return;
    event.preventDefault();
    if (!event.repeat) this.#submit();
  }

  #onCompositionEnd(): void {
    this.#isCompositionJustOver = true;
    setTimeout(() => {
      this.#isCompositionJustOver = false;
    });
  }
}

function isPointerCoarse(): boolean {
  return matchMedia('(pointer: coarse)').matches;
}
