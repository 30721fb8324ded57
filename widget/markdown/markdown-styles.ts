import { css } from 'lit';

/**
 * How the text of an answer looks: what stands in an element with the class `text`. The names with `--_` are the theme's; every
 * element is also a part (`markdown-parts.ts`). Nothing leaves its place or becomes wider than its container.
 */
export const markdownStyles = css`
  .text {
    overflow-wrap: anywhere;
  }
  /* Where the part that draws markdown could not be loaded. */
  .plain-text {
    white-space: pre-wrap;
  }
  .text :is(p, h1, h2, h3, h4, h5, h6, ul, ol, blockquote, hr, div) {
    margin: 0 0 0.75em;
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
  .text :is(p, li, th, td) {
    unicode-bidi: plaintext;
    text-align: start;
  }
  .text :is(ul, ol) {
    padding-inline-start: 1.6em;
  }
  /* Each level of a deep list would take its indent from the text: from the sixth on there is none. */
  .text li li li li li :is(ul, ol),
  .text blockquote blockquote blockquote blockquote blockquote {
    padding-inline-start: 0;
  }
  .text li + li {
    margin-top: 0.3em;
  }
  .text .md-tight p,
  .text li > .md-tight,
  .text :is(li, blockquote) > :last-child,
  .text > :last-child {
    margin-bottom: 0;
  }
  .text .md-task {
    list-style: none;
  }
  .text .md-task input {
    margin-inline: -1.5em 0.4em;
    vertical-align: -0.1em;
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
    unicode-bidi: isolate;
  }
  .text [part='md-host'] {
    color: var(--_muted);
    font-size: 0.87em;
  }
  .text img {
    max-width: 100%;
    height: auto;
    border-radius: 8px;
  }
  .text code {
    padding: 0.1em 0.3em;
    border-radius: 4px;
    background: var(--_code);
    font: 0.9em var(--_code-font);
    direction: ltr;
    unicode-bidi: isolate;
  }
  .text [part='md-code-block'] {
    border-radius: var(--_control-radius);
    background: var(--_code);
    direction: ltr;
  }
  .text [part='md-code-bar'] {
    display: flex;
    justify-content: space-between;
    align-items: center;
    margin: 0;
    padding-inline-start: 14px;
    font-size: 12.5px;
    color: var(--_muted);
  }
  .text [part='md-copy'] {
    min-height: 44px;
    padding: 0 14px;
    border-radius: var(--_control-radius);
  }
  .text pre {
    margin: 0;
    padding: 2px 14px 12px;
    line-height: 1.5;
    overflow-x: auto;
    white-space: pre;
    overflow-wrap: normal;
    tab-size: 4;
  }
  .text pre code {
    padding: 0;
    background: none;
  }
  .text [part='md-table-scroll'] {
    overflow-x: auto;
  }
  .text table {
    border-collapse: collapse;
    overflow-wrap: normal;
  }
  .text :is(th, td) {
    padding: 6px 10px;
    border-bottom: 1px solid var(--_line);
    vertical-align: top;
  }
  .text th {
    font-weight: 600;
    border-color: var(--_control-line);
  }
  .text :is(th, td):first-child {
    padding-inline-start: 0;
  }
  .text input {
    accent-color: var(--_accent);
  }
  .text [align='center'] {
    text-align: center;
  }
  .text [align='right'] {
    text-align: end;
  }
  .text [part='md-copy']:focus-visible,
  .text pre:focus-visible,
  .text [part='md-table-scroll']:focus-visible {
    outline: 2px solid var(--_accent-text);
  }
`;
