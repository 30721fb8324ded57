import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';

const READY_WITHIN_MS = 20_000;
const POLL_MS = 100;

/** A WebKit that can be driven over WebDriver, on a screen of its own that nobody sees. */
export interface WebKitDriver extends AsyncDisposable {
  readonly port: number;
}

/** Starts Xvfb on a display that is free and WebKitWebDriver on a port that is free; rejects when either is not ready in 20 s. */
export async function startWebKitDriver(): Promise<WebKitDriver> {
  const screen = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  try {
    const display = `:${await firstLine(screen)}`;
    const port = await freePort();
    // The driver starts the browser, which inherits this environment: without the sandbox it also runs as root.
    const driver = spawn('WebKitWebDriver', [`--port=${port}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DISPLAY: display, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1', NO_AT_BRIDGE: '1' },
    });
    try {
      await answers(`http://127.0.0.1:${port}/status`);
    } catch (error) {
      await end(driver);
      throw error;
    }
    return {
      port,
      [Symbol.asyncDispose]: async () => {
        await end(driver);
        await end(screen);
      },
    };
  } catch (error) {
    await end(screen);
    throw error;
  }
}

async function firstLine(screen: ChildProcess): Promise<string> {
  const pipe = screen.stdio[3];
  if (!pipe) throw new Error('Xvfb has no pipe to tell its display on');
  const [data] = await once(pipe, 'data', { signal: AbortSignal.timeout(READY_WITHIN_MS) });
  return String(data).trim();
}

async function answers(url: string): Promise<void> {
  const deadlineMs = Date.now() + READY_WITHIN_MS;
  for (;;) {
    try {
      if ((await fetch(url)).ok) return;
    } catch (error) {
      if (Date.now() > deadlineMs) throw new Error(`WebKitWebDriver does not answer at ${url}`, { cause: error });
    }
    await delay(POLL_MS);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
