import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { freePort } from '../../scripts/free-port.ts';
import { ROOT } from './source-files.ts';

export interface DemoProcess {
  /** The address of the shop's page. */
  readonly url: string;
  /** What was printed so far; the stand-in's lines are among it. */
  printed(): string;
  /** Resolves when a line that fits has been printed. */
  line(pattern: RegExp): Promise<string>;
}

/** What `npm start` does, with nothing configured but a port that no other test's demo takes, until the test ends. */
export async function startDemo(t: Pick<TestContext, 'after'>): Promise<DemoProcess> {
  const child = spawn(process.execPath, ['scripts/start.ts'], {
    cwd: ROOT,
    // Nothing of this machine's settings: a key that is set here must not change what is seen.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(await freePort()) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  t.after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const line = async (pattern: RegExp) => {
    for (;;) {
      const match = pattern.exec(printed);
      if (match) return match[1] ?? match[0];
      const dead = ended.then(() => Promise.reject(new Error(`the demo has ended: ${printed}`)));
      await Promise.race([once(child.stdout, 'data'), dead]);
    }
  };
  return { url: await line(/^ {2}page +(http:\S+)/m), printed: () => printed, line };
}
