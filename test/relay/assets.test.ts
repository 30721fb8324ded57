import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sendRaw } from '../support/raw-request.ts';
import { PAGE, type RelayUnderTest, startRelay } from '../support/relay-under-test.ts';

const SCRIPT = `"use strict";${'/* the widget */'.repeat(200)}`;
let directory: string;
let relay: RelayUnderTest;
before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'parley-assets-'));
  writeFileSync(join(directory, 'widget.js'), SCRIPT);
  mkdirSync(join(directory, 'labels'));
  writeFileSync(join(directory, 'labels/de.js'), 'export default {};');
  writeFileSync(join(directory, 'notes.txt'), 'not for the web');
  symlinkSync('/etc/hostname', join(directory, 'link.js'));
  relay = await startRelay({ assets: { directory, version: '0.1.0' } });
});
after(async () => {
  await relay[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(relay.url + path, { headers });

test('the widget is one script that any page may run, asked for again each time and sent only when it has changed', async () => {
  const answer = await get('/widget.js');
  assert.equal(answer.status, 200);
  assert.equal(await answer.text(), SCRIPT);
  assert.equal(answer.headers.get('content-type'), 'text/javascript; charset=utf-8');
  assert.equal(answer.headers.get('cache-control'), 'no-cache');
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(answer.headers.get('cross-origin-resource-policy'), 'cross-origin');
  assert.equal(answer.headers.get('set-cookie'), null);
  // By hand, because `fetch` here asks for a full reload whenever a condition is given.
  const again = await sendRaw(
    relay.url,
    `GET /widget.js HTTP/1.1\r\nHost: relay\r\nConnection: close\r\nIf-None-Match: ${answer.headers.get('etag')}\r\n\r\n`,
  );
  assert.equal(again.status, 304);
  assert.equal(again.body, '');
});

test('a pinned version never changes, and only the version that there is exists', async () => {
  const answer = await get('/widget@0.1.0/widget.js');
  assert.equal(await answer.text(), SCRIPT);
  assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.equal((await get('/widget@0.1.0/labels/de.js')).status, 200);
  assert.equal((await get('/widget@0.2.0/widget.js')).status, 404);
});

test('scripts go out compressed to whoever takes that', async () => {
  for (const encoding of ['br', 'gzip']) {
    const answer = await get('/widget.js', { 'accept-encoding': encoding });
    assert.equal(answer.headers.get('content-encoding'), encoding);
    assert.match(answer.headers.get('vary') ?? '', /Accept-Encoding/);
    assert.equal(await answer.text(), SCRIPT);
  }
  const plain = await get('/widget.js', { 'accept-encoding': 'identity' });
  assert.equal(plain.headers.get('content-encoding'), null);
});

test('a page that may use the chat can check the script’s hash, for which the browser needs the page to be named', async () => {
  const answer = await get('/widget.js', { origin: PAGE });
  assert.equal(answer.headers.get('access-control-allow-origin'), PAGE);
  const other = await get('/widget.js', { origin: 'https://other.example' });
  assert.equal(other.status, 200);
  assert.equal(other.headers.get('access-control-allow-origin'), null);
});

test('nothing but the built files is served', async () => {
  for (const path of [
    '/widget@0.1.0/',
    '/widget@0.1.0/../package.json',
    '/widget@0.1.0/..%2fpackage.json',
    '/widget@0.1.0/%2e%2e/package.json',
    '/widget@0.1.0/notes.txt',
    '/widget@0.1.0/link.js',
    '/widget@0.1.0/labels',
    '/widget@0.1.0/__proto__',
    '/widget@0.1.0/constructor',
  ]) {
    const answer = await get(path);
    assert.equal(answer.status, 404, path);
    assert.equal((await answer.json()).code, 'not_found');
  }
});
