import type { Conversation, Entry } from '../conversation.ts';
import type { Labels } from '../labels.ts';

export type TranscriptFormat = 'text' | 'json';

/** The conversation as a file for the visitor. Both formats are inert: nothing in them runs when they are opened. */
export function transcriptFile(conversation: Conversation, format: TranscriptFormat, labels: Labels): File {
  const name = `parley-${new Date().toISOString().slice(0, 16).replace(/[:T]/g, '-')}`;
  if (format === 'json') {
    const text = JSON.stringify({ entries: conversation.entries.map(jsonEntry) }, undefined, 2);
    return new File([text], `${name}.json`, { type: 'application/json' });
  }
  // The mark at the start tells an editor the encoding, and a browser that opens the file that it is text.
  const text = conversation.entries.map((entry) => textEntry(entry, labels)).filter(Boolean);
  return new File(['\uFEFF', `${text.join('\n\n')}\n`], `${name}.txt`, { type: 'text/plain;charset=utf-8' });
}

/** Hands a file to the browser's download. A frame without the permission to download gets nothing. */
export function download(file: File): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = file.name;
  link.click();
  // The download has taken hold of the data when the click returns, but Safari reads it a little later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function textEntry(entry: Entry, labels: Labels): string {
  switch (entry.type) {
    case 'greeting':
      return `${labels.assistant}:\n${entry.text}`;
    case 'question':
      return `${labels.you} (${new Date(entry.sentAtMs).toISOString()}):\n${entry.text}`;
    case 'answer': {
      const ending = entry.status === 'complete' ? '' : `\n[${entry.status}]`;
      return `${labels.assistant} (${new Date(entry.startedAtMs).toISOString()}):\n${entry.text}${ending}`;
    }
    case 'notice':
      return '';
  }
}

function jsonEntry(entry: Entry): Record<string, unknown> {
  switch (entry.type) {
    case 'greeting':
      return { type: entry.type, text: entry.text };
    case 'question':
      return { type: entry.type, text: entry.text, sentAt: new Date(entry.sentAtMs).toISOString() };
    case 'answer':
      return {
        type: entry.type,
        text: entry.text,
        status: entry.status,
        startedAt: new Date(entry.startedAtMs).toISOString(),
        toolCalls: entry.toolCalls.map(({ name, status }) => ({ name, status })),
      };
    case 'notice':
      return { type: entry.type, notice: entry.notice, detail: entry.detail };
  }
}
