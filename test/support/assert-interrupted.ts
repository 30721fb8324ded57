import assert from 'node:assert/strict';
import { assertExact } from './counting-answer.ts';
import { type ScriptedHost, say } from './scripted-host.ts';
import type { Visitor } from './visitor.ts';

/**
 * What a counting answer is that was cut: its exact beginning, told as interrupted, the same for whoever looks later at the
 * relay of that address, and the conversation goes on there.
 */
export async function assertInterrupted(
  visitor: Visitor,
  address: string,
  host: ScriptedHost,
  sent: { chunkCount: number; atLeast: number },
): Promise<void> {
  assertExact(visitor.events, sent);
  assert.equal(visitor.events.at(-2)?.type, 'interrupted');
  const { events } = await (await visitor.about('GET', '', address)).json();
  const kept = events.find(({ type }: { type: string }) => type === 'chunk');
  assert.equal(kept.data.chunk, visitor.chunks.join(''));
  host.onChat(say('next'));
  const next = await visitor.post('And now?', 'next', address);
  assert.match(await next.text(), /event: complete\n/);
}
