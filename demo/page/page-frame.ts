import { type Html, html } from './html.ts';

export interface PageFrame {
  readonly title: string;
  readonly content: Html;
  /** Origin of the relay. */
  readonly relayUrl: string;
  readonly heading: string;
  /** Scripts of the page itself, by path. */
  readonly ownScripts?: readonly string[];
  /** What the visitor can send with one click, at the beginning. */
  readonly suggestions: readonly string[];
}

/** A whole page with the chat on it, as a site owner would write it: one script and one element. */
export function pageFrame({ title, content, relayUrl, heading, suggestions, ownScripts = [] }: PageFrame): string {
  const page = html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <link rel="icon" href="/icon.svg">
    <link rel="stylesheet" href="/page.css">
    <script src="${relayUrl}/widget.js" async></script>${ownScripts.map(
      (path) => html`
    <script src="${path}" defer></script>`,
    )}
  </head>
  <body>
${content}
    <parley-chat accent-color="#3f55b8" heading="${heading}" suggestions="${suggestions.join('|')}"></parley-chat>
  </body>
</html>
`;
  return page.markup;
}

/** A button that opens the chat; `message` is what the visitor may then say. */
export function openButton(message: string, label: string | Html = message): Html {
  return html`<button type="button" class="try" data-parley-open data-parley-draft="${message}">${label}</button>`;
}
