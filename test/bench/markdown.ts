/**
 * What it costs a browser's main thread to show an answer as it comes, against the least that any renderer can do: appending the same
 * chunks as bare text nodes. Prints CPU milliseconds and the ratio, side by side from one run. Not a test: a shared machine is too noisy
 * to pass or fail on times. Run: `node test/bench/markdown.ts [chromium]`.
 */
import puppeteer, { type Page } from 'puppeteer-core';
import { build } from 'vite';
import { answers } from './markdown-answers.ts';

interface Streaming {
  readonly name: string;
  readonly text: string;
  /** UTF-16 units a chunk, and chunks a second (0: all as fast as the page takes them). */
  readonly chunkLength: number;
  readonly chunksPerSecond: number;
}

const streamings: readonly Streaming[] = [
  { name: 'answer, 200 chunks/s', text: answers.mixed(20_000), chunkLength: 20, chunksPerSecond: 200 },
  ...(['mixed', 'fence', 'paragraph', 'table', 'list'] as const).flatMap((kind) =>
    [20_000, 80_000].map((length) => ({
      name: `${kind}, as fast as possible`,
      text: answers[kind](length),
      chunkLength: 20,
      chunksPerSecond: 0,
    })),
  ),
];

const only = process.argv[3];
const script = await bundle();
const browser = await puppeteer.launch({
  executablePath: process.argv[2] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  for (const streaming of streamings.filter(({ name }) => !only || name.startsWith(only))) {
    const bare = await measure(streaming, 'bare');
    const view = await measure(streaming, 'view');
    const ratio = (view.cpuMs / bare.cpuMs).toFixed(2);
    console.log(
      `${streaming.name.padEnd(28)} ${String(streaming.text.length).padStart(6)} characters: ` +
        `bare ${bare.cpuMs.toFixed(0)} ms, markdown ${view.cpuMs.toFixed(0)} ms (script ${view.scriptMs.toFixed(0)}), × ${ratio}`,
    );
  }
} finally {
  await browser.close();
}

async function bundle(): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      lib: {
        entry: new URL('../../widget/markdown/markdown-view.ts', import.meta.url).pathname,
        formats: ['iife'],
        name: 'markdown',
      },
    },
  });
  const output = [result].flat()[0];
  if (!output || !('output' in output)) throw new Error('the build gave no file');
  return output.output[0].code;
}

async function measure(streaming: Streaming, how: 'bare' | 'view'): Promise<{ cpuMs: number; scriptMs: number }> {
  const page = await browser.newPage();
  await page.setViewport({ width: 400, height: 700 });
  await page.setContent(
    '<!doctype html><style>pre{overflow:auto}</style><div id="log" style="height:600px;overflow:auto"><div id="answer"></div></div>',
  );
  await page.addScriptTag({ content: script });
  const session = await page.createCDPSession();
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const before = await metrics(session);
  await stream(page, streaming, how);
  const after = await metrics(session);
  await page.close();
  return { cpuMs: after.cpuMs - before.cpuMs, scriptMs: after.scriptMs - before.scriptMs };
}

async function metrics(
  session: Awaited<ReturnType<Page['createCDPSession']>>,
): Promise<{ cpuMs: number; scriptMs: number }> {
  const { metrics: list } = await session.send('Performance.getMetrics');
  const value = (name: string) => (list.find((metric) => metric.name === name)?.value ?? 0) * 1000;
  return { cpuMs: value('TaskDuration'), scriptMs: value('ScriptDuration') };
}

async function stream(page: Page, streaming: Streaming, how: 'bare' | 'view'): Promise<void> {
  await page.evaluate(
    async ({ text, chunkLength, chunksPerSecond }, kind) => {
      const { markdown } = globalThis as unknown as {
        markdown: { MarkdownView: new (node: Element, options: object) => View };
      };
      interface View {
        append(chunk: string): void;
        finish(): void;
        flush(): void;
      }
      const answer = document.querySelector('#answer') as HTMLElement;
      const view =
        kind === 'view' ? new markdown.MarkdownView(answer, { imageHosts: [], labels: () => ({}) }) : undefined;
      const channel = new MessageChannel();
      const nextTask = () =>
        new Promise((resolve) => {
          channel.port1.onmessage = resolve;
          channel.port2.postMessage(0);
        });
      const startMs = performance.now();
      for (let at = 0, count = 0; at < text.length; at += chunkLength, count++) {
        const dueMs = chunksPerSecond > 0 ? startMs + (count * 1000) / chunksPerSecond : 0;
        if (dueMs > performance.now()) await new Promise((resolve) => setTimeout(resolve, dueMs - performance.now()));
        else await nextTask();
        const chunk = text.slice(at, at + chunkLength);
        if (view) view.append(chunk);
        else answer.append(chunk);
      }
      view?.finish();
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      view?.flush();
    },
    streaming as Streaming & Record<string, string | number>,
    how,
  );
}
