import { render } from 'lit';
import type { Answer, Entry, Greeting } from '../conversation.ts';
import { AnswerRow } from './answer-row.ts';
import { AnswerText } from './answer-text.ts';
import { noticeView, questionView } from './message-views.ts';
import type { ViewContext } from './view-context.ts';

interface Row {
  readonly element: HTMLElement;
  /** What it shows now; the same object again means that there is nothing to do. */
  entry: Entry;
  context: ViewContext;
  draw(entry: Entry, context: ViewContext): void;
}

/**
 * The list of entries. Each entry has an element of its own that lives as long as the entry; an update walks over the list
 * once, compares identities and draws only what changed, so that 500 messages of history cost a streaming answer nothing.
 */
export class TranscriptView {
  readonly element = document.createElement('div');
  readonly #rows = new Map<string, Row>();

  constructor() {
    this.element.className = 'entries';
  }

  update(entries: readonly Entry[], context: ViewContext): void {
    let next = this.element.firstElementChild;
    for (const entry of entries) {
      const row = this.#row(entry, context);
      if (row.element === next) next = next.nextElementSibling;
      else this.element.insertBefore(row.element, next);
    }
    while (next) {
      const gone = next;
      next = next.nextElementSibling;
      gone.remove();
    }
    if (this.#rows.size > entries.length) this.#forgetAllBut(entries);
  }

  #row(entry: Entry, context: ViewContext): Row {
    const key = keyOf(entry);
    let row = this.#rows.get(key);
    if (!row) {
      row = { ...newRow(entry, context), entry, context };
      this.#rows.set(key, row);
    } else if (row.entry === entry && row.context === context) {
      return row;
    }
    row.entry = entry;
    row.context = context;
    row.draw(entry, context);
    return row;
  }

  #forgetAllBut(entries: readonly Entry[]): void {
    const kept = new Set(entries.map(keyOf));
    for (const key of this.#rows.keys()) if (!kept.has(key)) this.#rows.delete(key);
  }
}

function keyOf(entry: Entry): string {
  return `${entry.type} ${entry.id}`;
}

function newRow(entry: Entry, context: ViewContext): Pick<Row, 'element' | 'draw'> {
  const row = rowOfType(entry.type, context);
  row.element.className = `entry ${entry.type}`;
  row.element.part.add(entry.type);
  return row;
}

function rowOfType(type: Entry['type'], context: ViewContext): Pick<Row, 'element' | 'draw'> {
  switch (type) {
    case 'answer': {
      const answer = new AnswerRow(context);
      return { element: answer.element, draw: (entry, context) => answer.update(entry as Answer, context) };
    }
    case 'greeting':
      return greetingRow(context);
    case 'question':
      return templateRow((entry, context) => entry.type === 'question' && questionView(entry, context));
    case 'notice':
      return templateRow((entry, context) => entry.type === 'notice' && noticeView(entry, context));
  }
}

function templateRow(view: (entry: Entry, context: ViewContext) => unknown): Pick<Row, 'element' | 'draw'> {
  const element = document.createElement('div');
  return { element, draw: (entry, context) => render(view(entry, context), element) };
}

function greetingRow(context: ViewContext): Pick<Row, 'element' | 'draw'> {
  let current = context;
  const element = document.createElement('div');
  const text = new AnswerText('greeting-text', () => current);
  element.append(text.element);
  return {
    element,
    draw(entry, context) {
      current = context;
      text.setText((entry as Greeting).text);
      text.finish();
    },
  };
}
