/** `GET /healthz`: the process answers. `GET /readyz`: it can do its work, or why not. */
import { Router } from 'express';
import type { AgentHost } from '../agent-host/agent-host.ts';
import { toRelayError } from '../errors.ts';
import { failureForLog, type Log } from '../log.ts';
import { type Store, StoreUnavailableError } from '../store/store.ts';

const CHECK_MS = 2_000;
/** Probes come from several sides; the host is not asked more often than this. */
const HOST_ANSWER_KEPT_MS = 5_000;

type Verdict = { readonly ok: true } | { readonly ok: false; readonly code: string; readonly reason: string };

export function healthRoutes(parts: {
  readonly store: Store;
  readonly agentHost: AgentHost;
  readonly log: Log;
  readonly isShuttingDown: () => boolean;
}): Router {
  const { store, agentHost, log } = parts;
  const routes = Router();
  let hostVerdict: { atMs: number; verdict: Promise<Verdict> } | undefined;

  const judge = async (name: string, check: Promise<void>): Promise<Verdict> => {
    try {
      await check;
      return { ok: true };
    } catch (failure) {
      const { code, message } = toRelayError(failure);
      log.warn({ check: name, code, ...failureForLog(failure) }, 'not ready');
      // What the store says of itself is made to be told; what the host says is not.
      return { ok: false, code, reason: failure instanceof StoreUnavailableError ? failure.message : message };
    }
  };

  const judgeHost = (): Promise<Verdict> => {
    const nowMs = performance.now();
    if (!hostVerdict || nowMs - hostVerdict.atMs > HOST_ANSWER_KEPT_MS) {
      hostVerdict = { atMs: nowMs, verdict: judge('agentHost', agentHost.check(AbortSignal.timeout(CHECK_MS))) };
    }
    return hostVerdict.verdict;
  };

  routes.get('/healthz', (_request, response) => {
    response.json({ ok: true });
  });

  routes.get('/readyz', async (_request, response) => {
    const [storeVerdict, agentHostVerdict] = await Promise.all([judge('store', store.check()), judgeHost()]);
    const isShuttingDown = parts.isShuttingDown();
    const ok = storeVerdict.ok && agentHostVerdict.ok && !isShuttingDown;
    const checks = { store: storeVerdict, agentHost: agentHostVerdict };
    response.status(ok ? 200 : 503).json({ ok, ...(isShuttingDown && { isShuttingDown }), checks });
  });

  return routes;
}
