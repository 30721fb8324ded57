import { html, type TemplateResult } from 'lit';
import type { Notice, Question } from '../conversation.ts';
import { fill, type Labels } from '../labels.ts';
import { clockText } from './time-texts.ts';
import type { ViewContext } from './view-context.ts';

export function questionView(question: Question, { labels, language }: ViewContext): TemplateResult {
  const text = question.isContinuation ? labels.continued : question.text;
  return html`<span class="hidden">${labels.you}: </span>
    <div class="bubble-text" part="question-text" dir="auto">${text}</div>
    ${timeView(question.sentAtMs, language)}`;
}

export function noticeView(notice: Notice, { labels }: ViewContext): TemplateResult {
  return html`<span part="notice-text" dir="auto">${noticeText(notice, labels)}</span>`;
}

function noticeText(notice: Notice, labels: Labels): string {
  switch (notice.notice) {
    case 'history-gone':
      return labels.historyGone;
    case 'domain-changed':
      return fill(labels.domainChanged, { domain: notice.detail ?? '' });
    case 'session-ended':
      return labels.ended;
  }
}

export function timeView(unixMs: number, language: string): TemplateResult {
  return html`<time part="time" datetime=${new Date(unixMs).toISOString()}>${clockText(unixMs, language)}</time>`;
}
