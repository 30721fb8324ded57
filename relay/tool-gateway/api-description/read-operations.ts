/** Reads the operations out of a description of any of the three kinds. */
import { type ApiOperation, type ApiParameter, METHODS, type Method } from './api-operation.ts';
import { isJsonRecord, type JsonRecord, listMember, recordMember, textMember } from './json-record.ts';
import { openApiAnswer, openApiBody, openApiParameter } from './open-api-3.ts';
import type { References } from './references.ts';
import type { Dialect } from './schema-conversion.ts';
import { swaggerAnswer, swaggerBody, swaggerParameter } from './swagger-2.ts';

export interface FoundOperation {
  readonly method: Method;
  readonly path: string;
  /** Where it stands in the main file. */
  readonly place: readonly string[];
  /** Reads the operation. Throws `BrokenReference`, or an `Error` that says in words for the owner what cannot be sent. */
  read(note: (reason: string) => void): ApiOperation;
}

/** Every operation of the description. `onFault` is told of a path that cannot be read at all. */
export function findOperations(
  root: JsonRecord,
  dialect: Dialect,
  references: References,
  onFault: (path: string, place: readonly string[], reason: string) => void,
): readonly FoundOperation[] {
  const found: FoundOperation[] = [];
  for (const [path, raw] of Object.entries(recordMember(root, 'paths'))) {
    if (path.startsWith('x-')) continue;
    const place = ['paths', path];
    let item: JsonRecord;
    try {
      item = references.resolve(raw, 'an object with operations');
    } catch (error) {
      onFault(path, place, reasonOf(error));
      continue;
    }
    for (const method of METHODS) {
      if (!isJsonRecord(item[method])) continue;
      const operation = item[method];
      const read = (note: (reason: string) => void) =>
        readOperation({ root, dialect, references, method, path, item, operation, note });
      found.push({ method, path, place: [...place, method], read });
    }
  }
  return found;
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What the readers of the parts of an operation are given. */
export interface OperationContext {
  readonly root: JsonRecord;
  readonly dialect: Dialect;
  readonly references: References;
  readonly method: Method;
  readonly path: string;
  readonly item: JsonRecord;
  readonly operation: JsonRecord;
  readonly note: (reason: string) => void;
}

function readOperation(context: OperationContext): ApiOperation {
  const { dialect, method, path, item, operation } = context;
  const raw = parametersOf(context);
  const isSwagger = dialect === 'swagger-2';
  const parameters: ApiParameter[] = raw
    .map((parameter) => (isSwagger ? swaggerParameter(parameter, context) : openApiParameter(parameter, context)))
    .filter((parameter) => parameter !== undefined);
  const body = isSwagger ? swaggerBody(raw, context) : openApiBody(context);
  const summary = textMember(operation, 'summary') ?? textMember(item, 'summary');
  const description = textMember(operation, 'description') ?? textMember(item, 'description');
  const operationId = textMember(operation, 'operationId');
  const servers = [operation, item].map((holder) => listMember(holder, 'servers')).find((list) => list.length > 0);
  return {
    method,
    path,
    ...(operationId ? { operationId } : {}),
    ...(summary ? { summary } : {}),
    ...(description ? { description } : {}),
    isDeprecated: operation.deprecated === true,
    parameters: withTemplateParameters(parameters, context),
    ...(body ? { body } : {}),
    answer: isSwagger ? swaggerAnswer(context) : openApiAnswer(context),
    ...(servers && !isSwagger ? { servers } : {}),
  };
}

/** The path's parameters, each replaced by one of the operation with the same name at the same place. */
function parametersOf({ item, operation, references }: OperationContext): readonly JsonRecord[] {
  const byKey = new Map<string, JsonRecord>();
  for (const raw of [...listMember(item, 'parameters'), ...listMember(operation, 'parameters')]) {
    const parameter = references.resolve(raw, 'a parameter');
    const name = textMember(parameter, 'name');
    if (name === undefined) throw new Error('a parameter has no name');
    byKey.set(`${String(parameter.in)} ${name}`, parameter);
  }
  return [...byKey.values()];
}

/** Exactly the path parameters that the template names. */
function withTemplateParameters(parameters: readonly ApiParameter[], context: OperationContext): ApiParameter[] {
  const named = new Set([...context.path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1]!));
  const kept = parameters.filter(({ name, location }) => {
    const isKept = location !== 'path' || named.has(name);
    if (!isKept) context.note(`the path parameter "${name}" does not stand in the path and is left out`);
    return isKept;
  });
  for (const name of named) {
    if (kept.some((parameter) => parameter.location === 'path' && parameter.name === name)) continue;
    context.note(`"{${name}}" of the path is not described; it is a text argument now`);
    kept.push({
      name,
      location: 'path',
      isRequired: true,
      schema: { type: 'string' },
      examples: [],
      isDeprecated: false,
      style: 'simple',
      isExploded: false,
      allowsReserved: false,
    });
  }
  return kept;
}
