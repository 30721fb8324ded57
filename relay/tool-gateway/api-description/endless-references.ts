/**
 * Finds schemas that refer to themselves without going one level down into the value: `A = allOf [A]`, or a base whose
 * `oneOf` names its children while each child's `allOf` names the base. A validator would never end on them.
 */
import { isJsonRecord, listMember } from './json-record.ts';
import type { References } from './references.ts';

export type InPlaceKind = 'allOf' | 'other';

interface Edge {
  readonly target: string;
  readonly kind: InPlaceKind;
}

/** Inline nesting deeper than this is not looked at: the conversion cuts it off anyway. */
const MAX_DEPTH = 60;

export class EndlessReferences {
  readonly #references: References;
  readonly #edges = new Map<string, readonly Edge[]>();
  /** Number of the group of schemas that reach one another, over all references and without those of `allOf`. */
  readonly #groups = { all: new Map<string, number>(), withoutAllOf: new Map<string, number>() };

  constructor(references: References) {
    this.#references = references;
  }

  /** True when the reference from `source` to `target` is part of a circle. */
  isCircle(source: string, target: string): boolean {
    return this.#isSameGroup('all', source, target);
  }

  /** True when the circle remains although each `allOf` within it is cut. */
  isCircleWithoutAllOf(source: string, target: string): boolean {
    return this.#isSameGroup('withoutAllOf', source, target);
  }

  #isSameGroup(graph: 'all' | 'withoutAllOf', source: string, target: string): boolean {
    const groups = this.#groups[graph];
    if (!groups.has(source)) this.#group(source, graph);
    return groups.get(source) === groups.get(target);
  }

  /** Tarjan's strongly connected components, with a stack of its own: chains of references can be a million long. */
  #group(start: string, graph: 'all' | 'withoutAllOf'): void {
    const groups = this.#groups[graph];
    const order = new Map<string, number>();
    const lowest = new Map<string, number>();
    const open: string[] = [];
    const path: { readonly key: string; readonly targets: readonly string[]; next: number }[] = [];
    const enter = (key: string) => {
      order.set(key, order.size);
      lowest.set(key, order.get(key)!);
      open.push(key);
      const edges = this.#edgesOf(key).filter(({ kind }) => graph === 'all' || kind === 'other');
      path.push({ key, targets: edges.map(({ target }) => target), next: 0 });
    };
    enter(start);
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const target = step.targets[step.next];
      step.next += 1;
      if (target !== undefined) {
        if (groups.has(target)) continue;
        if (!order.has(target)) enter(target);
        else lowest.set(step.key, Math.min(lowest.get(step.key)!, order.get(target)!));
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent) lowest.set(parent.key, Math.min(lowest.get(parent.key)!, lowest.get(step.key)!));
      if (lowest.get(step.key) !== order.get(step.key)) continue;
      const group = groups.size;
      for (let key = open.pop(); key !== undefined; key = open.pop()) {
        groups.set(key, group);
        if (key === step.key) break;
      }
    }
  }

  #edgesOf(key: string): readonly Edge[] {
    const known = this.#edges.get(key);
    if (known) return known;
    const edges: Edge[] = [];
    try {
      collect(this.#references.target(key).value, 'other', edges, 0);
    } catch {
      // A reference that leads nowhere is reported where it is converted.
    }
    this.#edges.set(key, edges);
    return edges;
  }
}

function collect(schema: unknown, kind: InPlaceKind, edges: Edge[], depth: number): void {
  if (!isJsonRecord(schema) || depth > MAX_DEPTH) return;
  if (typeof schema.$ref === 'string') edges.push({ target: schema.$ref, kind });
  for (const part of listMember(schema, 'allOf')) collect(part, 'allOf', edges, depth + 1);
  for (const name of ['anyOf', 'oneOf']) {
    for (const part of listMember(schema, name)) collect(part, 'other', edges, depth + 1);
  }
  for (const name of ['not', 'if', 'then', 'else']) collect(schema[name], 'other', edges, depth + 1);
}
