import { css } from 'lit';

/** The transcript: entries, tool calls, the text of an answer and what stands below it. */
export const transcript = css`
  .frame {
    position: relative;
    flex: 1;
    min-height: 0;
    display: flex;
  }
  .transcript {
    flex: 1;
    min-width: 0;
    overflow: hidden auto;
    overscroll-behavior: contain;
    overflow-anchor: none;
    scrollbar-width: thin;
    scrollbar-color: var(--_control-line) transparent;
  }
  .transcript:focus-visible {
    outline-offset: -2px;
  }
  .content {
    max-width: var(--parley-content-width, 760px);
    min-height: 100%;
    margin: 0 auto;
    padding: var(--_gap);
    display: flex;
    flex-direction: column;
  }
  .entry {
    margin-bottom: calc(var(--_gap) * 1.25);
    overflow-wrap: anywhere;
  }
  .question {
    margin-inline-start: 15%;
    display: flex;
    flex-direction: column;
    align-items: flex-end;
  }
  .question .bubble-text {
    max-width: 100%;
    padding: 9px 15px;
    border: 1px solid color-mix(in oklab, var(--_accent) 22%, transparent);
    border-radius: var(--_bubble-radius);
    border-end-end-radius: 6px;
    background: var(--_question);
    color: var(--_question-text);
    white-space: pre-wrap;
  }
  .answer,
  .greeting {
    background: var(--_answer);
    color: var(--_answer-text);
  }
  time {
    font-size: 12px;
    color: var(--_muted);
  }
  .question time {
    margin: 3px 4px 0;
  }
  .notice {
    display: flex;
    align-items: center;
    gap: 12px;
    font-size: 13px;
    color: var(--_muted);
    text-align: center;
  }
  .notice::before,
  .notice::after {
    content: '';
    flex: 1;
    border-top: 1px solid var(--_line);
  }
  .steps ul {
    margin: 0 0 8px;
    padding: 0;
    list-style: none;
  }
  .tool {
    display: flex;
    align-items: center;
    gap: 8px;
    min-height: 28px;
    font-size: 13.5px;
    color: var(--_muted);
  }
  .tool svg {
    width: 16px;
    height: 16px;
  }
  .done > .tool svg,
  .done > details > .tool svg {
    color: var(--_success);
  }
  .failed > .tool svg,
  .failed > details > .tool svg {
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
  summary.tool {
    min-height: 44px;
    cursor: pointer;
    list-style: none;
    border-radius: 8px;
  }
  summary.tool::-webkit-details-marker {
    display: none;
  }
  summary.tool::after {
    content: '';
    width: 7px;
    height: 7px;
    border: solid currentColor;
    border-width: 0 1.5px 1.5px 0;
    rotate: 45deg;
    margin-bottom: 3px;
  }
  dl {
    margin: 0 0 10px;
  }
  dt {
    font-size: 12px;
    color: var(--_muted);
  }
  dd {
    margin: 0 0 8px;
  }
  dd pre {
    max-height: 240px;
    margin: 2px 0 0;
    padding: 10px 12px;
    overflow: auto;
    direction: ltr;
    text-align: left;
    font: 13px / 1.5 var(--_code-font);
    background: var(--_code);
    border: 1px solid var(--_line);
    border-radius: var(--_control-radius);
  }
  .text p {
    margin: 0 0 0.75em;
    white-space: pre-wrap;
  }
  .text > :last-child {
    margin-bottom: 0;
  }
  .thinking {
    display: flex;
    align-items: center;
    gap: 10px;
    min-height: 28px;
    font-size: 14px;
    color: var(--_muted);
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
    animation: pulse 1.2s infinite both;
  }
  .dots i:nth-child(2) {
    animation-delay: 0.16s;
  }
  .dots i:nth-child(3) {
    animation-delay: 0.32s;
  }
  @keyframes pulse {
    0%,
    70%,
    100% {
      opacity: 0.3;
    }
    35% {
      opacity: 1;
    }
  }
  .end {
    margin-top: 8px;
    font-size: 14px;
    color: var(--_muted);
  }
  .end.problem {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px 10px;
    padding: 8px 8px 8px 12px;
    border: 1px solid var(--_line);
    border-radius: var(--_control-radius);
    background: var(--_raised);
    color: var(--_problem);
  }
  .end.problem > div {
    flex: 1;
    min-width: 60%;
    line-height: 1.4;
  }
  .tools {
    display: flex;
    align-items: center;
    margin-inline-start: -13px;
    color: var(--_muted);
  }
  .tools .outcome {
    font-size: 12.5px;
    margin-inline-end: 8px;
  }
  .tools time {
    margin-inline-start: auto;
  }
  .feedback {
    display: flex;
  }
  .copy svg:nth-child(2),
  .copied svg:nth-child(1) {
    display: none;
  }
  .copied svg:nth-child(2) {
    display: block;
    color: var(--_success);
  }
  .bad svg {
    transform: rotate(180deg);
  }
  [aria-pressed='true'],
  [aria-pressed='true']:hover {
    color: var(--_accent-text);
  }
  [aria-pressed='true'] svg {
    fill: currentColor;
    fill-opacity: 0.2;
  }
  .starters {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    margin: auto 0 0;
    padding: 0;
    list-style: none;
  }
  .starters button {
    min-height: 44px;
    padding: 8px 16px;
    border-color: var(--_control-line);
    border-radius: 22px;
    font-size: 14px;
    line-height: 1.4;
    text-align: start;
    transition: background-color 0.15s;
  }
  .starters button:hover {
    background: var(--_raised);
  }
  .newest {
    position: absolute;
    bottom: 10px;
    left: 50%;
    translate: -50% 0;
    border-color: var(--_line);
    border-radius: 50%;
    background: var(--_surface);
    color: var(--_text);
    box-shadow: 0 4px 14px #10182833;
  }
`;
