import type { IncomingMessage } from 'node:http';

const MAX_REQUESTS = 20;

/** What one request brought, without any value. */
export interface ReceivedRequest {
  /** ISO 8601. */
  readonly at: string;
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  /** In the order in which they came; lengths in characters. */
  readonly headers: readonly { readonly name: string; readonly length: number }[];
}

/** The newest requests of an API, each header by its name and length only: no value is ever kept. */
export class ReceivedHeaders {
  readonly #received: { readonly owner: string; readonly request: ReceivedRequest }[] = [];

  /** `owner` is whose credential it was. */
  add(request: IncomingMessage, owner: string): void {
    const { method = '', url = '', rawHeaders } = request;
    const headers = rawHeaders.flatMap((name, index) =>
      index % 2 === 0 ? [{ name, length: rawHeaders[index + 1]?.length ?? 0 }] : [],
    );
    const [path = ''] = url.split('?');
    this.#received.unshift({ owner, request: { at: new Date().toISOString(), method, path, headers } });
    this.#received.splice(MAX_REQUESTS);
  }

  /** The newest first, without those of `asker` himself. */
  listFor(asker: string): ReceivedRequest[] {
    return this.#received.filter(({ owner }) => owner !== asker).map(({ request }) => request);
  }
}
