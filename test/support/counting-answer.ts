/** An answer of the agent host that shows what became of it: its chunks are the numbers from 0 on. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as nextPacket } from 'node:timers/promises';
import type { ReadEvent } from './event-reader.ts';
import { type HostAnswer, TIMESTAMP } from './scripted-host.ts';

export interface CountingAnswer {
  readonly chunkCount: number;
  /** Waited for before each chunk. It may destroy the connection, which ends the answer. */
  readonly before?: (index: number, answer: HostAnswer) => void | Promise<void>;
}

/** Sends the chunks one by one, each in a packet of its own, then `complete` and `done`. */
export function count({ chunkCount, before }: CountingAnswer): (answer: HostAnswer) => Promise<void> {
  return async (answer) => {
    const { frame, response } = answer;
    for (let index = 0; index < chunkCount; index++) {
      await before?.(index, answer);
      await nextPacket(1);
      if (response.destroyed) return;
      frame('chunk', { chunk: `${index} `, timestamp: TIMESTAMP });
    }
    const content = countedTo(chunkCount).join('');
    frame('complete', { message: '', response: { content }, timestamp: TIMESTAMP });
    frame('done', { timestamp: TIMESTAMP });
    response.end();
  };
}

/** The same without its end: however slow everything is, what cuts the connection comes before the last chunk. */
export function countUntilCut({ chunkCount }: CountingAnswer): (answer: HostAnswer) => Promise<void> {
  return count({
    chunkCount,
    before: async (index, { response }) => {
      if (index === chunkCount - 1 && !response.destroyed) await once(response, 'close');
    },
  });
}

function countedTo(chunkCount: number): string[] {
  return Array.from({ length: chunkCount }, (_, index) => `${index} `);
}

/**
 * What a reader may have been given of a counting answer, whatever happened on the way: the events of the turn in order, each
 * number once, the chunks from 0 on without a gap, at least `atLeast` of them, and `complete` only with all of them.
 */
export function assertExact(events: readonly ReadEvent[], sent: { chunkCount: number; atLeast: number }): void {
  const sequences = events.flatMap(({ id }) => (id ? [Number(id.split(':')[1])] : []));
  const first = sequences[0] ?? 0;
  assert.deepEqual(
    sequences,
    sequences.map((_, index) => first + index),
    'numbers without gap or repeat',
  );
  const chunks = events.filter(({ type }) => type === 'chunk').map(({ data }) => data.chunk);
  assert.deepEqual(chunks, countedTo(chunks.length), 'chunks in order, none lost, none twice');
  assert.ok(chunks.length >= sent.atLeast, `${chunks.length} chunks after ${sent.atLeast} were seen`);
  const isComplete = events.some(({ type }) => type === 'complete');
  assert.equal(isComplete, chunks.length === sent.chunkCount && !events.some(isBrokenEnd), 'complete only when it is');
  assert.equal(events.filter(({ type }) => type === 'done').length, 1, 'one end');
  assert.equal(events.at(-1)?.type, 'done');
}

function isBrokenEnd({ type }: ReadEvent): boolean {
  return type === 'interrupted' || type === 'error' || type === 'stopped';
}

/** Somewhere in such an answer, with enough after it that what then happens is in the midst of it. */
export function somewhereIn(chunkCount: number): number {
  return 1 + Math.floor((Math.random() * chunkCount) / 2);
}
