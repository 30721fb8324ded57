import type { ServerResponse } from 'node:http';

/** Aborts when the caller has left or the answer has ended. */
export function signalOfLeaving(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new Error('the caller has left'));
  if (response.destroyed) abort();
  else response.once('close', abort);
  return controller.signal;
}
