/**
 * The `part` of each element that an answer can hold, so that a page can style it with `::part()`. Nothing that a model writes reaches a
 * `part`. The keys are the element's name or, where one element has several uses, the use.
 */
export const markdownParts = {
  p: 'md-paragraph',
  h1: 'md-heading md-heading-1',
  h2: 'md-heading md-heading-2',
  h3: 'md-heading md-heading-3',
  h4: 'md-heading md-heading-4',
  h5: 'md-heading md-heading-5',
  h6: 'md-heading md-heading-6',
  hr: 'md-rule',
  blockquote: 'md-quote',
  ul: 'md-list',
  ol: 'md-list',
  li: 'md-item',
  input: 'md-task-box',
  table: 'md-table',
  th: 'md-header-cell',
  td: 'md-cell',
  em: 'md-emphasis',
  strong: 'md-strong',
  del: 'md-deleted',
  code: 'md-code',
  a: 'md-link',
  img: 'md-image',
  linkHost: 'md-link-host',
  tableScroll: 'md-table-scroll',
  codeBlock: 'md-code-block',
  codeBar: 'md-code-bar',
  codeLanguage: 'md-code-language',
  copyButton: 'md-copy-button',
  pre: 'md-pre',
  codeText: 'md-code-text',
} as const;

export type MarkdownPart = keyof typeof markdownParts;
