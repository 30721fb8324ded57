/** The names of properties that nobody outside of one of the widget's files knows, so that its build may shorten them. */
import { globSync, readFileSync } from 'node:fs';
import { parseSync } from 'vite';

/** Where names stand that others know: the relay, the page, the other file, a visitor's file, and the next version of the widget. */
const SHARED_FILES = [
  'relay/protocol/*.ts',
  'widget/load-markdown.ts',
  'widget/markdown/{markdown-options,markdown-view}.ts',
  'widget/{conversation,parley-chat,parley-chat-events,relay-client,session-start,session-storage,tabs}.ts',
];
/** There the keys of tables are such names too. */
const SHARED_TABLES = ['widget/{labels,label-files,launcher-labels,page-environment}.ts'];
const DECLARATIONS = ['TSPropertySignature', 'TSMethodSignature', 'MethodDefinition', 'PropertyDefinition'];
/** Called by the browser and by Lit. */
const CALLED_FROM_OUTSIDE = ['handleEvent', 'hostConnected', 'hostDisconnected'];

/** The members that an interface or a class of the widget declares and that stand in none of the shared files. */
export function ownNames(): string[] {
  const shared = new Set([
    ...CALLED_FROM_OUTSIDE,
    ...namesIn(SHARED_FILES, DECLARATIONS),
    ...namesIn(SHARED_TABLES, [...DECLARATIONS, 'Property']),
  ]);
  return [...namesIn(['widget/**/*.ts'], DECLARATIONS)].filter((name) => !shared.has(name));
}

function namesIn(patterns: readonly string[], nodeTypes: readonly string[]): Set<string> {
  const names = new Set<string>();
  for (const file of globSync(patterns)) {
    const { program } = parseSync(file, readFileSync(file, 'utf8'));
    JSON.stringify(program, (_, node) => {
      if (nodeTypes.includes(node?.type) && node.key.type === 'Identifier') names.add(node.key.name);
      return node;
    });
  }
  return names;
}
