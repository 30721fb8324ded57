/** The conversation so far, for a page that was reloaded. */
import type { NumberedEvent } from '../protocol/events.ts';
import type { SessionSnapshot } from '../protocol/requests.ts';
import { sessionLog } from '../sessions/session-record.ts';
import type { Session } from '../sessions/sessions.ts';
import type { Store } from '../store/store.ts';
import { numberedEventOf } from './log-entry.ts';
import type { Turns } from './turns.ts';

const SLICE_ENTRIES = 1_000;

export async function takeSnapshot(store: Store, turns: Turns, session: Session): Promise<SessionSnapshot> {
  // First the turn: if it is dead, this closes it, and the log then has its end.
  const { state, record } = await turns.state(session);
  const events: NumberedEvent[] = [];
  let firstSequence = 0;
  let sequence = 0;
  for (;;) {
    const slice = await store.readLog(sessionLog(session.id), sequence, SLICE_ENTRIES);
    if (sequence === 0) firstSequence = slice.firstSequence;
    for (const entry of slice.entries) addCondensed(events, numberedEventOf(entry));
    sequence = slice.entries.at(-1)?.sequence ?? sequence;
    if (slice.entries.length === 0 || sequence >= slice.lastSequence) break;
  }
  const { userId, createdAtMs, expiresAtMs, initialMessage } = session.record;
  return {
    sessionId: session.id,
    userId,
    createdAt: new Date(createdAtMs).toISOString(),
    expiresAt: new Date(expiresAtMs).toISOString(),
    initialMessage,
    events,
    isHistoryGone: firstSequence > 1 || (record !== undefined && firstSequence === 0),
    ...(state !== 'none' && record && { runningTurn: record.turn }),
  };
}

/** Neighbouring chunks become one with the last one's number: a long answer is not sent word by word again. */
function addCondensed(events: NumberedEvent[], event: NumberedEvent): void {
  const last = events.at(-1);
  if (event.type !== 'chunk' || last?.type !== 'chunk' || last.turn !== event.turn) {
    events.push(event);
    return;
  }
  events[events.length - 1] = { ...event, data: { ...event.data, chunk: last.data.chunk + event.data.chunk } };
}
