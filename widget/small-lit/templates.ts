/** Templates as Lit draws them: parsed once, cloned for each use, and after that only values that differ are written. */

/** Takes a part out: a child is removed, and so is an attribute. */
export const nothing = Symbol('nothing');

export interface Template {
  readonly strings: TemplateStringsArray;
  readonly values: readonly unknown[];
}

/** What event listeners are called on. */
export interface RenderOptions {
  readonly host?: object;
}

/** Writes its share of a template's values, beginning with the one at `first`; only those that differ from the last ones. */
type Writer = (values: readonly unknown[], first: number) => void;

interface Part {
  /** The place of its node among the template's elements and comments, in the order of the document. */
  readonly nodeIndex: number;
  /** How many of the template's values it takes. */
  readonly size: number;
  readonly connect: (node: Node, options: RenderOptions) => Writer;
}

interface ParsedTemplate {
  readonly content: DocumentFragment;
  readonly parts: readonly Part[];
}

/** Stands for a value: no template has this private character in its own text. */
const MARK = '\uE000';
const CHILD = '<!--?-->';
const CHILD_DATA = '?';

const parsedTemplates = new WeakMap<TemplateStringsArray, ParsedTemplate>();
const rootWriters = new WeakMap<Node, (value: unknown) => void>();

/** A page may require trusted types. What is trusted here is the widget's own markup; values never pass. */
const policy = (
  globalThis as { trustedTypes?: { createPolicy(name: string, rules: object): { createHTML(markup: string): string } } }
).trustedTypes?.createPolicy('lit-html', { createHTML: (markup: string) => markup });

export function html(strings: TemplateStringsArray, ...values: unknown[]): Template {
  return { strings, values };
}

/** Draws a value at the end of a container, in place of what the last call drew there. */
export function render(value: unknown, container: Node, options: RenderOptions = {}): void {
  let write = rootWriters.get(container);
  if (!write) {
    write = childWriter(container.appendChild(new Comment()), null, options);
    rootWriters.set(container, write);
  }
  write(value);
}

function parse(strings: TemplateStringsArray): ParsedTemplate {
  let markup = strings[0] as string;
  for (const string of strings.slice(1)) {
    const isInTag = markup.lastIndexOf('<') > markup.lastIndexOf('>');
    markup += (isInTag ? MARK : CHILD) + string;
  }
  const template = document.createElement('template');
  // The last comment keeps a child at the end of the template apart from what follows its clone.
  markup += '<!---->';
  template.innerHTML = policy ? policy.createHTML(markup) : markup;
  const parts: Part[] = [];
  const walker = walkerOf(template.content);
  for (let nodeIndex = 0; walker.nextNode(); nodeIndex++) {
    const node = walker.currentNode;
    if (node instanceof Element) {
      for (const { name, value } of [...node.attributes]) {
        const strings = value.split(MARK);
        if (strings.length < 2) continue;
        node.removeAttribute(name);
        const connect = (node: Node, options: RenderOptions) =>
          attributeWriter(node as Element, name, strings, options);
        parts.push({ nodeIndex, size: strings.length - 1, connect });
      }
    } else if ((node as Comment).data === CHILD_DATA) {
      parts.push({ nodeIndex, size: 1, connect: connectChild });
    }
  }
  return { content: template.content, parts };
}

function walkerOf(root: Node): TreeWalker {
  return document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_COMMENT);
}

/** A clone of the template and what writes values into it. */
function instantiate(strings: TemplateStringsArray, options: RenderOptions) {
  let parsed = parsedTemplates.get(strings);
  if (!parsed) {
    parsed = parse(strings);
    parsedTemplates.set(strings, parsed);
  }
  const { content, parts } = parsed;
  const fragment = document.importNode(content, true);
  // All nodes are found before a value is written, which would change their places.
  const walker = walkerOf(fragment);
  const nodes: Node[] = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  const writers = parts.map(({ nodeIndex, connect }) => connect(nodes[nodeIndex] as Node, options));
  const write = (values: readonly unknown[]) => {
    let first = 0;
    for (const [index, { size }] of parts.entries()) {
      writers[index]?.(values, first);
      first += size;
    }
  };
  return { fragment, write };
}

function connectChild(node: Node, options: RenderOptions): Writer {
  const write = childWriter(node, node.nextSibling, options);
  return (values, first) => write(values[first]);
}

/** Writes whatever may stand between `start` and `end`; an `end` of null is the end of the parent. */
function childWriter(start: Node, end: Node | null, options: RenderOptions): (value: unknown) => void {
  /** What stands there: a text, a node, the strings of a template, or a list. */
  let current: unknown = nothing;
  let writeTemplate: (values: readonly unknown[]) => void;
  let items: ListItem[];

  const clear = (from: Node | null = start.nextSibling) => {
    let node: Node | null = from;
    while (node && node !== end) {
      const gone = node;
      node = node.nextSibling;
      start.parentNode?.removeChild(gone);
    }
  };
  const insert = <Inserted extends Node>(node: Inserted) => start.parentNode?.insertBefore(node, end) as Inserted;
  const writeList = (values: readonly unknown[]) => {
    for (const [index, value] of values.entries()) {
      let item = items[index];
      if (!item) {
        const start = insert(new Comment());
        item = { start, write: childWriter(start, insert(new Comment()), options) };
        items.push(item);
      }
      item.write(value);
    }
    const [firstGone] = items.splice(values.length);
    if (firstGone) clear(firstGone.start);
  };

  return (value) => {
    const isTemplate = isTemplateValue(value);
    const next = isTemplate
      ? value.strings
      : Array.isArray(value)
        ? LIST
        : value instanceof Node
          ? value
          : textOf(value);
    const last = current;
    current = next;
    if (typeof last === 'string' && typeof next === 'string') {
      if (last !== next) (start.nextSibling as Text).data = next;
      return;
    }
    if (last !== next) {
      if (last !== nothing) clear();
      if (next === LIST) {
        items = [];
      } else if (isTemplate) {
        const { fragment, write } = instantiate(value.strings, options);
        write(value.values);
        insert(fragment);
        writeTemplate = write;
        return;
      } else if (next !== nothing) {
        insert(next instanceof Node ? next : new Text(next as string));
      }
    }
    if (next === LIST) writeList(value as readonly unknown[]);
    else if (isTemplate) writeTemplate(value.values);
  };
}

interface ListItem {
  readonly start: Node;
  readonly write: (value: unknown) => void;
}

const LIST = Symbol('list');

function isTemplateValue(value: unknown): value is Template {
  return Array.isArray(Object(value).values);
}

function textOf(value: unknown): unknown {
  return value === nothing || value === undefined || value === null || value === '' ? nothing : String(value);
}

/** `@name` is an event, `.name` a property, `?name` an attribute that is there or not, everything else an attribute. */
function attributeWriter(
  element: Element,
  name: string,
  strings: readonly string[],
  { host = element }: RenderOptions,
): Writer {
  const kind = name.charAt(0);
  const bareName = name.slice(1);
  if (kind === '@') {
    let listener: unknown;
    element.addEventListener(bareName, (event) => {
      if (typeof listener === 'function') listener.call(host, event);
    });
    return (values, first) => {
      listener = values[first];
    };
  }
  let last: unknown = nothing;
  return (values, first) => {
    const isPlain = kind !== '.' && kind !== '?';
    const value = isPlain ? attributeText(strings, values.slice(first, first + strings.length - 1)) : values[first];
    if (value === last) return;
    last = value;
    if (kind === '.') Object.assign(element, { [bareName]: value });
    else if (kind === '?') element.toggleAttribute(bareName, value !== nothing && Boolean(value));
    else if (value === nothing) element.removeAttribute(name);
    else element.setAttribute(name, value as string);
  };
}

function attributeText(strings: readonly string[], values: readonly unknown[]): unknown {
  if (values.includes(nothing)) return nothing;
  return values.reduce((text, value, index) => `${text}${value ?? ''}${strings[index + 1]}`, strings[0]);
}
