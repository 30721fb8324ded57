/** Reads `parley.yaml`: every mistake with its place, what came, what is expected, and the key that was probably meant. */
import { type Document, isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { type ConfigMistake, GatewayConfigError, nearestKey } from './config-mistake.ts';
import { validKeysAt } from './config-reference.ts';
import { configSchema, type ParleyConfig, type Variables } from './config-schema.ts';
import { contradictionsIn } from './contradictions.ts';

export interface ReadConfigOptions {
  /** As it is named in messages. */
  readonly file: string;
  readonly variables: Variables;
  /** The relay listens on this machine only: then `callers: open` may be. */
  readonly isLoopback: boolean;
}

/** Throws `GatewayConfigError`. */
export function readGatewayConfig(text: string, options: ReadConfigOptions): ParleyConfig {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, merge: false });
  const place = (path: readonly PropertyKey[], isKey: boolean) => placeOf(document, lines, path, isKey);
  const fail = (mistakes: readonly ConfigMistake[]) => {
    throw new GatewayConfigError(options.file, mistakes);
  };
  if (document.errors.length > 0) {
    fail(
      document.errors.map(({ linePos, message }) => ({
        line: linePos?.[0].line ?? 1,
        column: linePos?.[0].col ?? 1,
        path: '',
        expected: `YAML (${message.split('\n')[0]?.replace(/ at line .*$/, '')})`,
      })),
    );
  }
  const value: unknown = document.toJS({ maxAliasCount: 50 });
  const result = configSchema(options.variables).safeParse(value, { reportInput: true });
  if (!result.success) return fail(result.error.issues.flatMap((issue) => mistakesOf(issue, place))) as never;
  const contradictions = contradictionsIn(result.data, options.isLoopback);
  if (contradictions.length > 0) {
    fail(contradictions.map(({ path, expected }) => ({ ...place(path, true), path: path.join('.'), expected })));
  }
  return result.data;
}

type Place = (path: readonly PropertyKey[], isKey: boolean) => { line: number; column: number };

function mistakesOf(issue: z.core.$ZodIssue, place: Place): ConfigMistake[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const valid = validKeysAt(path);
    return issue.keys.map((key) => {
      const nearest = nearestKey(key, valid);
      const expected = nearest === undefined ? `one of ${valid.join(', ')}` : `"${nearest}"`;
      return {
        ...place([...path, key], true),
        path: pathText([...path, key]),
        received: `the unknown key "${key}"`,
        expected,
      };
    });
  }
  if (issue.code === 'invalid_union') {
    // Of the forms that the value may have, the one is meant whose type it has.
    const meant = issue.errors.find((errors) =>
      errors.some((error) => error.path.length > 0 || error.code === 'unrecognized_keys'),
    );
    if (meant) return meant.flatMap((error) => mistakesOf({ ...error, path: [...path, ...error.path] }, place));
  }
  if (issue.code === 'invalid_key') {
    const [inner] = issue.issues;
    return [
      {
        ...place(path, true),
        path: pathText(path),
        received: `the name "${String(path.at(-1))}"`,
        expected: inner ? expectationOf(inner) : 'another name',
      },
    ];
  }
  const isSecret = issue.code === 'custom' && issue.params?.isSecret === true;
  const received = isSecret ? undefined : receivedText(issue.input);
  return [
    {
      ...place(path, false),
      path: pathText(path),
      ...(received !== undefined && { received }),
      expected: expectationOf(issue),
    },
  ];
}

function expectationOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPE_NAMES[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return issue.origin === 'string'
        ? 'a text that is not empty'
        : issue.origin === 'array'
          ? 'at least one'
          : `at least ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string' ? `at most ${issue.maximum} characters` : `at most ${issue.maximum}`;
    case 'invalid_union':
      return 'forward, none, or a mapping with "forward" or "fixed"';
    default:
      return issue.message;
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

const MAX_RECEIVED_CHARACTERS = 60;

function receivedText(input: unknown): string {
  if (input === undefined) return 'nothing';
  if (Array.isArray(input)) return 'a list';
  if (typeof input === 'object' && input !== null) return 'a mapping';
  const text = JSON.stringify(input);
  return text.length > MAX_RECEIVED_CHARACTERS ? `${text.slice(0, MAX_RECEIVED_CHARACTERS)}…` : text;
}

function pathText(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}

/** Of the value at the path, or of its key; where the file has nothing there, of what is nearest above. */
function placeOf(
  document: Document,
  lines: LineCounter,
  path: readonly PropertyKey[],
  isKey: boolean,
): { line: number; column: number } {
  for (let length = path.length; length > 0; length -= 1) {
    const parent: unknown = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const name = path[length - 1];
    const node: unknown = document.getIn(path.slice(0, length), true);
    const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === name) : undefined;
    const shown = (isKey || length < path.length) && pair ? pair.key : (node ?? pair?.key);
    const range =
      typeof shown === 'object' && shown !== null && 'range' in shown
        ? (shown.range as readonly number[] | null)
        : null;
    if (range?.[0] !== undefined) {
      const { line, col } = lines.linePos(range[0]);
      return { line, column: col };
    }
  }
  return { line: 1, column: 1 };
}
