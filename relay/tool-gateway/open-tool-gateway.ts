/** The gateway as `parley.yaml` describes it, at each moment: read anew when the file changes, on SIGHUP, or when asked. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { failureForLog, type Log } from '../log.ts';
import type { Store } from '../store/store.ts';
import type { ToolPolicy } from '../tool-policy/decision.ts';
import type { Callers } from './callers.ts';
import { GatewayConfigError } from './config/config-mistake.ts';
import type { ParleyConfig, Variables } from './config/config-schema.ts';
import { readGatewayConfig } from './config/read-config.ts';
import { FileWatch } from './file-watch.ts';
import type { GatewaySetup } from './gateway-setup.ts';
import { type OpenedSetup, type OpenSources, openSetup } from './open-setup.ts';
import { createToolGateway, type ToolGateway } from './tool-gateway.ts';
import type { ToolSource } from './tool-source.ts';

export interface ToolGatewayOptions {
  readonly file: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The relay listens on this machine only. */
  readonly isLoopback: boolean;
  readonly callers: Callers;
  readonly store: Store;
  readonly log: Log;
  readonly now?: () => number;
  /** The rules for a configuration; undefined: everything is allowed. */
  readonly policyFor?: (config: ParleyConfig) => ToolPolicy | undefined;
}

export interface OpenToolGateway {
  /** Goes by the configuration that is in force at each call. */
  readonly gateway: ToolGateway;
  /** The configuration at this moment, and what was made from it. */
  inForce(): { readonly config: ParleyConfig; readonly setup: GatewaySetup };
  /** Calls `listener` after tools have changed: at a source, or by another configuration. */
  onToolsChanged(listener: () => void): () => void;
  /** Reads the files anew. False: there are mistakes, they are in the log, and the old configuration stays in force. */
  reload(): Promise<boolean>;
  close(): Promise<void>;
}

interface InForce extends OpenedSetup {
  readonly config: ParleyConfig;
  readonly gateway: ToolGateway;
  readonly endChanges: () => void;
}

/** Throws `GatewayConfigError` with every mistake of the file. */
export async function openToolGateway(options: ToolGatewayOptions): Promise<OpenToolGateway> {
  const gateway = new ConfiguredGateway(options);
  try {
    await gateway.start();
  } catch (failure) {
    await gateway.close();
    throw failure;
  }
  return gateway;
}

class ConfiguredGateway implements OpenToolGateway {
  readonly gateway: ToolGateway;
  readonly #options: ToolGatewayOptions;
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  readonly #watch: FileWatch;
  #inForce: InForce | undefined;
  #reloading: Promise<unknown> = Promise.resolve();
  readonly #leaving = new Set<ToolSource>();

  constructor(options: ToolGatewayOptions) {
    const { now = Date.now, log } = options;
    this.#options = options;
    this.#now = now;
    this.#watch = new FileWatch(() => void this.reload(), log);
    this.gateway = {
      listTools: (endpoint, signal) => this.#current().gateway.listTools(endpoint, signal),
      callTool: (call, signal) => this.#current().gateway.callTool(call, signal),
    };
  }

  async start(): Promise<void> {
    this.#inForce = await this.#open(new Map());
    this.#watch.watch([this.#options.file, ...this.#inForce.files]);
  }

  inForce(): { readonly config: ParleyConfig; readonly setup: GatewaySetup } {
    return this.#current();
  }

  onToolsChanged(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  reload(): Promise<boolean> {
    // One after the other, so that the last one read is the one in force.
    const done = this.#reloading.then(() => this.#reload());
    this.#reloading = done;
    return done;
  }

  async close(): Promise<void> {
    this.#watch.close();
    await this.#reloading;
    this.#inForce?.endChanges();
    const open = [...(this.#inForce?.sources.values() ?? []), ...this.#leaving];
    await Promise.all(open.map((source) => source.close()));
  }

  async #reload(): Promise<boolean> {
    const { log, file } = this.#options;
    const old = this.#current();
    let next: InForce;
    try {
      next = await this.#open(old.sources);
    } catch (failure) {
      const mistakes = failure instanceof GatewayConfigError ? failure.mistakes : undefined;
      const reason = mistakes ? { mistakes } : failureForLog(failure);
      log.error(reason, `${file} has mistakes and is not taken over; the configuration before stays in force`);
      return false;
    }
    old.endChanges();
    this.#inForce = next;
    this.#watch.watch([file, ...next.files]);
    this.#letGo(old, next);
    log.info({ domains: next.setup.domains.length }, `${file} was read anew`);
    this.#tellChange();
    return true;
  }

  async #open(kept: OpenSources): Promise<InForce> {
    const { file, environment, isLoopback, callers, log, store, policyFor } = this.#options;
    const variables: Variables = (name) => readVariable(environment, name);
    const config = readGatewayConfig(await readText(file), { file, variables, isLoopback });
    const opened = await openSetup(config, { configFile: file, kept, log });
    const { setup, sources } = opened;
    const policy = policyFor?.(config);
    const gateway = createToolGateway({ setup, callers, store, policy, log, now: this.#now });
    const ends = [...sources.values()].map((source) => source.onChange(() => this.#tellChange()));
    return {
      ...opened,
      config,
      gateway,
      endChanges: () => {
        for (const end of ends) end();
      },
    };
  }

  /** Sources that are not used any more are closed once the calls that still run over them have had their time. */
  #letGo(old: InForce, next: InForce): void {
    const kept = new Set(next.sources.values());
    const patienceMs = Math.max(...old.setup.domains.map(({ timeoutMs }) => timeoutMs));
    for (const source of old.sources.values()) {
      if (kept.has(source)) continue;
      this.#leaving.add(source);
      setTimeout(() => {
        this.#leaving.delete(source);
        void source.close();
      }, patienceMs).unref();
    }
  }

  #current(): InForce {
    if (!this.#inForce) throw new Error('the gateway is not open yet');
    return this.#inForce;
  }

  #tellChange(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw new GatewayConfigError(file, [{ line: 1, column: 1, path: '', expected: 'a file that can be read' }]);
  }
}

/** Every secret can also be read from the file that `<NAME>_FILE` names, as the relay's own can. */
function readVariable(environment: ToolGatewayOptions['environment'], name: string): string | undefined {
  const file = environment[`${name}_FILE`];
  if (environment[name] || !file) return environment[name];
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    // Told as the variable that is not set: the message names it and its place.
    return undefined;
  }
}
