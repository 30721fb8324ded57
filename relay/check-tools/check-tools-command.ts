/**
 * `parley check-tools [--json] [file]`: what a model could get wrong about the tools of `parley.yaml` (default: `PARLEY_CONFIG`),
 * with file and line. Exit code 0: no errors; 1: errors, or with `--strict` also warnings; 78: the file has mistakes.
 */
import { readFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createLog } from '../log.ts';
import { ApiDescriptionError } from '../tool-gateway/api-description/api-description-error.ts';
import { GatewayConfigError } from '../tool-gateway/config/config-mistake.ts';
import type { ParleyConfig } from '../tool-gateway/config/config-schema.ts';
import { readGatewayConfig } from '../tool-gateway/config/read-config.ts';
import { Domain } from '../tool-gateway/domain.ts';
import { openSetup } from '../tool-gateway/open-setup.ts';
import type { PublicTool } from '../tool-policy/decision.ts';
import { faultsOfDomainNames } from '../tool-policy/domain-names.ts';
import { rulesOf } from '../verification/open-rules.ts';
import { type DescribedFile, describedFile } from './place-in-file.ts';
import { type Finding, findingsIn } from './tool-findings.ts';

const EXIT_CONFIG = 78;
const LISTING_MS = 30_000;

export interface PlacedFinding extends Finding {
  readonly file: string;
  readonly line: number;
}

/** What the command says goes to `write`. */
export async function checkToolsCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  write: (text: string) => void = (text) => void process.stdout.write(text),
): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false }, strict: { type: 'boolean', default: false } },
  });
  const file = positionals[0] ?? environment.PARLEY_CONFIG;
  if (file === undefined) {
    write('Which file? parley check-tools [--json] [--strict] parley.yaml\n');
    return EXIT_CONFIG;
  }
  try {
    const findings = await checkTools(file, environment);
    write(values.json ? `${JSON.stringify(findings, undefined, 2)}\n` : reportText(findings));
    const isFailed = findings.some(({ severity }) => values.strict || severity === 'error');
    return isFailed ? 1 : 0;
  } catch (failure) {
    if (!(failure instanceof GatewayConfigError || failure instanceof ApiDescriptionError)) throw failure;
    write(`${failure.message}\n`);
    return EXIT_CONFIG;
  }
}

async function checkTools(
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly PlacedFinding[]> {
  const text = await readFile(file, 'utf8');
  // Secrets are not needed to look at tools: one that is not set here is no mistake here.
  const variables = (name: string) => environment[name] || 'not set';
  const config = readGatewayConfig(text, { file, variables, isLoopback: true });
  const log = createLog('silent');
  const opened = await openSetup(config, { configFile: file, kept: new Map(), log });
  try {
    const signal = AbortSignal.timeout(LISTING_MS);
    const sourceNames = new Map<PublicTool, string>();
    for (const setup of opened.setup.domains) {
      const offered = await new Domain(setup, log, Date.now).offered(false, signal);
      for (const { sourceName, definition } of offered?.values() ?? []) sourceNames.set(definition, sourceName);
    }
    const tools = [...sourceNames.keys()];
    const rules = rulesOf(config);
    const findings = findingsIn(tools, rules, { canSendCodes: config.verification !== undefined });
    const places = await placesOf(file, text, config);
    return [
      ...faultsOfDomainNames(rules.domains.map(({ name }) => name)).map((message) => ofName(message, file)),
      ...findings.map((finding) => {
        const tool = tools.find(({ name }) => name === finding.tool);
        return { ...finding, ...places(finding, tool && sourceNames.get(tool)) };
      }),
    ];
  } finally {
    await Promise.all([...opened.sources.values()].map((source) => source.close()));
  }
}

function ofName(message: string, file: string): PlacedFinding {
  const remedy = 'give the domains names that nobody can mix up';
  return { check: 'name-without-domain', severity: 'error', domain: undefined, message, remedy, file, line: 1 };
}

/** In the API description where the tool comes from one, else in `parley.yaml`. */
async function placesOf(file: string, text: string, config: ParleyConfig) {
  const own = describedFile(text);
  const descriptions = new Map<string, { readonly path: string; readonly described: DescribedFile }>();
  for (const [name, { openapi }] of Object.entries(config.domains ?? {})) {
    if (openapi === undefined) continue;
    const path = resolve(dirname(resolve(file)), openapi);
    descriptions.set(name, { path: relative('', path), described: describedFile(await readFile(path, 'utf8')) });
  }
  return (finding: Finding, sourceName: string | undefined): { file: string; line: number } => {
    const description = descriptions.get(finding.domain ?? '');
    const line = sourceName === undefined ? undefined : description?.described.lineOf(sourceName, finding.argument);
    if (description && line !== undefined) return { file: description.path, line };
    const path = finding.domain === undefined ? SECTION[finding.check] : ['domains', finding.domain];
    return { file, line: own.lineOfPath(path ?? []) ?? 1 };
  };
}

const SECTION: Partial<Record<Finding['check'], readonly string[]>> = {
  'no-intent-lock': ['intentLock'],
  'verification-not-configured': ['domains'],
  'name-without-domain': ['tools'],
};

function reportText(findings: readonly PlacedFinding[]): string {
  const lines = findings.map(({ file, line, severity, check, tool, argument, message, remedy }) => {
    const subject = [tool, argument].filter((part) => part !== undefined).join(' ');
    return `${file}:${line} ${severity} ${check}${subject ? ` ${subject}` : ''}: ${message}; ${remedy}\n`;
  });
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  return `${lines.join('')}${errors} errors, ${findings.length - errors} warnings\n`;
}
