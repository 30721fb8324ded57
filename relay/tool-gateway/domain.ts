/** One domain at work: which of its source's tools are offered, under which names, and how a call reaches the source. */
import { failureForLog, type Log, loggable } from '../log.ts';
import type { PublicTool } from '../tool-policy/decision.ts';
import type { ToolError } from '../tool-policy/tool-error.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import type { DomainSetup } from './gateway-setup.ts';
import { hashedName, publicName } from './public-names.ts';
import type { Executed } from './repeats.ts';
import { capResult } from './result-size.ts';
import {
  OUTCOME_UNKNOWN_META,
  type SourceCall,
  type SourceResult,
  type SourceTool,
  toolErrorResult,
} from './tool-source.ts';

export interface OfferedTool {
  readonly sourceName: string;
  readonly definition: PublicTool;
}

interface Offer {
  readonly from: readonly SourceTool[];
  readonly prefixed: ReadonlyMap<string, OfferedTool>;
  readonly plain: ReadonlyMap<string, OfferedTool>;
}

export class Domain {
  readonly setup: DomainSetup;
  readonly #log: Log;
  readonly #breaker: CircuitBreaker;
  #offer: Offer | undefined;
  #running = 0;

  constructor(setup: DomainSetup, log: Log, now: () => number) {
    this.setup = setup;
    this.#log = log.child({ domain: setup.name ?? 'tools' });
    this.#breaker = new CircuitBreaker(now);
  }

  /**
   * The tools by the names under which they are offered. A source that cannot be asked offers what it did last; if that was
   * never, undefined. Rejects only with the signal's reason.
   */
  async offered(isPlain: boolean, signal: AbortSignal): Promise<ReadonlyMap<string, OfferedTool> | undefined> {
    try {
      const tools = await this.setup.source.listTools(signal);
      if (this.#offer?.from !== tools) this.#offer = this.#makeOffer(tools);
    } catch (failure) {
      if (signal.aborted) throw signal.reason;
      this.#log.error(failureForLog(failure), 'the tools of a source cannot be read; the others go on');
    }
    return isPlain ? this.#offer?.plain : this.#offer?.prefixed;
  }

  /** False until the source has told its tools once. */
  get isKnown(): boolean {
    return this.#offer !== undefined;
  }

  /** Makes the call. Rejects with `SourceProtocolError` alone. */
  async execute(call: SourceCall, tool: OfferedTool, signal: AbortSignal): Promise<Executed> {
    const { timeoutMs, concurrentCalls, maxResultBytes, source } = this.setup;
    if (this.#running >= concurrentCalls) return failed(BUSY);
    const waitMs = this.#breaker.admit();
    if (waitMs > 0) return failed({ ...UNAVAILABLE, retryAfterMs: waitMs });
    const timeOut = AbortSignal.timeout(timeoutMs);
    this.#running += 1;
    let isAnswered: boolean | undefined;
    try {
      const result = await source.callTool(call, AbortSignal.any([signal, timeOut]));
      isAnswered = isAnswer(result);
      const outcome = outcomeOf(result);
      return {
        type: 'result',
        outcome,
        result: capResult(result, maxResultBytes, tool.definition.outputSchema !== undefined),
      };
    } catch (failure) {
      if (signal.aborted) return { type: 'aborted', isStarted: true };
      if (timeOut.aborted) {
        isAnswered = false;
        const isRead = tool.definition.annotations?.readOnlyHint === true;
        return {
          type: 'result',
          outcome: isRead ? 'failed' : 'unknown',
          result: toolErrorResult(timedOut(timeoutMs, isRead)),
        };
      }
      isAnswered = true;
      throw failure;
    } finally {
      this.#running -= 1;
      this.#breaker.settle(isAnswered);
    }
  }

  #makeOffer(tools: readonly SourceTool[]): Offer {
    const { name: domain, rename } = this.setup;
    const prefixed = new Map<string, OfferedTool>();
    const plain = new Map<string, OfferedTool>();
    for (const tool of tools) {
      if (!this.#isOffered(tool.name)) continue;
      const wanted = Object.hasOwn(rename, tool.name) ? (rename[tool.name] ?? tool.name) : tool.name;
      const add = (offer: Map<string, OfferedTool>, ...names: string[]) => {
        const name = names.find((candidate) => !offer.has(candidate));
        if (name === undefined) {
          this.#log.error({ tool: loggable(tool.name) }, 'a source has two tools of one name; the second is left out');
          return;
        }
        offer.set(name, { sourceName: tool.name, definition: { ...tool, name, domain } });
      };
      add(plain, wanted);
      if (domain === undefined) continue;
      add(prefixed, publicName(domain, wanted), hashedName(domain, tool.name));
    }
    return { from: tools, plain, prefixed: domain === undefined ? plain : prefixed };
  }

  #isOffered(name: string): boolean {
    const { allow, deny } = this.setup;
    return (
      (allow === undefined || allow.some((pattern) => matches(pattern, name))) &&
      !deny.some((pattern) => matches(pattern, name))
    );
  }
}

/** `*` stands for any characters, everything else for itself. */
function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name);
}

function failed(error: ToolError): Executed {
  return { type: 'result', outcome: 'failed', result: toolErrorResult(error) };
}

/** False: the call went wrong on its way, or the API says that it is in trouble itself. */
function isAnswer(result: SourceResult): boolean {
  if (!result.isError) return true;
  const { code, api } = (result.structuredContent ?? {}) as Partial<ToolError>;
  if (code === 'api_unreachable' || code === 'outcome_unknown' || code === 'api_timeout') return false;
  return api === undefined || api.status < 502 || api.status > 504;
}

function outcomeOf(result: SourceResult): 'done' | 'failed' | 'unknown' {
  if (!result.isError) return 'done';
  return result._meta?.['parley/outcome'] === OUTCOME_UNKNOWN_META['parley/outcome'] ? 'unknown' : 'failed';
}

const BUSY: ToolError = {
  code: 'rate_limited',
  retryable: true,
  retryAfterMs: 1_000,
  hint: 'Too many calls to this API are running at the moment. The call was not carried out; try again after the time given.',
};

const UNAVAILABLE: ToolError = {
  code: 'api_unavailable',
  retryable: true,
  hint: 'The API has not answered several calls in a row. This call was not carried out. Try again after the time given, or tell the visitor.',
};

function timedOut(timeoutMs: number, isRead: boolean): ToolError {
  return {
    code: 'api_timeout',
    expected: `an answer within ${timeoutMs} ms`,
    retryable: isRead,
    hint: isRead
      ? 'The API has not answered in time. Try again once, or tell the visitor.'
      : 'The API has not answered in time. The call may have been carried out: look before anything is tried again.',
  };
}
