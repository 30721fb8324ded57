/** One connection to an MCP server behind the gateway: the client, ready to be used, and when it can be used no more. */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { McpHttpTransport } from './mcp-http-transport.ts';
import type { SourceCredential } from './tool-source.ts';

export type McpServerAddress =
  | { readonly type: 'http'; readonly url: URL }
  | {
      readonly type: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      /** Besides the few harmless variables (PATH, HOME …) that every program needs; nothing else of the relay's goes on. */
      readonly env: Readonly<Record<string, string>>;
      readonly directory: string;
    };

export interface McpLink {
  readonly client: Client;
  /** Aborts when the link can be used no more: its process has ended, or the server no longer knows its session. */
  readonly ended: AbortSignal;
  close(): Promise<void>;
}

export interface OpenMcpLink {
  readonly address: McpServerAddress;
  readonly credential: SourceCredential | undefined;
  readonly onToolsChanged: () => void;
  /** What the server's process writes to its standard error, and faults beside the calls. */
  readonly onNote: (note: string) => void;
  readonly timeoutMs: number;
}

const CLIENT = { name: 'parley', version: '1' } as const;

/** A list of tools that has more pages never ends. */
const MAX_PAGES = 1_000;

/**
 * Connects and negotiates the protocol's revision: 2026-07-28 where the server speaks it, else what its `initialize` answers.
 * Takes no signal: several calls wait for one connection, and none of them may cancel it. Ends by its time-out.
 */
export async function openMcpLink(open: OpenMcpLink): Promise<McpLink> {
  const ended = new AbortController();
  const client = new Client(CLIENT, {
    versionNegotiation: { mode: 'auto' },
    inputRequired: { autoFulfill: false },
    listMaxPages: MAX_PAGES,
    listChanged: { tools: { onChanged: open.onToolsChanged, autoRefresh: false } },
  });
  client.onclose = () => ended.abort();
  client.onerror = (error) => open.onNote(error.message);
  await client.connect(
    transportTo(open, () => ended.abort()),
    { timeout: open.timeoutMs },
  );
  return { client, ended: ended.signal, close: () => client.close() };
}

function transportTo({ address, credential, onNote }: OpenMcpLink, onSessionGone: () => void) {
  if (address.type === 'http') {
    return new McpHttpTransport(address.url, credential, onSessionGone);
  }
  const { command, args, env, directory } = address;
  const transport = new StdioClientTransport({ command, args: [...args], env, cwd: directory, stderr: 'pipe' });
  transport.stderr?.on('data', (chunk: Buffer) => onNote(chunk.toString('utf8').trimEnd()));
  return transport;
}
