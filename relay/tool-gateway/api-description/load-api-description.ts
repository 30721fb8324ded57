/** Turns the API description in a file into a source of tools. */
import type { LookupFunction } from 'node:net';
import { AddressPolicy, AddressRefused } from './address-policy.ts';
import { ApiDescriptionError } from './api-description-error.ts';
import { ApiDescriptionSource, type DescribedTool } from './api-description-source.ts';
import { type BuiltTool, buildTool, type MetaHeaders } from './build-tool.ts';
import { type DescriptionFiles, readDescriptionFiles } from './description-files.ts';
import type { ImportEntry, ImportReport } from './import-report.ts';
import { isJsonRecord, type JsonRecord, recordMember, textMember } from './json-record.ts';
import { type FoundOperation, findOperations, reasonOf } from './read-operations.ts';
import { References } from './references.ts';
import { type Dialect, SchemaConversion } from './schema-conversion.ts';
import { addressesNamedIn, chooseOwnServer, chooseServer, type ServerChoice } from './server-address.ts';
import { MAX_TOOL_NAME_LENGTH, nameOperations } from './tool-name.ts';

export interface ApiDescriptionOptions {
  /** OpenAPI 3.0, 3.1 or Swagger 2, JSON or YAML. */
  readonly file: string;
  /** Where the API is, its path included. Absent: the description's first server whose origin is allowed. */
  readonly baseUrl?: string;
  /** Origins that the description may name; the credential of the domain goes to them. */
  readonly allowedOrigins?: readonly string[];
  /** Addresses, ranges and host names outside the public internet that may be called. An address in `baseUrl` counts as named. */
  readonly privateAddresses?: readonly string[];
  /** Absent: `declared`. */
  readonly metaHeaders?: MetaHeaders;
  /** Room for a tool's name, the domain's prefix not included. Absent: 64. At least 16. */
  readonly nameLength?: number;
  /** Argument names that the gateway keeps for itself, e.g. `domain`. */
  readonly reservedArguments?: readonly string[];
  /** For one call, repetitions included. Absent: 30 000. */
  readonly timeoutMs?: number;
  /** Longer answers are cut, with a note. Absent: 1 MiB. */
  readonly maxAnswerBytes?: number;
  /** How names are looked up. Absent: as the system does it. */
  readonly lookup?: LookupFunction;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_ANSWER_BYTES = 1024 * 1024;

/**
 * Reads the description, converts each of its operations and reports what was left out or changed. Throws
 * `ApiDescriptionError` when nothing of it can be used: an unreadable file, another format, no allowed server.
 */
export async function loadApiDescription(options: ApiDescriptionOptions): Promise<ApiDescriptionSource> {
  const files = await readDescriptionFiles(options.file);
  const root = files.main.root;
  const dialect = isJsonRecord(root) ? dialectOf(root) : undefined;
  if (!isJsonRecord(root) || !dialect) {
    throw new ApiDescriptionError(options.file, 1, 'expected an API description: "openapi: 3.x" or "swagger: 2.0"');
  }
  const choice = { baseUrl: options.baseUrl, allowedOrigins: options.allowedOrigins ?? [] };
  const { server, policy } = usableServer(root, files, choice, options);
  const importer = new Importer(options, files, root, dialect, choice, server);
  const { tools, report } = importer.run();
  return new ApiDescriptionSource({
    tools,
    report,
    policy,
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    maxAnswerBytes: options.maxAnswerBytes ?? DEFAULT_MAX_ANSWER_BYTES,
  });
}

function dialectOf(root: JsonRecord): Dialect | undefined {
  if (String(root.swagger) === '2.0' || root.swagger === 2) return 'swagger-2';
  const version = String(root.openapi ?? '');
  if (/^3\.0(?:\.|$)/.test(version)) return 'openapi-3.0';
  // 3.2 adds to 3.1 and takes nothing away that is read here.
  return /^3\.[12](?:\.|$)/.test(version) ? 'openapi-3.1' : undefined;
}

function usableServer(
  root: JsonRecord,
  { main }: DescriptionFiles,
  choice: ServerChoice,
  { privateAddresses = [], lookup }: ApiDescriptionOptions,
): { readonly server: URL; readonly policy: AddressPolicy } {
  try {
    const policy = new AddressPolicy([...privateAddresses, ...addressesNamedIn(choice)], lookup);
    const server = chooseServer(root, choice);
    policy.checkHost(server);
    return { server, policy };
  } catch (error) {
    const line = main.lineOf([root.swagger === undefined ? 'servers' : 'host']);
    throw new ApiDescriptionError(main.file, error instanceof AddressRefused ? undefined : line, reasonOf(error));
  }
}

/** One import, with all that its steps share. */
class Importer {
  readonly #options: ApiDescriptionOptions;
  readonly #files: DescriptionFiles;
  readonly #root: JsonRecord;
  readonly #dialect: Dialect;
  readonly #choice: ServerChoice;
  readonly #server: URL;
  readonly #references: References;
  readonly #conversion: SchemaConversion;
  readonly #entries: ImportEntry[] = [];
  /** Schemas whose changes are in the report already. */
  readonly #notedSchemas = new Set<string>();

  constructor(
    options: ApiDescriptionOptions,
    files: DescriptionFiles,
    root: JsonRecord,
    dialect: Dialect,
    choice: ServerChoice,
    server: URL,
  ) {
    this.#options = options;
    this.#files = files;
    this.#root = root;
    this.#dialect = dialect;
    this.#choice = choice;
    this.#server = server;
    this.#references = new References(files);
    this.#conversion = new SchemaConversion(this.#references, dialect);
  }

  run(): { readonly tools: readonly DescribedTool[]; readonly report: ImportReport } {
    const found = findOperations(this.#root, this.#dialect, this.#references, (path, place, reason) => {
      this.#report('left-out', path, place, reason);
    });
    const credentialParameters = this.#credentialParameters();
    const built: {
      readonly from: FoundOperation;
      readonly operationId: string | undefined;
      readonly tool: BuiltTool;
    }[] = [];
    for (const from of found) {
      const subject = `${from.method.toUpperCase()} ${from.path}`;
      const notes = new Set<string>();
      try {
        if (from.method === 'trace') throw new Error('TRACE gives back what was sent, credentials included');
        const operation = from.read((reason) => notes.add(reason));
        const server = operation.servers
          ? chooseOwnServer(operation.servers, this.#choice, this.#server)
          : this.#server;
        const tool = buildTool(operation, {
          references: this.#references,
          conversion: this.#conversion,
          server,
          metaHeaders: this.#options.metaHeaders ?? 'declared',
          reservedArguments: this.#options.reservedArguments ?? [],
          credentialParameters,
          note: (reason) => notes.add(reason),
          noteOf: (reference, reason) => this.#reportSchema(reference, reason),
        });
        built.push({ from, operationId: operation.operationId, tool });
        for (const reason of notes) this.#report('changed', subject, from.place, reason);
      } catch (error) {
        this.#report('left-out', subject, from.place, reasonOf(error));
      }
    }
    const named = built.map(({ from, operationId }) => ({ method: from.method, path: from.path, operationId }));
    const names = nameOperations(named, this.#options.nameLength ?? MAX_TOOL_NAME_LENGTH);
    const tools = built.map(({ tool }, index) => ({ tool: { name: names[index]!, ...tool.tool }, plan: tool.plan }));
    const files = [...this.#files.byName.values()].map(({ file }) => file);
    const counts = { operations: found.length, tools: tools.length };
    return { tools, report: { file: this.#options.file, files, ...counts, entries: this.#entries } };
  }

  #report(outcome: ImportEntry['outcome'], subject: string, place: readonly string[], reason: string, file = ''): void {
    const line = this.#references.lineOf(file, place);
    const name = file === '' ? this.#files.main.file : file;
    this.#entries.push({ outcome, subject, file: name, ...(line === undefined ? {} : { line }), reason });
  }

  #reportSchema(reference: string, reason: string): void {
    const key = `${reference} ${reason}`;
    if (this.#notedSchemas.has(key)) return;
    this.#notedSchemas.add(key);
    const { file, path } = this.#references.target(reference);
    this.#report('changed', `schema ${path.at(-1) ?? reference}`, path, reason, file);
  }

  /** Headers, cookies and query parameters that carry a credential: no model fills them. */
  #credentialParameters(): ReadonlySet<string> {
    const schemes =
      this.#dialect === 'swagger-2'
        ? recordMember(this.#root, 'securityDefinitions')
        : recordMember(recordMember(this.#root, 'components'), 'securitySchemes');
    const found = new Set<string>();
    for (const raw of Object.values(schemes)) {
      try {
        const scheme = this.#references.resolve(raw, 'a security scheme');
        const name = textMember(scheme, 'name');
        if (scheme.type !== 'apiKey' || name === undefined) continue;
        found.add(`${String(scheme.in)} ${scheme.in === 'header' ? name.toLowerCase() : name}`);
      } catch {
        // A scheme that cannot be read names no parameter.
      }
    }
    return found;
  }
}
