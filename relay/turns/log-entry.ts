/**
 * The forms of an event on its way: an entry of the session's log (`<turn> <type> <JSON>`), the frame that a browser gets, and
 * the numbered event of a snapshot. The sequence is the store's and is not part of the entry.
 */
import type { NumberedEvent, RelayEvent } from '../protocol/events.ts';
import { writeFrame } from '../protocol/frame-writer.ts';
import type { LogEntry } from '../store/store.ts';

export function entryOf(turn: number, event: RelayEvent): string {
  return `${turn} ${event.type} ${JSON.stringify(event.data)}`;
}

/** The frame of an entry. `sequence` undefined: the event is in no log, and the reader's position stays where it is. */
export function frameOf(entry: string, sequence: number | undefined): string {
  const turnEnd = entry.indexOf(' ');
  const typeEnd = entry.indexOf(' ', turnEnd + 1);
  const id = sequence === undefined ? undefined : `${entry.slice(0, turnEnd)}:${sequence}`;
  return writeFrame(entry.slice(turnEnd + 1, typeEnd), entry.slice(typeEnd + 1), id);
}

export function turnOf(entry: string): number {
  return Number(entry.slice(0, entry.indexOf(' ')));
}

export function isDone(entry: string): boolean {
  return entry.startsWith('done ', entry.indexOf(' ') + 1);
}

/** Whether the entry tells that its turn has ended or how. */
export function isEnding(entry: string): boolean {
  return /^\d+ (done|interrupted|stopped|error) /.test(entry);
}

export function numberedEventOf({ entry, sequence }: LogEntry): NumberedEvent {
  const turnEnd = entry.indexOf(' ');
  const typeEnd = entry.indexOf(' ', turnEnd + 1);
  // Entries are made by `entryOf` from typed events and by nothing else.
  return {
    type: entry.slice(turnEnd + 1, typeEnd),
    data: JSON.parse(entry.slice(typeEnd + 1)),
    turn: Number(entry.slice(0, turnEnd)),
    sequence,
  } as NumberedEvent;
}
