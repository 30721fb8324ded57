/** Markdown as a voice should read it: without the marks, a link by its text, a table row cell by cell. */
export function speakableText(markdown: string): string {
  return markdown
    .replace(/^\s*(?:```|~~~).*$|^[\s:|-]*--[\s:|-]*$|^\s*(?:#{1,6}|>|[-*+])\s+/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*\||\|\s*$|\*\*|__|~~|`|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)/gm, '')
    .replace(/\s*\|\s*/g, ', ')
    .replace(/\n\s*\n/g, '\n')
    .trim();
}
