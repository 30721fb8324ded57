/**
 * One frame as text. The agent host's two lines stand after two of ours, so that the frame is a valid server-sent event
 * and is still read by a client that was written for the agent host's `type:` and `data:` lines.
 *
 * `dataJson` is one JSON value without raw line breaks, as `JSON.stringify` makes it; `id` is `<turn>:<sequence>`.
 */
export function writeFrame(type: string, dataJson: string, id?: string): string {
  const frame = `event: ${type}\ntype: ${type}\ndata: ${dataJson}\n\n`;
  return id === undefined ? frame : `id: ${id}\n${frame}`;
}
