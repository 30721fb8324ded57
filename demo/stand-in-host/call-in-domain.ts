import type { ToolOutcome } from './agent-tools.ts';
import { readRefusal } from './refusal.ts';
import type { Turn } from './turn.ts';

/** The domains of the demo's `parley.yaml`. */
export type DomainName = 'orders' | 'coach' | 'car';

/**
 * Calls a domain's tool, and before it `switch_domain` where the conversation is in another one: what the visitor has just asked
 * for is the reason. Rejects with the turn's signal's reason.
 */
export async function callInDomain(
  turn: Turn,
  domain: DomainName,
  tool: string,
  input: Readonly<Record<string, unknown>>,
): Promise<ToolOutcome> {
  const { session } = turn;
  if (session.activeDomain !== undefined && session.activeDomain !== domain) {
    const reason = `The visitor now asks for something of the domain ${domain}.`;
    const switched = await turn.callTool('switch_domain', { from: session.activeDomain, to: domain, reason });
    await turn.think();
    if (switched.isError) return switched;
  }
  const outcome = await turn.callTool(`${domain}_${tool}`, { domain, ...input });
  // The gateway alone knows the active domain; where it says another one than we believe, it is right.
  const refusal = outcome.isError ? readRefusal(outcome.body) : undefined;
  session.activeDomain = refusal?.code === 'domain_locked' ? refusal.domain : domain;
  return outcome;
}
