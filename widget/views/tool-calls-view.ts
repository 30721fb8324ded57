import { html, nothing, render, type TemplateResult } from 'lit';
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
export function toolCallsView(calls: readonly ToolCall[], context: ViewContext): TemplateResult | typeof nothing {
  if (context.toolCalls === 'none' || calls.length === 0) return nothing;
  return html`<ul>
    ${calls.map((call) => html`<li part="tool-call" class=${call.status}>${toolCallView(call, context)}</li>`)}
  </ul>`;
}

function toolCallView(call: ToolCall, { labels, toolCalls }: ViewContext): TemplateResult {
  const words = fill(labels[LABEL_OF_STATUS[call.status]], { tool: call.name || labels.tool });
  const line = html`${ICONS[call.status]}<bdi>${words}</bdi>`;
  const hasDetails = toolCalls === 'full' && (call.input ?? call.result) !== undefined;
  if (!hasDetails) return html`<div class="tool">${line}</div>`;
  // The details are made when they are unfolded: arguments of any size are parsed only for a reader who asks.
  const onToggle = ({ target }: Event) => {
    const details = target as HTMLDetailsElement;
    render(details.open ? detailsView(call, labels) : nothing, details.lastElementChild as HTMLElement);
  };
  return html`<details @toggle=${onToggle}>
    <summary class="tool">${line}</summary>
    <div></div>
  </details>`;
}

function detailsView({ input, result }: ToolCall, labels: Labels): TemplateResult {
  const row = (label: string, json: string | undefined) =>
    json === undefined ? nothing : html`<small>${label}</small><pre tabindex="0">${indented(json)}</pre>`;
  return html`${row(labels.toolInput, input)}${row(labels.toolResult, result)}`;
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    // A tool may answer with text that is not JSON: it is shown as it came.
    return json;
  }
}
