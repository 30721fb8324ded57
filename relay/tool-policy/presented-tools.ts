/** The tools as a model is to see them: each says its domain, what it is not for, its limits, and whether the visitor must release it. */

import { limitMeta, limitSentence } from './call-limits.ts';
import { CONFUSABLE_FROM, likeness, type ToolWords, wordsOf } from './confusable-tools.ts';
import type { PublicTool } from './decision.ts';
import { SWITCH_TOOL, switchSchema } from './intent-lock.ts';
import { type DomainRules, limitsOf, needsVerification, type PolicyRules } from './policy-rules.ts';
import { isSchema } from './schema-walk.ts';
import type { JsonSchema } from './tool-definition.ts';

export const DOMAIN_ARGUMENT = 'domain';

/** The tools of some domains, and `switch_domain` where the lock has more than one. */
export function presentTools(tools: readonly PublicTool[], rules: PolicyRules): readonly PublicTool[] {
  const words = new Map(tools.map((tool) => [tool, wordsOf(tool, tool.domain ?? '')]));
  const presented = tools.map((tool) => {
    const domain = rules.domains.find(({ name }) => name === tool.domain);
    return domain ? presentTool(tool, domain, rules, likeOthers(tool, words)) : tool;
  });
  const domains = rules.domains.map(({ name }) => name);
  return domains.length > 1 && rules.lockStart !== 'off' ? [...presented, switchTool(rules)] : presented;
}

function presentTool(
  tool: PublicTool,
  domain: DomainRules,
  rules: PolicyRules,
  others: readonly PublicTool[],
): PublicTool {
  const limits = limitsOf(tool.name, domain);
  const isTransaction = needsVerification(tool.name, tool.annotations?.readOnlyHint === true, domain.transactions);
  const description = [
    tool.description?.trim(),
    `Domain: "${domain.name}"${domain.about ? ` (${domain.about})` : ''}. The argument "${DOMAIN_ARGUMENT}" must say so.`,
    isTransaction && releaseSentence(rules.verification.waitMs),
    limits && limitSentence(limits),
    notForSentence(domain, rules, others),
  ];
  const meta = {
    ...tool._meta,
    'parley/domain': domain.name,
    ...(limits && { 'parley/limits': limitMeta(limits) }),
    ...(isTransaction && {
      'parley/verification': {
        by: 'visitor',
        waitMs: rules.verification.waitMs,
        retry: 'same arguments, after "continue"',
      },
    }),
  };
  return {
    ...tool,
    description: description.filter((part) => part).join('\n'),
    inputSchema: withDomain(tool.inputSchema, domain),
    ...(tool.outputSchema && { outputSchema: withAnsweredDomain(tool.outputSchema, domain.name) }),
    _meta: meta,
  };
}

/** An argument of the source's own that is called `domain` gets another name; this says which. */
export function ownDomainArgument(schema: JsonSchema): string | undefined {
  const properties = isSchema(schema.properties) ? schema.properties : {};
  if (!Object.hasOwn(properties, DOMAIN_ARGUMENT)) return undefined;
  let name = `tool_${DOMAIN_ARGUMENT}`;
  while (Object.hasOwn(properties, name)) name = `_${name}`;
  return name;
}

/** The source's schema with its own `domain` under the other name. */
export function renamedOwnDomain(schema: JsonSchema): JsonSchema {
  const own = ownDomainArgument(schema);
  if (own === undefined || !isSchema(schema.properties)) return schema;
  const rename = (name: string) => (name === DOMAIN_ARGUMENT ? own : name);
  const properties = Object.fromEntries(Object.entries(schema.properties).map(([name, of]) => [rename(name), of]));
  const required = Array.isArray(schema.required)
    ? { required: schema.required.map((name) => rename(String(name))) }
    : {};
  return { ...schema, properties, ...required };
}

function withDomain(schema: JsonSchema, { name, about }: DomainRules): JsonSchema {
  const renamed = renamedOwnDomain(schema);
  const properties = isSchema(renamed.properties) ? renamed.properties : {};
  const required = Array.isArray(renamed.required) ? renamed.required : [];
  const domain = {
    type: 'string',
    const: name,
    description: `Always "${name}"${about ? `: this call is about ${about}` : ''}.`,
  };
  return {
    ...renamed,
    type: 'object',
    properties: { [DOMAIN_ARGUMENT]: domain, ...properties },
    required: [DOMAIN_ARGUMENT, ...required],
  };
}

/** Not required: an answer of before, or an error, may come without it. */
function withAnsweredDomain(schema: JsonSchema, domain: string): JsonSchema {
  if (!isSchema(schema.properties) || Object.hasOwn(schema.properties, DOMAIN_ARGUMENT)) return schema;
  return { ...schema, properties: { ...schema.properties, [DOMAIN_ARGUMENT]: { type: 'string', const: domain } } };
}

function releaseSentence(waitMs: number): string {
  return (
    `Changes something: the visitor has to release exactly these arguments in the chat window. The call waits up to ` +
    `${Math.round(waitMs / 1_000)} s for that and otherwise answers "verification_required": then end your answer, and call again ` +
    'with the same arguments after he has pressed "continue". Never ask for a code in the conversation.'
  );
}

/** Last, because it decides between two tools that both seem right. */
function notForSentence(domain: DomainRules, rules: PolicyRules, others: readonly PublicTool[]): string | undefined {
  const said = domain.not?.map((what) => what.replace(/\.$/, '')) ?? [];
  const like = others.map((other) => {
    const about = rules.domains.find(({ name }) => name === other.domain)?.about;
    return `${about ?? `domain "${other.domain}"`} (use ${other.name} after ${SWITCH_TOOL})`;
  });
  const rest = rules.domains
    .filter(({ name }) => name !== domain.name && !others.some((other) => other.domain === name))
    .map(({ name, about }) => `${about ?? `domain "${name}"`} (use the tools ${name}_… after ${SWITCH_TOOL})`);
  const parts = [...said, ...like, ...(said.length > 0 ? [] : rest)];
  return parts.length > 0 ? `Not for: ${parts.join('; ')}.` : undefined;
}

/** Of each other domain the tool that this one could most easily be taken for. */
function likeOthers(tool: PublicTool, words: ReadonlyMap<PublicTool, ToolWords>): PublicTool[] {
  const own = words.get(tool);
  if (!own || words.size > MOST_COMPARED) return [];
  const best = new Map<string, { readonly tool: PublicTool; readonly score: number }>();
  for (const [other, otherWords] of words) {
    if (other.domain === undefined || other.domain === tool.domain) continue;
    const score = likeness(own, otherWords);
    if (score >= CONFUSABLE_FROM && score > (best.get(other.domain)?.score ?? 0))
      best.set(other.domain, { tool: other, score });
  }
  return [...best.values()].map((found) => found.tool);
}

/** Beyond this many, comparing each with each would take longer than a client waits for the list. */
const MOST_COMPARED = 600;

function switchTool(rules: PolicyRules): PublicTool {
  const list = rules.domains.map(({ name, about }) => `"${name}"${about ? ` (${about})` : ''}`).join(', ');
  return {
    name: SWITCH_TOOL,
    domain: undefined,
    description:
      `Leaves the active domain for another one. Only when the visitor himself wants something of the other domain; never to ` +
      `get round a refusal. Domains: ${list}. After it, only tools of the new domain can be called, and releases that the ` +
      'visitor has given but that were not used are void. Not for looking something up: no tool answers by it.',
    inputSchema: switchSchema(rules.domains.map(({ name }) => name)),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  };
}
