/** Does what the README says, with the text of the README. Needs `npm run build`. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { freePort } from '../../scripts/free-port.ts';
import { ChatOnPage } from '../support/chat-on-page.ts';
import { startChromium } from '../support/chromium.ts';
import { startFaultyHost } from '../support/faulty-host.ts';
import { MarkdownPage } from '../support/markdown-page.ts';
import { servePage } from '../support/page-server.ts';
import { startParley } from '../support/parley-process.ts';
import { ROOT } from '../support/source-files.ts';

const README = new MarkdownPage('README.md');
const RELAY_OF_THE_README = 'https://relay.example';

test('each of the HTML examples gives a page a chat that answers', async (t) => {
  const { url } = await startRelay(t);
  const browser = await startChromium(t);
  const examples = README.codeBlocks('html');
  assert.equal(examples.length, 2);
  for (const example of examples) {
    const page = await browser.newPage();
    await page.goto(await servePage(t, `<!doctype html>${example.replaceAll(RELAY_OF_THE_README, url)}`));
    await page.waitForSelector('parley-chat >>> :is([part~="launcher"], [part~="composer"])', { visible: true });
    const chat = new ChatOnPage(page);
    if ((await page.$('parley-chat[mode="inline"]')) === null) await chat.open();
    await chat.ask('hello');
    assert.match(await chat.lastAnswerText(), /Order confirmed/);
    await page.close();
  }
});

test('the nginx example serves the relay, and hands an answer on while it is being written', async (t) => {
  const { url } = await startRelay(t);
  const nginxUrl = await startNginx(t, new URL(url).port);
  const started = await fetch(`${nginxUrl}/session`, json({}));
  assert.equal(started.status, 201);
  const { sessionId, token } = (await started.json()) as { sessionId: string; token: string };

  const request = json({ sessionId, message: 'fault:count n=40 ms=100' });
  const answer = await fetch(`${nginxUrl}/chat`, {
    ...request,
    headers: { ...request.headers, 'x-session-token': token },
  });
  const pieces: string[] = [];
  for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) pieces.push(piece);
  assert.match(pieces.join(''), /type: done\n/);
  assert.ok(pieces.length >= 20, `the answer came in ${pieces.length} pieces`);
});

const skip = existsSync('/usr/bin/systemd-analyze') ? false : 'this machine has no systemd';
test('the systemd example is a unit that systemd understands', { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-systemd-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const unit = join(folder, 'parley.service');
  // Only the program differs: it is not installed here.
  writeFileSync(unit, README.codeBlocks('ini')[0]!.replace('/usr/bin/parley', '/bin/true'));
  const verify = spawn('systemd-analyze', ['verify', '--man=no', unit], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const output of [verify.stdout, verify.stderr]) {
    output.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const [code] = await once(verify, 'close');
  assert.equal(
    said
      .split('\n')
      .filter((line) => line.includes(unit))
      .join('\n'),
    '',
  );
  assert.equal(code, 0, said);
});

async function startRelay(t: TestContext): Promise<{ url: string }> {
  const host = await startFaultyHost();
  t.after(() => host.close());
  const parley = startParley(join(ROOT, 'relay/main.ts'), {
    MCP_HOST_BASE_URL: host.url,
    APPLICATION_ID: 'your-application',
    TUIX_AI_AGENTS_API_KEY: 'key-of-the-readme-test',
  });
  t.after(() => parley.stop());
  return { url: await parley.url };
}

/** The example as it is, but for its names, its certificate and its ports. */
async function startNginx(t: TestContext, relayPort: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-nginx-'));
  const port = await freePort();
  const server = README.codeBlocks('nginx')[0]!
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replace(/^ *ssl_certificate.*\n/gm, '')
    .replace('127.0.0.1:8787', `127.0.0.1:${relayPort}`);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${join(folder, 'pid')}; error_log stderr;
     events {}
     http { access_log off; ${paths.join(' ')} ${server} }`,
  );
  const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
  });
  const ended = once(nginx, 'exit');
  t.after(async () => {
    nginx.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  const dead = ended.then(([code]) => Promise.reject(new Error(`nginx ended with ${code}`)));
  dead.catch(() => {});
  while (
    !(await Promise.race([
      dead,
      fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    ]))
  );
  return url;
}

function json(body: unknown) {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
