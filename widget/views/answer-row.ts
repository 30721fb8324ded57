import { html, nothing, render, type TemplateResult } from 'lit';
import { type Answer, isRunning } from '../conversation.ts';
import { fill } from '../labels.ts';
import type { FeedbackValue } from '../parley-chat-events.ts';
import { AnswerText } from './answer-text.ts';
import { copyButton } from './copy-button.ts';
import { feedbackView } from './feedback-view.ts';
import { ICONS } from './icons.ts';
import { timeView } from './message-views.ts';
import { problemSentence } from './problem-sentence.ts';
import { toolCallsView } from './tool-calls-view.ts';
import type { ViewContext } from './view-context.ts';

/**
 * One answer of the transcript. While text streams in, only its renderer works; the templates around it are drawn again
 * when a tool call, the status or the thinking line changes.
 */
export class AnswerRow {
  readonly element = document.createElement('div');
  readonly #steps = document.createElement('div');
  readonly #foot = document.createElement('div');
  readonly #text: AnswerText;
  #feedback: FeedbackValue = 'none';
  #answer: Answer | undefined;
  #context: ViewContext;

  constructor(context: ViewContext) {
    this.#context = context;
    this.#text = new AnswerText('answer-text', () => this.#context);
    this.#steps.className = 'steps';
    this.element.append(this.#steps, this.#text.element, this.#foot);
  }

  update(answer: Answer, context: ViewContext): void {
    const before = this.#answer;
    const isNewContext = this.#context !== context || !before;
    this.#answer = answer;
    this.#context = context;
    this.#drawText(answer, before);
    if (isNewContext || before.toolCalls !== answer.toolCalls) {
      render(toolCallsView(answer.toolCalls, context), this.#steps);
    }
    if (isNewContext || footChanged(before, answer)) this.#drawFoot(answer, context);
  }

  #drawText(answer: Answer, before: Answer | undefined): void {
    if (before?.text !== answer.text) this.#text.setText(answer.text);
    if (!isRunning(answer) && (!before || isRunning(before) || before.text !== answer.text)) this.#text.finish();
  }

  #judge(value: FeedbackValue): void {
    const answer = this.#answer as Answer;
    const context = this.#context;
    this.#feedback = value;
    context.onFeedback(answer.id, value);
    this.#drawFoot(answer, context);
  }

  #drawFoot(answer: Answer, context: ViewContext): void {
    render(this.#footView(answer, context), this.#foot);
  }

  #footView(answer: Answer, context: ViewContext): TemplateResult {
    if (isRunning(answer)) return thinkingView(answer, context);
    return html`${endView(answer, context)}
      <div class="tools" part="answer-actions">
        ${answer.text ? copyButton(answer.text, context) : nothing}
        ${answer.status === 'complete' ? feedbackView(this.#feedback, context.labels, (value) => this.#judge(value)) : nothing}
        ${timeView(answer.endedAtMs ?? answer.startedAtMs, context.language)}
      </div>`;
  }
}

function footChanged(before: Answer, answer: Answer): boolean {
  return (
    before.status !== answer.status ||
    before.thinking !== answer.thinking ||
    before.problem !== answer.problem ||
    before.endedAtMs !== answer.endedAtMs ||
    (before.text === '') !== (answer.text === '') ||
    (!isRunning(answer) && before.text !== answer.text)
  );
}

/** What the host says that it is doing; three dots alone while its text flows. */
function thinkingView(answer: Answer, { labels }: ViewContext): TemplateResult {
  const text = answer.thinking ?? (answer.text ? '' : labels.thinking);
  return html`<div class="thinking" part="thinking">
    <i class="dots" aria-hidden="true"><i></i><i></i><i></i></i><bdi>${text}</bdi>
  </div>`;
}

function endView(answer: Answer, { labels, actions }: ViewContext): TemplateResult | typeof nothing {
  switch (answer.status) {
    case 'waiting':
    case 'writing':
    case 'complete':
      return nothing;
    case 'stopped':
      return html`<div class="end" part="answer-end">${labels.stopped}</div>`;
    case 'incomplete':
    case 'failed': {
      const { problem } = answer;
      const sentence = problem ? problemSentence(problem, labels) : labels.incomplete;
      return html`<div class="end problem" part="problem">
        ${ICONS.failed}
        <div>
          <span>${sentence}</span>
          ${problem?.requestId ? html`<small>${fill(labels.reference, { id: problem.requestId })}</small>` : nothing}
        </div>
        <button class="plain" part="send-again-button" @click=${() => actions.sendAgain(answer.id)}>
          ${labels.sendAgain}
        </button>
      </div>`;
    }
  }
}
