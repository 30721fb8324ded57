/** The tools of an API description, and the calls behind them. */
import * as http from 'node:http';
import * as https from 'node:https';
import type { ToolError } from '../../tool-policy/tool-error.ts';
import {
  OUTCOME_UNKNOWN_META,
  type SourceCall,
  type SourceResult,
  type SourceTool,
  type ToolSource,
  toolErrorResult,
} from '../tool-source.ts';
import { type AddressPolicy, AddressRefused } from './address-policy.ts';
import { resultOfAnswer } from './api-answer.ts';
import { errorOfAnswer, errorOfExchange, isOutcomeUnknown } from './api-failure.ts';
import { ArgumentCheck } from './argument-check.ts';
import { ArgumentsRefused } from './arguments-refused.ts';
import { type ApiRequest, buildRequest, MetaRefused } from './build-request.ts';
import { callApi } from './call-api.ts';
import { ExchangeFailed, type ReceivedAnswer } from './http-exchange.ts';
import type { ImportReport } from './import-report.ts';
import { readStringifiedArguments } from './stringified-arguments.ts';
import { isRead, type ToolPlan } from './tool-plan.ts';

export interface DescribedTool {
  readonly tool: SourceTool;
  readonly plan: ToolPlan;
}

export interface ApiDescriptionSourceOptions {
  readonly tools: readonly DescribedTool[];
  readonly report: ImportReport;
  readonly policy: AddressPolicy;
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
}

/** Servers close idle connections after 5 s and more; one that is used longer might be closed in the very moment of a call. */
const IDLE_CONNECTION_MS = 4_000;

export class ApiDescriptionSource implements ToolSource {
  /** What was left out or changed on the way from the description to the tools. */
  readonly report: ImportReport;
  readonly #tools: readonly SourceTool[];
  readonly #byName: ReadonlyMap<string, DescribedTool>;
  readonly #options: ApiDescriptionSourceOptions;
  readonly #agents: { readonly http: http.Agent; readonly https: https.Agent };
  readonly #check = new ArgumentCheck();
  readonly #closing = new AbortController();

  constructor(options: ApiDescriptionSourceOptions) {
    this.report = options.report;
    this.#options = options;
    this.#tools = options.tools.map(({ tool }) => tool);
    this.#byName = new Map(options.tools.map((described) => [described.tool.name, described]));
    const { lookup } = options.policy;
    const pooling = { keepAlive: true, timeout: IDLE_CONNECTION_MS, maxFreeSockets: 32, lookup };
    this.#agents = { http: new http.Agent(pooling), https: new https.Agent(pooling) };
  }

  async listTools(): Promise<readonly SourceTool[]> {
    return this.#tools;
  }

  async callTool(call: SourceCall, signal: AbortSignal): Promise<SourceResult> {
    signal.throwIfAborted();
    const described = this.#byName.get(call.name);
    if (!described) {
      const hint = 'There is no tool of this name. Look at the list of tools again.';
      return toolErrorResult({ code: 'unknown_tool', retryable: false, hint });
    }
    const { tool, plan } = described;
    const args = readStringifiedArguments(tool.inputSchema, call.arguments);
    const request = this.#requestFor(tool, plan, { ...call, arguments: args });
    if ('code' in request) return toolErrorResult(request);

    const isReadCall = isRead(plan.method);
    let answer: ReceivedAnswer;
    try {
      answer = await callApi(
        request,
        { ...this.#options, agents: this.#agents },
        AbortSignal.any([signal, this.#closing.signal]),
      );
    } catch (error) {
      if (!(error instanceof ExchangeFailed)) throw error;
      return failure(errorOfExchange(error, isReadCall), isOutcomeUnknown(error, isReadCall));
    }
    const { status } = answer;
    const secret = call.credential?.value;
    if (status >= 200 && status < 300) return resultOfAnswer(answer, tool.name, secret);
    return failure(errorOfAnswer(answer, isReadCall, secret), isOutcomeUnknown(status, isReadCall));
  }

  /** The tools of a loaded description do not change: a changed file is loaded anew. */
  onChange(): () => void {
    return () => {};
  }

  /** Ends calls under way and closes all connections. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the source of the tool is closed'));
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  #requestFor(tool: SourceTool, plan: ToolPlan, call: SourceCall): ApiRequest | ToolError {
    const [first, ...others] = this.#check.faults(tool.inputSchema, call.arguments);
    if (first) return invalidArguments(new ArgumentsRefused([first, ...others]));
    try {
      this.#options.policy.checkHost(plan.server);
      return buildRequest(plan, call);
    } catch (error) {
      if (error instanceof ArgumentsRefused) return invalidArguments(error);
      if (error instanceof MetaRefused) {
        const { field, expected, received } = error;
        const hint = 'A value that the caller sent beside the arguments cannot be passed on. Nothing was called.';
        return { code: 'invalid_meta', field, expected, received, retryable: false, hint };
      }
      if (error instanceof AddressRefused) {
        return errorOfExchange(new ExchangeFailed('address-refused', false, error.message), true);
      }
      throw error;
    }
  }
}

function invalidArguments({ faults }: ArgumentsRefused): ToolError {
  const [first] = faults;
  const hint = 'Nothing was called. Correct the arguments and call the tool again.';
  return { code: 'invalid_arguments', ...first, retryable: true, hint, ...(faults.length > 1 ? { faults } : {}) };
}

function failure(error: ToolError, isUnknown: boolean): SourceResult {
  const result = toolErrorResult(error);
  return isUnknown ? { ...result, _meta: OUTCOME_UNKNOWN_META } : result;
}
