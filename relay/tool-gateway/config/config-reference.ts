/** The keys of `parley.yaml` as data, made from the schema itself: for messages, and for the documents' table. */
import { z } from 'zod';
import { configSchema } from './config-schema.ts';

export interface ConfigKey {
  /** E.g. `domains.{name}.limits.callsPerMinute`. */
  readonly path: string;
  readonly description: string;
  /** JSON, or undefined when there is none. */
  readonly default: string | undefined;
}

interface SchemaNode {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly anyOf?: readonly SchemaNode[];
}

let root: SchemaNode | undefined;

function schema(): SchemaNode {
  root ??= z.toJSONSchema(configSchema(), { io: 'input', unrepresentable: 'any' }) as SchemaNode;
  return root;
}

/** Every key, in the schema's order. */
export function configKeys(): readonly ConfigKey[] {
  return keysBelow(schema(), '');
}

function keysBelow(node: SchemaNode, path: string): ConfigKey[] {
  const named = propertiesOf(node).flatMap(([name, child]) => {
    const own = path === '' ? name : `${path}.${name}`;
    const description = child.description ?? '';
    const standard = child.default === undefined ? undefined : JSON.stringify(child.default);
    return [{ path: own, description, default: standard }, ...keysBelow(child, own)];
  });
  const { additionalProperties: any } = node;
  return typeof any === 'object' && propertiesOf(any).length > 0
    ? [...named, ...keysBelow(any, `${path}.{name}`)]
    : named;
}

/** The keys that a mapping at this path may have. */
export function validKeysAt(path: readonly PropertyKey[]): readonly string[] {
  let node: SchemaNode | undefined = schema();
  for (const step of path) {
    const child: SchemaNode | undefined = propertiesOf(node ?? {}).find(([name]) => name === step)?.[1];
    const any: SchemaNode | boolean | undefined = node?.additionalProperties;
    node = child ?? (typeof any === 'object' ? any : undefined);
  }
  return propertiesOf(node ?? {}).map(([name]) => name);
}

function propertiesOf(node: SchemaNode): [string, SchemaNode][] {
  const own = Object.entries(node.properties ?? {});
  return [...own, ...(node.anyOf ?? []).flatMap((form) => Object.entries(form.properties ?? {}))];
}
