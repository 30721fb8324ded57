/** The two generations of real clients. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

/** A client of the 1.x SDK: the revisions of 2025. */
export async function connect2025(url: string, headers: Record<string, string> = {}): Promise<Client1> {
  const client = new Client1({ name: 'test', version: '1.0.0' });
  await client.connect(new Transport1(new URL(url), { requestInit: { headers } }) as unknown as Transport);
  return client;
}

/** A client of the 2.x package that speaks revision 2026-07-28 and nothing else. */
export async function connect2026(
  url: string,
  headers: Record<string, string> = {},
  options: ConstructorParameters<typeof Client>[1] = {},
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { ...options, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}
