/**
 * The events of a turn. `HostEvent` is what the agent host sends; `RelayEvent` is what a browser may see: the host's shapes,
 * built field by field, and the events that only the relay adds. Timestamps are RFC 3339 strings.
 * Source: the agent host's description of its answer stream.
 */
import type { ErrorCode } from './error-codes.ts';

export interface ThinkingEvent {
  readonly type: 'thinking';
  readonly data: { readonly message: string; readonly timestamp: string };
}

/** `content` is a JSON string of a list of `{toolCallId, toolName, type, input?}`. */
export interface ToolCallEvent {
  readonly type: 'tool-call';
  readonly data: {
    readonly timestamp: string;
    readonly toolCall: { readonly assistantMessage: { readonly role: string; readonly content: string } };
  };
}

/** `content` is a JSON string of an MCP result; a browser gets it only where the owner shows tool calls in full. */
export interface ToolResultEvent {
  readonly type: 'tool-result';
  readonly data: {
    readonly timestamp: string;
    readonly toolResult: {
      readonly name: string;
      readonly role: string;
      readonly tool_call_id: string;
      readonly content?: string;
    };
  };
}

export interface ChunkEvent {
  readonly type: 'chunk';
  readonly data: { readonly chunk: string; readonly timestamp: string };
}

/** `response.content` is the whole answer and replaces chunks that differ. `contextPercentage` is 0–100. */
export interface CompleteEvent {
  readonly type: 'complete';
  readonly data: {
    readonly message: string;
    readonly response: {
      readonly content: string;
      readonly tokensUsed?: number;
      readonly maxTokens?: number;
      readonly contextPercentage?: number;
    };
    readonly timestamp: string;
  };
}

/** The host's `error`: its payload is not documented, so that only its presence and a bounded text for the log are kept. */
export interface HostErrorEvent {
  readonly type: 'error';
  readonly data: { readonly logText: string; readonly timestamp: string };
}

/** Always last. It means ended, not succeeded. */
export interface DoneEvent {
  readonly type: 'done';
  readonly data: { readonly timestamp: string };
}

export type HostEvent =
  | ThinkingEvent
  | ToolCallEvent
  | ToolResultEvent
  | ChunkEvent
  | CompleteEvent
  | HostErrorEvent
  | DoneEvent;

export interface ErrorEvent {
  readonly type: 'error';
  readonly data: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly retryable: boolean;
    readonly retryAfterMs?: number;
    readonly requestId: string;
    readonly timestamp: string;
  };
}

/** The visitor stopped the turn; the half answer stays. */
export interface StoppedEvent {
  readonly type: 'stopped';
  readonly data: { readonly timestamp: string };
}

/** The relay that ran the turn is gone, or ends: what was written stays, nothing more will come. */
export interface InterruptedEvent {
  readonly type: 'interrupted';
  readonly data: { readonly code: ErrorCode; readonly timestamp: string };
}

/** Events before the reader's position are no longer kept: the reader has a gap and must say so. */
export interface HistoryGoneEvent {
  readonly type: 'history-gone';
  readonly data: { readonly timestamp: string };
}

export type SessionEndReason = 'deleted' | 'expired' | 'reset';

export interface SessionEndedEvent {
  readonly type: 'session-ended';
  readonly data: { readonly reason: SessionEndReason; readonly timestamp: string };
}

/** A visitor's question, kept in the log so that a page that was reloaded can show the conversation. Turn's first event. */
export interface QuestionEvent {
  readonly type: 'question';
  readonly data: {
    readonly messageId: string;
    readonly message: string;
    /** He has not written it but pressed "continue" after releasing a transaction. */
    readonly isContinuation?: true;
    readonly timestamp: string;
  };
}

/** The tool gateway waits for the visitor to release one transaction. The same transaction again: its attempts have changed. */
export interface VerificationEvent {
  readonly type: 'verification';
  readonly data: {
    readonly transactionId: string;
    /** Absent: the code that he was sent. `consent`: his yes to entering the domain. */
    readonly needs?: 'consent';
    readonly tool: string;
    readonly domain: string;
    readonly arguments: Readonly<Record<string, unknown>>;
    readonly expiresAt: string;
    readonly attemptsLeft: number;
    readonly timestamp: string;
  };
}

/**
 * `verified`: the visitor has released it, and the call that waits, or the next one with the same arguments, starts it (then
 * `started` follows). Everything else is an end: `replaced` by another message or another domain, `undelivered`: no code could be sent.
 */
export type VerificationOutcome =
  | 'verified'
  | 'started'
  | 'declined'
  | 'expired'
  | 'locked'
  | 'replaced'
  | 'undelivered';

export interface VerificationSettledEvent {
  readonly type: 'verification-settled';
  readonly data: {
    readonly transactionId: string;
    readonly outcome: VerificationOutcome;
    readonly timestamp: string;
  };
}

/** The session's active domain has changed. */
export interface DomainEvent {
  readonly type: 'domain';
  readonly data: { readonly active: string; readonly previous?: string; readonly timestamp: string };
}

export type RelayEvent =
  | ThinkingEvent
  | ToolCallEvent
  | ToolResultEvent
  | ChunkEvent
  | CompleteEvent
  | ErrorEvent
  | DoneEvent
  | QuestionEvent
  | StoppedEvent
  | InterruptedEvent
  | HistoryGoneEvent
  | SessionEndedEvent
  | VerificationEvent
  | VerificationSettledEvent
  | DomainEvent;

export type RelayEventType = RelayEvent['type'];

/** A relay event with its place in the session's log. Events outside a turn have turn 0. */
export type NumberedEvent = RelayEvent & { readonly turn: number; readonly sequence: number };
