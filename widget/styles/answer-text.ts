import { css } from 'lit';

/** The text of an answer: every element that the markdown view draws. */
export const answerText = css`
  .plain-text {
    white-space: pre-wrap;
  }
  .text :is(p, ul, ol, blockquote, hr, h1, h2, h3, h4, h5, h6, [part~='md-table-scroll'], [part~='md-code-block']) {
    margin: 0 0 0.7em;
  }
  .text :is(h1, h2, h3, h4, h5, h6) {
    font: 650 1.05em / 1.35 var(--_font);
  }
  .text h1 {
    font-size: 1.3em;
  }
  .text h2 {
    font-size: 1.18em;
  }
  .text * + :is(h1, h2, h3, h4, h5, h6) {
    margin-top: 1.2em;
  }
  .text :last-child,
  .text .md-tight > li > p {
    margin-bottom: 0;
  }
  .text :is(ul, ol) {
    padding-inline-start: 1.5em;
  }
  .text li {
    margin: 0.2em 0;
  }
  .text li:has(> input, > p > input) {
    list-style: none;
  }
  .text blockquote {
    padding-inline-start: 0.9em;
    border-inline-start: 3px solid var(--_line);
    color: var(--_muted);
  }
  .text hr {
    border: 0;
    border-top: 1px solid var(--_line);
  }
  .text a {
    color: var(--_accent-text);
    text-underline-offset: 0.15em;
  }
  .text img {
    max-width: 100%;
    height: auto;
    border-radius: 8px;
  }
  [part~='md-host'] {
    color: var(--_muted);
    font-size: 0.87em;
  }
  .text code {
    padding: 0.1em 0.3em;
    border-radius: 5px;
    background: var(--_code);
    font: 0.9em var(--_code-font);
  }
  [part~='md-code-block'] {
    border-radius: var(--_control-radius);
    background: var(--_code);
  }
  [part~='md-code-bar'] {
    display: flex;
    align-items: center;
    justify-content: space-between;
    padding-inline-start: 14px;
    font-size: 12.5px;
    color: var(--_muted);
  }
  [part~='md-copy'] {
    min-height: 44px;
    padding: 0 14px;
    border-radius: var(--_control-radius);
  }
  .text pre {
    margin: 0;
    padding: 2px 14px 12px;
    overflow-x: auto;
    line-height: 1.5;
  }
  .text pre code {
    padding: 0;
    background: none;
  }
  [part~='md-table-scroll'] {
    overflow-x: auto;
  }
  .text table {
    border-collapse: collapse;
    overflow-wrap: normal;
  }
  .text :is(th, td) {
    padding: 6px 10px;
    border-bottom: 1px solid var(--_line);
  }
  .text th {
    font-weight: 600;
    border-color: var(--_control-line);
  }
  .text th:not([align]) {
    text-align: start;
  }
  .text :is(th, td):first-child {
    padding-inline-start: 0;
  }
  .text input {
    margin: 0 0.4em 0 0;
    accent-color: var(--_accent);
  }
`;
