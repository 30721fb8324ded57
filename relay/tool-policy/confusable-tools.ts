/** How likely a model takes one tool for another: the words of names, parameters and descriptions compared. */

import { isSchema } from './schema-walk.ts';
import type { ToolDefinition } from './tool-definition.ts';

/** The parts of a tool that a model goes by, as sets of words without the domain's name. */
export interface ToolWords {
  readonly name: ReadonlySet<string>;
  readonly parameters: ReadonlySet<string>;
  readonly description: ReadonlySet<string>;
}

export function wordsOf(tool: ToolDefinition, domain: string): ToolWords {
  const ownWords = wordSet(domain);
  const properties = isSchema(tool.inputSchema.properties) ? Object.keys(tool.inputSchema.properties) : [];
  return {
    name: without(wordSet(tool.name), ownWords),
    parameters: new Set(properties.filter((name) => name !== 'domain').map((name) => name.toLowerCase())),
    description: without(wordSet(firstSentence(tool.description ?? '')), FILLERS),
  };
}

/** 0 (nothing in common) … 1 (the same words). Names count most, then parameters: the seed's example is two equal sets of them. */
export function likeness(a: ToolWords, b: ToolWords): number {
  return (
    0.45 * overlap(a.name, b.name) +
    0.35 * overlap(a.parameters, b.parameters) +
    0.2 * overlap(a.description, b.description)
  );
}

/** From here on two tools are told apart in what the model reads. */
export const CONFUSABLE_FROM = 0.4;

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  const common = [...a].filter((word) => b.has(word)).length;
  return common / (a.size + b.size - common);
}

const FILLERS = new Set(
  'a an the of for to in on by with and or from this that all one is are be as at it its'.split(' '),
);

function wordSet(text: string): Set<string> {
  const spaced = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return new Set(spaced.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== ''));
}

function without(words: ReadonlySet<string>, others: ReadonlySet<string>): Set<string> {
  return new Set([...words].filter((word) => !others.has(word)));
}

function firstSentence(text: string): string {
  return text.split(/(?<=[.!?])\s|\n/, 1)[0] ?? '';
}
