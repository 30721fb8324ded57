import type { Conversation, Entry } from '../conversation.ts';
import type { Labels } from '../labels.ts';

export type TranscriptFormat = 'text' | 'json';

/** The conversation as a file for the visitor. Both formats are inert: nothing in them runs when they are opened. */
export function transcriptFile({ entries }: Conversation, format: TranscriptFormat, labels: Labels): File {
  const name = `chat-${new Date().toISOString().slice(0, 16).replace(/\D/g, '-')}`;
  if (format === 'json') {
    const text = JSON.stringify({ entries }, (key, value) => (key.endsWith('AtMs') ? new Date(value) : value), 2);
    return new File([text], `${name}.json`, { type: 'application/json' });
  }
  // The mark at the start tells every editor the encoding.
  return new File([`\uFEFF${entries.map((entry) => textOf(entry, labels)).join('')}`], `${name}.txt`, {
    type: 'text/plain;charset=utf-8',
  });
}

/** Hands a file to the browser's download. A frame without the permission to download gets nothing. */
export function download(file: File): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  // Safari reads the data some time after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function textOf(entry: Entry, { you, assistant }: Labels): string {
  if (entry.type === 'notice') return '';
  const speaker = entry.type === 'question' ? you : assistant;
  const ending = entry.type === 'answer' && entry.status !== 'complete' ? ` [${entry.status}]` : '';
  return `${speaker}:\n${entry.text}${ending}\n\n`;
}
