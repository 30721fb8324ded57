/** A real HTTP server that keeps every byte of what it is sent, and descriptions written to files for the tests. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { ApiDescriptionSource } from '../../relay/tool-gateway/api-description/api-description-source.ts';
import {
  type ApiDescriptionOptions,
  loadApiDescription,
} from '../../relay/tool-gateway/api-description/load-api-description.ts';
import type { SourceCall, SourceResult } from '../../relay/tool-gateway/tool-source.ts';

export interface RecordedRequest {
  readonly method: string;
  /** Path and query as they came. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export type Answer = (request: RecordedRequest, response: ServerResponse) => void;

export interface RecordingApi {
  readonly origin: string;
  readonly requests: RecordedRequest[];
  readonly server: Server;
  /** Answers the requests to come; at first with an empty JSON object. */
  answer: Answer;
}

/** Starts the server on a free loopback port; it ends with the test. */
export async function startRecordingApi(test: TestContext): Promise<RecordingApi> {
  const requests: RecordedRequest[] = [];
  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('end', () => {
      const { method = '', url = '', headers, rawHeaders } = incoming;
      const request = { method, url, headers, rawHeaders, body: Buffer.concat(pieces) };
      requests.push(request);
      api.answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const api: RecordingApi = {
    origin: `http://127.0.0.1:${port}`,
    requests,
    server,
    answer: (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{}');
    },
  };
  return api;
}

/** A folder that ends with the test, with these files. */
export async function folderWith(test: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-description-'));
  test.after(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  return folder;
}

/** Loads a description given as an object or as text; the source is closed with the test. */
export async function load(
  test: TestContext,
  description: object | string,
  options: Partial<ApiDescriptionOptions> = {},
): Promise<ApiDescriptionSource> {
  const text = typeof description === 'string' ? description : JSON.stringify(description, null, 2);
  const folder = await folderWith(test, { description: text });
  const source = await loadApiDescription({
    file: path.join(folder, 'description'),
    baseUrl: 'http://127.0.0.1:9',
    ...options,
  });
  test.after(() => source.close());
  return source;
}

/** An OpenAPI 3.0 description of these paths. */
export function openApi(paths: object, more: object = {}): object {
  return { openapi: '3.0.3', info: { title: 'Test', version: '1' }, paths, ...more };
}

/** An OpenAPI 3.0 description of one operation, the tool `call`. */
export function oneOperation(method: string, template: string, operation: object, more: object = {}): object {
  const responses = { 200: { description: 'OK' } };
  return openApi({ [template]: { [method]: { operationId: 'call', responses, ...operation } } }, more);
}

export async function call(
  source: ApiDescriptionSource,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  more: Partial<SourceCall> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<SourceResult> {
  return source.callTool({ name, arguments: args, meta: {}, ...more }, signal);
}

export async function toolNamed(source: ApiDescriptionSource, name: string) {
  const tools = await source.listTools();
  const tool = tools.find((each) => each.name === name);
  if (!tool) throw new Error(`no tool "${name}" among ${tools.map((each) => each.name).join(', ')}`);
  return tool;
}
