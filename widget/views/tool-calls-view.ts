import { html, nothing, type TemplateResult } from 'lit';
import type { ToolCall } from '../conversation.ts';
import { fill, type LabelKey, type Labels } from '../labels.ts';
import { ICONS } from './icons.ts';
import type { ViewContext } from './view-context.ts';

const LABEL_OF_STATUS = {
  running: 'toolRunning',
  done: 'toolDone',
  failed: 'toolFailed',
  unanswered: 'toolUnanswered',
} as const satisfies Record<ToolCall['status'], LabelKey>;

/** One line for each tool call; its arguments and its result are folded away. */
export function toolCallsView(toolCalls: readonly ToolCall[], context: ViewContext): TemplateResult | typeof nothing {
  if (context.toolCalls === 'none' || toolCalls.length === 0) return nothing;
  return html`<ul>
    ${toolCalls.map((call) => html`<li part="tool-call" class=${call.status}>${toolCallView(call, context)}</li>`)}
  </ul>`;
}

function toolCallView(call: ToolCall, { labels, toolCalls }: ViewContext): TemplateResult {
  const line = html`${ICONS[call.status]}<bdi>${fill(labels[LABEL_OF_STATUS[call.status]], { tool: call.name || labels.tool })}</bdi>`;
  const hasDetails = toolCalls === 'full' && (call.input !== undefined || call.result !== undefined);
  if (!hasDetails) return html`<div class="tool">${line}</div>`;
  return html`<details @toggle=${(event: Event) => fillDetails(event.currentTarget as HTMLDetailsElement, call, labels)}>
    <summary class="tool">${line}</summary>
    <dl></dl>
  </details>`;
}

/**
 * The details are made when they are unfolded, so that arguments of any size are parsed once and only for a reader who asks.
 */
function fillDetails(details: HTMLDetailsElement, call: ToolCall, labels: Labels): void {
  if (!details.open) return;
  const list = details.querySelector('dl') as HTMLElement;
  list.replaceChildren();
  for (const [label, json] of [
    [labels.toolInput, call.input],
    [labels.toolResult, call.result],
  ] as const) {
    if (json === undefined) continue;
    const term = document.createElement('dt');
    term.textContent = label;
    const text = document.createElement('pre');
    text.textContent = indented(json);
    text.tabIndex = 0;
    const value = document.createElement('dd');
    value.append(text);
    list.append(term, value);
  }
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    // A tool may answer with text that is not JSON: it is shown as it came.
    return json;
  }
}
