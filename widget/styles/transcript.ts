import { css } from 'lit';

/** The transcript: entries, tool calls, the text of an answer and what stands below it. */
export const transcript = css`
  .frame {
    position: relative;
    flex: 1;
    min-height: 0;
  }
  .transcript {
    height: 100%;
    overflow: hidden auto;
    overscroll-behavior: contain;
    overflow-anchor: none;
    scrollbar-width: thin;
    scrollbar-color: var(--_control-line) transparent;
    outline-offset: -2px;
  }
  .content {
    display: flex;
    flex-direction: column;
    max-width: var(--_content);
    min-height: 100%;
    margin: 0 auto;
    padding: var(--_gap);
  }
  .entry {
    margin-bottom: 20px;
    overflow-wrap: anywhere;
  }
  .question {
    display: flex;
    flex-direction: column;
    align-items: flex-end;
    margin-inline-start: 15%;
  }
  .bubble-text {
    max-width: 100%;
    padding: 9px 15px;
    border: 1px solid color-mix(in oklab, var(--_accent) 22%, transparent);
    border-radius: var(--parley-question-radius, 18px);
    border-end-end-radius: 6px;
    background: var(--parley-question-background, color-mix(in oklab, var(--_accent) 13%, var(--_surface)));
    color: var(--parley-question-color, var(--_text));
    white-space: pre-wrap;
  }
  .answer,
  .greeting {
    background: var(--parley-answer-background, transparent);
    color: var(--parley-answer-color, var(--_text));
  }
  .tools,
  .tool,
  .thinking,
  .notice,
  .end,
  time {
    font-size: 13px;
    color: var(--_muted);
  }
  .question time {
    margin: 3px 4px 0;
  }
  .notice {
    text-align: center;
  }
  .steps ul {
    margin: 0 0 8px;
    padding: 0;
    list-style: none;
  }
  .tools,
  .tool,
  .thinking,
  .end {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px;
    min-height: 28px;
  }
  .tool svg {
    width: 16px;
    height: 16px;
  }
  .done svg {
    color: var(--_success);
  }
  .failed svg {
    color: var(--_problem);
  }
  .running svg {
    animation: turn 1s linear infinite;
  }
  @keyframes turn {
    to {
      rotate: 1turn;
    }
  }
  summary {
    min-height: 44px !important;
    cursor: pointer;
    list-style: none;
  }
  summary::after {
    content: '';
    width: 7px;
    height: 7px;
    border: solid;
    border-width: 0 1.5px 1.5px 0;
    rotate: 45deg;
  }
  details pre {
    max-height: 240px;
    margin: 2px 0 10px;
    padding: 10px 12px;
    overflow: auto;
    direction: ltr;
    font: 13px / 1.5 var(--_code-font);
    background: var(--_code);
    border-radius: var(--_control-radius);
  }
  .dots {
    display: flex;
    gap: 4px;
  }
  .dots i {
    width: 6px;
    height: 6px;
    border-radius: 50%;
    background: currentColor;
    animation: pulse 0.6s infinite alternate both;
  }
  .dots i:nth-child(2) {
    animation-delay: 0.2s;
  }
  .dots i:nth-child(3) {
    animation-delay: 0.4s;
  }
  @keyframes pulse {
    from {
      opacity: 0.3;
    }
  }
  .end {
    margin-top: 8px;
  }
  .end.problem {
    padding: 8px 8px 8px 12px;
    border-radius: var(--_control-radius);
    background: var(--_raised);
    color: var(--_problem);
  }
  .problem > div {
    flex: 1;
    min-width: 50%;
  }
  .tools {
    margin-inline-start: -13px;
    gap: 0;
  }
  .tools time {
    margin-inline-start: auto;
  }
  .bad svg {
    rotate: 180deg;
  }
  [aria-pressed='true'] {
    color: var(--_accent-text);
  }
  [aria-pressed='true'] svg {
    fill: color-mix(in srgb, currentColor 20%, transparent);
  }
  .starters {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    margin: auto 0 0;
    padding: 0;
    list-style: none;
  }
  .starters li > button {
    padding: 8px 16px;
    border-color: var(--_control-line);
    border-radius: 22px;
    font-size: 14px;
  }
  .newest {
    position: absolute;
    bottom: 10px;
    left: calc(50% - 22px);
    border-radius: 50%;
    background: var(--_surface);
    color: var(--_text);
    box-shadow: var(--_shadow);
  }
`;
