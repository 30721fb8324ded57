/** Markdown as a voice should read it: without the marks, a link by its text, a table row cell by cell. */
export function speakableText(markdown: string): string {
  return markdown
    .replace(/^\s*(?:```|~~~).*$/gm, '')
    .replace(/^\s*\|?[\s:|-]*-{2,}[\s:|-]*$/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*(?:#{1,6}|>|[-*+])\s+/gm, '')
    .replace(/^\s*\|(.*)\|\s*$/gm, '$1')
    .replace(/\s*\|\s*/g, ', ')
    .replace(/\*\*|__|~~|`/g, '')
    .replace(/(^|\s)[*_](?=\S)|(\S)[*_](?=\s|[.,;:!?]|$)/g, '$1$2')
    .replace(/\n\s*\n/g, '\n')
    .trim();
}
