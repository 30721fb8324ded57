/** What a model could get wrong about these tools, by the checklist for safe tool routing. */
import type { JsonSchema } from '../tool-gateway/tool-source.ts';
import { ARGUMENT_FORMATS, formatOf, unitOf } from '../tool-policy/argument-formats.ts';
import { likeness, wordsOf } from '../tool-policy/confusable-tools.ts';
import type { PublicTool } from '../tool-policy/decision.ts';
import { limitsOf, needsVerification, type PolicyRules } from '../tool-policy/policy-rules.ts';
import { isSchema, itemsOf, propertiesOf, resolve, typesOf } from '../tool-policy/schema-walk.ts';

/** The rules, with what each is about; the documents' table is made from it. */
export const CHECKS = {
  'name-without-domain': 'A tool’s name does not begin with its domain.',
  'no-intent-lock': 'Several domains and no lock between them.',
  'confusable-tools': 'Two tools of different domains that a model could take for one another.',
  'missing-not-for': 'A domain does not say what it is not for.',
  'number-without-unit': 'A number whose name and description name no unit.',
  'free-text-date': 'A date that may be written in any form.',
  'time-without-offset': 'A time that need not say its offset.',
  'transaction-without-verification': 'A call that changes something and needs no release by the visitor.',
  'verification-not-configured': 'Calls need a release, and there is no way to send a code.',
  'limits-not-documented': 'No limit is set, so that none can be told to the model.',
} as const;

export type CheckName = keyof typeof CHECKS;

export interface Finding {
  readonly check: CheckName;
  /** An `error` makes the command fail. */
  readonly severity: 'error' | 'warning';
  readonly domain: string | undefined;
  /** Public name. */
  readonly tool?: string;
  /** Path of the argument, e.g. `legs/date`. */
  readonly argument?: string;
  readonly message: string;
  readonly remedy: string;
}

/** From here on two tools of different domains are reported. */
const REPORTED_LIKENESS = 0.5;
const MOST_COMPARED = 1_500;

export function findingsIn(
  tools: readonly PublicTool[],
  rules: PolicyRules,
  options: { readonly canSendCodes: boolean },
): readonly Finding[] {
  return [
    ...ofLock(rules),
    ...rules.domains.flatMap((domain) => ofDomain(domain.name, tools, rules)),
    ...ofVerification(tools, rules, options.canSendCodes),
    ...tools.flatMap((tool) => [...ofName(tool), ...ofSafety(tool, rules), ...ofArguments(tool)]),
    ...ofLikeness(tools),
  ];
}

function ofLock({ domains, lockStart }: PolicyRules): Finding[] {
  if (domains.length < 2 || lockStart !== 'off') return [];
  return [
    {
      check: 'no-intent-lock',
      severity: 'error',
      domain: undefined,
      message: `${domains.length} domains are offered together and intentLock.start is off`,
      remedy: 'set intentLock.start to first-call or explicit',
    },
  ];
}

function ofDomain(name: string, tools: readonly PublicTool[], rules: PolicyRules): Finding[] {
  const domain = rules.domains.find((candidate) => candidate.name === name);
  if (!domain) return [];
  const findings: Finding[] = [];
  if (rules.domains.length > 1 && !domain.not?.length) {
    findings.push({
      check: 'missing-not-for',
      severity: 'warning',
      domain: name,
      message: `the domain does not say what it is not for`,
      remedy: `set domains.${name}.not, and name the domain that is`,
    });
  }
  const unlimited = tools.filter((tool) => tool.domain === name && !limitsOf(tool.name, domain));
  if (unlimited.length > 0) {
    findings.push({
      check: 'limits-not-documented',
      severity: 'warning',
      domain: name,
      message: `no limit is set for ${unlimited.length === 1 ? unlimited[0]?.name : `${unlimited.length} tools`}`,
      remedy: `set domains.${name}.limits.callsPerMinute; it is enforced and told to the model`,
    });
  }
  return findings;
}

function ofVerification(tools: readonly PublicTool[], rules: PolicyRules, canSendCodes: boolean): Finding[] {
  const needing = tools.filter((tool) => isTransaction(tool, rules));
  if (needing.length === 0 || canSendCodes) return [];
  return [
    {
      check: 'verification-not-configured',
      severity: 'error',
      domain: undefined,
      message: `${needing.length} tools need a release by the visitor (${needing[0]?.name}, …) and none can be asked for`,
      remedy: 'set verification.send, or exempt the tools under domains.….transactions.exempt',
    },
  ];
}

function ofName({ name, domain }: PublicTool): Finding[] {
  if (domain !== undefined && name.startsWith(`${domain}_`)) return [];
  return [
    {
      check: 'name-without-domain',
      severity: 'warning',
      domain,
      tool: name,
      message: 'the name does not say which domain the tool belongs to',
      remedy: domain === undefined ? 'configure domains instead of "tools"' : 'leave out "transparent" for this domain',
    },
  ];
}

function ofSafety(tool: PublicTool, rules: PolicyRules): Finding[] {
  const isReadOnly = tool.annotations?.readOnlyHint === true;
  if (isReadOnly || tool.domain === undefined || isTransaction(tool, rules)) return [];
  return [
    {
      check: 'transaction-without-verification',
      severity: 'warning',
      domain: tool.domain,
      tool: tool.name,
      message: 'it may change something, and the visitor need not release it',
      remedy: `take it out of domains.${tool.domain}.transactions.exempt, unless a wrong call does no harm`,
    },
  ];
}

function ofArguments(tool: PublicTool): Finding[] {
  const findings: Finding[] = [];
  const visit = (name: string, path: string, schema: JsonSchema, depth: number) => {
    const resolved = resolve(schema, tool.inputSchema);
    const finding = ofArgument(name, resolved, tool.inputSchema);
    if (finding)
      findings.push({ ...finding, severity: 'warning', domain: tool.domain, tool: tool.name, argument: path });
    if (depth > MAX_DEPTH) return;
    for (const [member, of] of propertiesOf(schema, tool.inputSchema))
      visit(member, `${path}/${member}`, of, depth + 1);
    const items = itemsOf(resolved, tool.inputSchema);
    if (items) visit(name, path, items, depth + 1);
  };
  for (const [name, schema] of propertiesOf(tool.inputSchema, tool.inputSchema)) {
    if (name !== 'domain' || !isSchema(schema)) visit(name, name, schema, 0);
  }
  return findings;
}

const MAX_DEPTH = 6;
const DATE_NAME = /(^|_)(date|day|departure|arrival|check_?in|check_?out|birthday|due|deadline|from_date|until|since)$/;
const TIME_NAME = /(^|_)(time|at|start|end|timestamp|datetime|date_time|pick_?up|drop_?off)$/;

function ofArgument(
  name: string,
  schema: JsonSchema,
  root: JsonSchema,
): Pick<Finding, 'check' | 'message' | 'remedy'> | undefined {
  const { description, format } = schema;
  if ('enum' in schema || 'const' in schema) return undefined;
  const types = typesOf(schema, root);
  if (types.has('integer') || types.has('number')) {
    if (unitOf({ name, description })) return undefined;
    return {
      check: 'number-without-unit',
      message: 'neither its name nor its description says of what it is the number',
      remedy: 'name the unit, e.g. "distance_km" or "number of nights"',
    };
  }
  if (!types.has('string') || 'pattern' in schema) return undefined;
  const known = formatOf({ name, format, description })?.name;
  const snake = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  if (known === 'local-time') return timeWithoutOffset('its format has no offset');
  if (known !== undefined || typeof format === 'string') return undefined;
  if (DATE_NAME.test(snake)) {
    return {
      check: 'free-text-date',
      message: 'it is a date in any form, so that a model writes local ones',
      remedy: `give it "format: date" (${ARGUMENT_FORMATS.date?.example})`,
    };
  }
  return TIME_NAME.test(snake) ? timeWithoutOffset('it is a time in any form') : undefined;
}

function timeWithoutOffset(message: string) {
  const remedy = `give it "format: date-time" (${ARGUMENT_FORMATS['date-time']?.example})`;
  return { check: 'time-without-offset', message, remedy } as const;
}

function ofLikeness(tools: readonly PublicTool[]): Finding[] {
  const compared = tools.slice(0, MOST_COMPARED).map((tool) => ({ tool, words: wordsOf(tool, tool.domain ?? '') }));
  const findings: Finding[] = [];
  compared.forEach(({ tool, words }, index) => {
    for (const other of compared.slice(index + 1)) {
      if (other.tool.domain === tool.domain) continue;
      const score = likeness(words, other.words);
      const isToldApart = tool.description?.includes(other.tool.name) && other.tool.description?.includes(tool.name);
      if (score < REPORTED_LIKENESS || isToldApart) continue;
      findings.push({
        check: 'confusable-tools',
        severity: 'warning',
        domain: tool.domain,
        tool: tool.name,
        message: `${Math.round(score * 100)} % like ${other.tool.name} in name, arguments and description`,
        remedy: `say in both descriptions what each is not for, and name the other; or rename one`,
      });
    }
  });
  return findings;
}

function isTransaction(tool: PublicTool, rules: PolicyRules): boolean {
  const domain = rules.domains.find(({ name }) => name === tool.domain);
  return (
    domain !== undefined && needsVerification(tool.name, tool.annotations?.readOnlyHint === true, domain.transactions)
  );
}
