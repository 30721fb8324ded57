import { type SourceResult, toolErrorResult } from './tool-source.ts';

/** Of a long text so much is left, so that the model has something to go by. */
const KEPT_TEXT_CHARACTERS = 20_000;

/**
 * The result, or a smaller one with a note when its JSON is longer than `maxBytes`. The call has been carried out, and the
 * note says so. Where the tool declares an output schema, a part of the result would break it: then it is `answer_too_large`.
 */
export function capResult(result: SourceResult, maxBytes: number, hasOutputSchema: boolean): SourceResult {
  const bytes = Buffer.byteLength(JSON.stringify(result));
  if (bytes <= maxBytes) return result;
  const note = `The answer has ${bytes} bytes; at most ${maxBytes} are passed on. The call itself has been carried out: do not repeat it as it is. Ask for less (filters, fewer items, single fields).`;
  if (hasOutputSchema && !result.isError) {
    return toolErrorResult({
      code: 'answer_too_large',
      expected: `at most ${maxBytes} bytes`,
      received: `${bytes} bytes`,
      retryable: false,
      hint: note,
    });
  }
  let room = Math.min(KEPT_TEXT_CHARACTERS, Math.floor(maxBytes / 6));
  const texts: Record<string, unknown>[] = [];
  for (const item of result.content) {
    if (item.type !== 'text' || typeof item.text !== 'string' || room <= 0) continue;
    const kept = item.text.slice(0, room).toWellFormed();
    room -= kept.length;
    texts.push({ type: 'text', text: kept });
  }
  return { content: [...texts, { type: 'text', text: note }], ...(result.isError && { isError: true }) };
}
