import { once } from 'node:events';
import { connect } from 'node:net';

export interface RawAnswer {
  /** 0: the connection was closed without an answer. */
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

/** Sends exactly these bytes and reads until the other side closes. `Connection: close` in them keeps that short. */
export async function sendRaw(url: string, ...pieces: readonly string[]): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  let text = '';
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece;
  });
  // A reset after the answer is no failure of the test.
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  for (const piece of pieces) socket.write(piece, 'latin1');
  await closed;
  const [headers = '', ...rest] = text.split('\r\n\r\n');
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), headers, body: rest.join('\r\n\r\n') };
}
