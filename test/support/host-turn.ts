import type { AgentHost, HostSession } from '../../relay/agent-host/agent-host.ts';
import type { HostEvent } from '../../relay/protocol/events.ts';

export const KEY = { type: 'key' } as const;
export const APPLICATION = 'app-1';

/** What came of one turn: everything up to its end or its failure. */
export interface PlayedTurn {
  readonly events: readonly HostEvent[];
  /** What a visitor reads: the whole answer where it came whole, and otherwise its chunks. */
  readonly text: string;
  readonly toolCalls: number;
  readonly failure: unknown;
}

export function startSession(host: AgentHost, userId = 'visitor-1'): Promise<HostSession> {
  return host.startSession({ application: APPLICATION, userId, credential: KEY }, new AbortController().signal);
}

/** Sends one message and reads the answer to its end. Never throws. */
export async function playTurn(
  host: AgentHost,
  session: HostSession,
  message: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<PlayedTurn> {
  const events: HostEvent[] = [];
  let failure: unknown;
  try {
    const turn = { application: APPLICATION, ...session, message, credential: KEY };
    const answer = await host.streamTurn(turn, signal);
    await answer.passTo((batch) => {
      events.push(...batch);
    });
  } catch (error) {
    failure = error;
  }
  return { events, text: textOf(events), toolCalls: events.filter(({ type }) => type === 'tool-call').length, failure };
}

export function textOf(events: readonly HostEvent[]): string {
  let text = '';
  for (const event of events) {
    if (event.type === 'chunk') text += event.data.chunk;
    else if (event.type === 'complete') text = event.data.response.content;
  }
  return text;
}
