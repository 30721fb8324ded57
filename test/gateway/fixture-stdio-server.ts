/** An MCP server on standard input and output (1.x SDK). Its tool `die` ends the process in the middle of a call. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const server = new Server({ name: 'fixture', version: '1.0.0' }, { capabilities: { tools: {} } });
const none = { type: 'object' } as const;
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [
    { name: 'who', inputSchema: none, annotations: { readOnlyHint: true } },
    { name: 'die', inputSchema: none },
  ],
}));
server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
  if (params.name === 'die') process.exit(1);
  const text = JSON.stringify({ pid: process.pid, environment: process.env, directory: process.cwd() });
  return { content: [{ type: 'text', text }] };
});
if (process.env.DIES_AT_ONCE) process.exit(1);
await server.connect(new StdioServerTransport());
