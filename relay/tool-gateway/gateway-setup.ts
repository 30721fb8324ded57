/** What a tool gateway is made from: the configuration, read and checked, with its sources opened. Times are milliseconds. */
import type { CallerRule } from './callers.ts';
import type { CredentialRule } from './credential-rule.ts';
import type { ToolSource } from './tool-source.ts';

export interface GatewaySetup {
  readonly callers: CallerRule;
  /** One server's tools as they are, at `/mcp`; or the domains. */
  readonly domains: readonly DomainSetup[];
}

export interface DomainSetup {
  /** Undefined: the only one, whose tools keep their names (plain forwarding). */
  readonly name: string | undefined;
  /** What this domain is for and what not, for the model. */
  readonly about: string | undefined;
  readonly not: string | undefined;
  readonly source: ToolSource;
  /** The source is an API, whose answers are the relay's own to shape: their structured content carries the domain too. */
  readonly isApi?: boolean;
  readonly credential: CredentialRule;
  /** Who recognises a call that is made again: the relay, or the API for tools that take the key. */
  readonly repeats: 'relay' | 'api';
  readonly timeoutMs: number;
  readonly maxResultBytes: number;
  /** Per session and tool; 0: no limit. */
  readonly callsPerMinute: number;
  /** By the source's tool name. */
  readonly callsPerMinuteOf: Readonly<Record<string, number>>;
  /** Calls at once, in this relay. */
  readonly concurrentCalls: number;
  /** Patterns over the source's tool names, `*` for any characters. Undefined: all. */
  readonly allow: readonly string[] | undefined;
  readonly deny: readonly string[];
  /** From the source's tool name to another one, before the domain's prefix. */
  readonly rename: Readonly<Record<string, string>>;
  /** At `/mcp/{domain}` the tools keep their names. */
  readonly isTransparent: boolean;
}
