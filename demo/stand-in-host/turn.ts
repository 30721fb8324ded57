import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { AgentTools, ToolOutcome } from './agent-tools.ts';
import { type HostSession, MAX_TOKENS } from './host-sessions.ts';

/** How long the stand-in takes, so that an answer arrives in pieces as a model's would. */
export interface Pace {
  /** Mean pause after each chunk, in milliseconds. */
  readonly chunkMs: number;
  /** Pause after each `thinking`, in milliseconds. */
  readonly thinkingMs: number;
}

export interface TurnSetting {
  readonly session: HostSession;
  readonly message: string;
  readonly tools: AgentTools;
  readonly pace: Pace;
  /** Aborted when the caller has gone or the session has ended. */
  readonly signal: AbortSignal;
  readonly response: ServerResponse;
}

/**
 * One turn on the wire: each call writes the frames of one step, one write per frame, waits as the pace demands, and
 * rejects with the signal's reason when the turn is to stop.
 * Source of the frames: the agent host's description of its answer stream.
 */
export class Turn {
  readonly session: HostSession;
  readonly #setting: TurnSetting;
  readonly #number: number;
  #answer = '';

  constructor(setting: TurnSetting) {
    this.session = setting.session;
    this.#setting = setting;
    this.session.turn += 1;
    this.#number = this.session.turn;
    this.#spend(setting.message);
  }

  /** `times` lengthens the pause. */
  async think(times = 1): Promise<void> {
    await this.#write('thinking', { message: 'Processing your request...', timestamp: now() });
    await this.#wait(this.#setting.pace.thinkingMs * times);
  }

  /** Really calls the tool, between its `tool-call` and its `tool-result`. */
  async callTool(tool: string, input: Readonly<Record<string, unknown>>): Promise<ToolOutcome> {
    const toolCallId = `fc_${randomUUID()}`;
    const content = JSON.stringify([{ input, toolCallId, toolName: tool, type: 'tool-call' }]);
    await this.#write('tool-call', {
      timestamp: now(),
      toolCall: { assistantMessage: { content, role: 'assistant' } },
    });

    const call = { tool, input, sessionId: this.session.sessionId, turn: this.#number };
    const outcome = await this.#setting.tools.call(call, this.#setting.signal);
    await this.#wait(this.#setting.pace.thinkingMs);

    const result = JSON.stringify({
      content: outcome.content,
      ...(outcome.isError ? { isError: true } : {}),
    });
    await this.#write('tool-result', {
      timestamp: now(),
      toolResult: { content: result, name: tool, role: 'tool', tool_call_id: toolCallId },
    });
    this.#spend(content, result);
    return outcome;
  }

  /** Writes markdown in chunks of about a word. */
  async say(markdown: string): Promise<void> {
    for (const chunk of markdown.match(/^#+|\s*\S{1,12}|\s+$/gu) ?? []) {
      await this.#write('chunk', { chunk, timestamp: now() });
      this.#answer += chunk;
      await this.#wait(this.#setting.pace.chunkMs * (0.5 + Math.random()));
    }
  }

  /** Ends a turn that succeeded. */
  async complete(): Promise<void> {
    this.#spend(this.#answer);
    const { tokensUsed } = this.session;
    await this.#write('complete', {
      message: this.#setting.message,
      response: {
        content: this.#answer,
        contextPercentage: Math.min(100, Math.round((tokensUsed / MAX_TOKENS) * 10_000) / 100),
        maxTokens: MAX_TOKENS,
        tokensUsed,
      },
      timestamp: now(),
    });
    await this.#done();
  }

  /** Ends a turn that failed. */
  async fail(message: string): Promise<void> {
    this.#spend(this.#answer);
    await this.#write('error', { message, timestamp: now() });
    await this.#done();
  }

  /** Ends the stream without `done`, as a host that breaks down would. */
  breakOff(): void {
    this.#setting.response.end();
  }

  async #done(): Promise<void> {
    await this.#write('done', { timestamp: now() });
    this.#setting.response.end();
  }

  async #write(type: string, data: unknown): Promise<void> {
    const { response, signal } = this.#setting;
    signal.throwIfAborted();
    if (!response.write(`type: ${type}\ndata: ${JSON.stringify(data)}\n\n`)) await once(response, 'drain', { signal });
  }

  async #wait(durationMs: number): Promise<void> {
    if (durationMs > 0) await pause(durationMs, undefined, { signal: this.#setting.signal });
  }

  // Four characters to a token is the usual rule of thumb.
  #spend(...texts: readonly string[]): void {
    for (const text of texts) this.session.tokensUsed += Math.ceil(text.length / 4);
  }
}

function now(): string {
  return new Date().toISOString();
}
