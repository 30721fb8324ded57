import { css } from 'lit';

/**
 * How the text of an answer looks: what stands in an element with the class `text`. The names with `--_` are the theme's; every
 * element is also a part (`markdown-parts.ts`). Nothing leaves its place or becomes wider than its container.
 */
export const markdownStyles = css`
  .text {
    overflow-wrap: anywhere;
  }
  .text :is(p, h1, h2, h3, h4, h5, h6, ul, ol, blockquote, hr, div) {
    margin: 0 0 0.75em;
  }
  .text :is(h1, h2, h3, h4, h5, h6) {
    margin-top: 0.4em;
    font-size: 1em;
    line-height: 1.3;
  }
  .text h1 {
    font-size: 1.3em;
  }
  .text h2 {
    font-size: 1.15em;
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
    unicode-bidi: isolate;
  }
  .text [part='md-host'] {
    font-size: 0.85em;
  }
  .text img {
    max-width: 100%;
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
    padding-inline-start: 12px;
    font-size: 12px;
    color: var(--_muted);
  }
  .text [part='md-copy'] {
    min-width: 44px;
    min-height: 32px;
    padding: 0 12px;
    border: 0;
    border-radius: var(--_control-radius);
    background: none;
    color: inherit;
    font: inherit;
    cursor: pointer;
  }
  .text pre {
    margin: 0;
    padding: 0 12px 12px;
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
    padding: 5px 10px;
    border: 1px solid var(--_line);
    vertical-align: top;
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
