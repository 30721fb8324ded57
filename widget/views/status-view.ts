import { html, nothing, type TemplateResult } from 'lit';
import type { Conversation } from '../conversation.ts';
import { fill, type Labels } from '../labels.ts';
import { problemSentence } from './problem-sentence.ts';
import { durationText } from './time-texts.ts';

/** A visitor is warned this long before his conversation ends. */
const EXPIRY_WARNING_MS = 5 * 60_000;

export interface StatusActions {
  onTryAgain(): void;
  onResume(): void;
  onStartNew(): void;
}

export interface Status {
  readonly text: string;
  readonly tone: 'quiet' | 'warning' | 'problem';
  readonly explanation?: string;
  readonly button?: { readonly label: string; readonly onClick: () => void };
}

/** The one thing about the conversation that matters most now; nothing while all is well. */
export function statusOf(
  conversation: Conversation,
  nowMs: number,
  { labels, language, actions }: { labels: Labels; language: string; actions: StatusActions },
): Status | undefined {
  const { session, line, busyUntilMs } = conversation;
  if (session.type === 'failed') {
    const text = problemSentence(session.problem, labels);
    const waitMs = (busyUntilMs ?? 0) - nowMs;
    if (waitMs > 0) {
      return { text, tone: 'problem', explanation: fill(labels.wait, { time: durationText(waitMs, language) }) };
    }
    return { text, tone: 'problem', button: { label: labels.tryAgain, onClick: actions.onTryAgain } };
  }
  if (session.type === 'ended') {
    return {
      text: session.reason === 'expired' ? labels.expired : labels.ended,
      tone: 'warning',
      explanation: labels.startNewText,
      button: { label: labels.startNew, onClick: actions.onStartNew },
    };
  }
  if (line === 'lost') {
    return { text: labels.lost, tone: 'problem', button: { label: labels.tryAgain, onClick: actions.onResume } };
  }
  if (line === 'offline') return { text: labels.offline, tone: 'warning' };
  if (line === 'resuming') return { text: labels.resuming, tone: 'quiet' };
  if (busyUntilMs !== undefined && busyUntilMs > nowMs) {
    return { text: fill(labels.wait, { time: durationText(busyUntilMs - nowMs, language) }), tone: 'warning' };
  }
  if (session.type === 'starting') return { text: labels.starting, tone: 'quiet' };
  const leftMs = session.type === 'open' ? session.expiresAtMs - nowMs : Number.POSITIVE_INFINITY;
  if (leftMs > 0 && leftMs <= EXPIRY_WARNING_MS) {
    return { text: fill(labels.expiresSoon, { time: durationText(leftMs, language) }), tone: 'quiet' };
  }
  return undefined;
}

export function statusView(status: Status | undefined): TemplateResult | typeof nothing {
  if (!status) return nothing;
  const { text, tone, explanation, button } = status;
  return html`<div class="status ${tone}" part="status">
    <div>
      <span>${text}</span>
      ${explanation ? html`<small>${explanation}</small>` : nothing}
    </div>
    ${button ? html`<button class="plain" part="status-button" @click=${button.onClick}>${button.label}</button>` : nothing}
  </div>`;
}

/** Milliseconds until the status can read differently without any event; undefined: never. */
export function statusChangesInMs(conversation: Conversation, nowMs: number): number | undefined {
  const { session, busyUntilMs } = conversation;
  if (busyUntilMs !== undefined && busyUntilMs > nowMs) return Math.min(1000, busyUntilMs - nowMs + 1);
  if (session.type !== 'open') return undefined;
  const leftMs = session.expiresAtMs - nowMs;
  if (leftMs <= 0) return undefined;
  if (leftMs > EXPIRY_WARNING_MS) return leftMs - EXPIRY_WARNING_MS;
  return leftMs > 60_000 ? 10_000 : 1000;
}
