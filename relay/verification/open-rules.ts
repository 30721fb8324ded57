/** From `parley.yaml` to the rules at work. */
import type { Log } from '../log.ts';
import type { Pulse } from '../pulse.ts';
import type { Secrets } from '../sealing/secrets.ts';
import type { Store } from '../store/store.ts';
import type { DomainConfig, ParleyConfig } from '../tool-gateway/config/config-schema.ts';
import { publicName } from '../tool-gateway/public-names.ts';
import type { ToolPolicy } from '../tool-policy/decision.ts';
import { type CallLimits, DEFAULT_WAIT_MS, type DomainRules, type PolicyRules } from '../tool-policy/policy-rules.ts';
import { LoggedAudit } from './audit-log.ts';
import { type CodeDelivery, ConsoleDelivery } from './code-delivery.ts';
import { OneTimeCodes } from './one-time-codes.ts';
import { type RecipientLookup, VisitorItself, WebhookLookup } from './recipient-lookup.ts';
import { SessionPolicy } from './session-policy.ts';
import { type VerificationMeans, Verifications } from './verifications.ts';
import { WebhookDelivery } from './webhook-delivery.ts';

export interface OpenRules {
  /** For the relay's routes; the same one whatever configuration is in force. */
  readonly verifications: Verifications;
  /** The rules of a configuration, which is in force from now on. Undefined: it has no domains, so that there is nothing to rule. */
  policyFor(config: ParleyConfig): ToolPolicy | undefined;
  close(): void;
}

export function openRules(parts: {
  readonly store: Store;
  readonly pulse: Pulse;
  readonly log: Log;
  readonly secrets: Secrets;
  readonly now?: () => number;
}): OpenRules {
  const { store, pulse, log, secrets, now = Date.now } = parts;
  let means: VerificationMeans = { delivery: new NoDelivery(), lookup: new VisitorItself(), waitMs: DEFAULT_WAIT_MS };
  const verifications = new Verifications({
    ...{ store, pulse, log, now },
    codes: new OneTimeCodes(secrets),
    means: () => means,
  });
  return {
    verifications,
    policyFor: (config) => {
      if (!config.domains) return undefined;
      means.delivery.close();
      means = meansOf(config.verification);
      const audit = new LoggedAudit(log, { hasArguments: config.audit.arguments });
      return new SessionPolicy({ rules: rulesOf(config), store, verifications, audit, now });
    },
    close: () => means.delivery.close(),
  };
}

export function rulesOf(config: ParleyConfig): PolicyRules {
  return {
    lockStart: config.intentLock.start,
    domains: Object.entries(config.domains ?? {}).map(([name, domain]) => domainRulesOf(name, domain)),
    verification: { waitMs: config.verification?.waitMs ?? DEFAULT_WAIT_MS },
  };
}

function domainRulesOf(name: string, domain: DomainConfig): DomainRules {
  const { about, not, consent, limits, transactions, rename } = domain;
  const publicly = (source: string) =>
    publicName(name, Object.hasOwn(rename, source) ? (rename[source] ?? source) : source);
  const limitOf = (perMinute: number): CallLimits | undefined => (perMinute === 0 ? undefined : { perMinute });
  const general = limitOf(limits.callsPerMinute);
  const toolLimits = Object.entries(limits.tools).flatMap(([tool, perMinute]) => {
    const limit = limitOf(perMinute);
    return limit ? [[publicly(tool), limit] as const] : [];
  });
  const exempt = transactions.exempt.map(publicly);
  return {
    name,
    about: about.replace(/\.$/, ''),
    ...(not !== undefined && { not: [not] }),
    needsConsent: consent,
    ...(general && { limits: general }),
    toolLimits: Object.fromEntries(toolLimits),
    // A list of what has to be verified leaves everything else out.
    transactions: transactions.verify ? { require: transactions.verify.map(publicly), exempt: ['*'] } : { exempt },
  };
}

function meansOf(verification: ParleyConfig['verification']): VerificationMeans {
  const waitMs = verification?.waitMs ?? DEFAULT_WAIT_MS;
  return { delivery: deliveryOf(verification), lookup: lookupOf(verification), waitMs };
}

function deliveryOf(verification: ParleyConfig['verification']): CodeDelivery {
  switch (verification?.send) {
    case 'console':
      return new ConsoleDelivery();
    case 'webhook':
      return verification.webhook ? new WebhookDelivery(addressed(verification.webhook)) : new NoDelivery();
    case 'smtp':
      return verification.smtp ? new MailWhenNeeded(verification.smtp) : new NoDelivery();
    case undefined:
      return new NoDelivery();
  }
}

function lookupOf(verification: ParleyConfig['verification']): RecipientLookup {
  return verification?.recipient ? new WebhookLookup(addressed(verification.recipient)) : new VisitorItself();
}

function addressed({ url, secret }: { readonly url: URL; readonly secret: string }) {
  return { url: url.href, secret };
}

/** Without `verification` in the configuration nothing can be released: transactions are refused, not waved through. */
class NoDelivery implements CodeDelivery {
  deliver(): Promise<void> {
    return Promise.reject(new Error('no way to send a code is configured'));
  }

  close(): void {}
}

type MailSettings = NonNullable<NonNullable<ParleyConfig['verification']>['smtp']>;

/** Mail's code is loaded with the first mail. */
class MailWhenNeeded implements CodeDelivery {
  readonly #settings: MailSettings;
  #delivery: Promise<CodeDelivery> | undefined;

  constructor(settings: MailSettings) {
    this.#settings = settings;
  }

  async deliver(...args: Parameters<CodeDelivery['deliver']>): Promise<void> {
    this.#delivery ??= import('./smtp-delivery.ts').then(({ SmtpDelivery }) => new SmtpDelivery(this.#settings));
    await (await this.#delivery).deliver(...args);
  }

  close(): void {
    void this.#delivery?.then((delivery) => delivery.close());
  }
}
