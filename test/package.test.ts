/** The package as a site owner gets it: packed, put where `npm install` would put it, and used from there. Needs `npm run build`. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { startParley } from './support/parley-process.ts';
import { ROOT } from './support/source-files.ts';

const SETTINGS = {
  MCP_HOST_BASE_URL: 'http://127.0.0.1:9',
  APPLICATION_ID: 'shop',
  TUIX_AI_AGENTS_API_KEY: 'key-of-the-package-test',
};

interface Manifest {
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

const run = promisify(execFile);
const site = mkdtempSync(join(tmpdir(), 'parley-package-'));
const installed = join(site, 'node_modules/parley-chat');
const packed: string[] = [];
let manifest: Manifest;

before(async () => {
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', site], {
    cwd: ROOT,
  });
  const [report] = JSON.parse(stdout) as [{ filename: string; files: readonly { path: string }[] }];
  packed.push(...report.files.map(({ path }) => path));
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', join(site, report.filename), '-C', installed, '--strip-components=1']);
  manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Manifest;
  // Only what the package says that it needs, so that a dependency that it forgot is missing here.
  for (const name of Object.keys(manifest.dependencies)) {
    mkdirSync(dirname(join(site, 'node_modules', name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(site, 'node_modules', name));
  }
  writeFileSync(join(site, 'package.json'), JSON.stringify({ type: 'module' }));
});

after(() => rmSync(site, { recursive: true, force: true }));

test('every entry and command of the package names a file that is in it', () => {
  const entries = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [entry] : Object.values(entry),
  );
  const files = [...entries, ...Object.values(manifest.bin)].map((path) => path.replace(/^\.\//, ''));
  assert.deepEqual(
    files.filter((file) => !packed.includes(file)),
    [],
  );
});

test('the package holds what was built and the papers, and no source, test or configuration', () => {
  const expected = /^(dist\/.*\.(js|d\.ts|json|txt)|package\.json|README\.md|CHANGELOG\.md|LICENSE)$/;
  assert.deepEqual(
    packed.filter((path) => !expected.test(path)),
    [],
  );
  assert.deepEqual(
    ['README.md', 'CHANGELOG.md', 'LICENSE'].filter((path) => !packed.includes(path)),
    [],
  );
});

test('the command parley of the installed package answers and serves the widget, without stripping types', async () => {
  const parley = startParley(command(), { ...SETTINGS, NODE_OPTIONS: '--no-experimental-strip-types' });
  try {
    const url = await parley.url;
    const health = await fetch(`${url}/healthz`);
    assert.equal(health.status, 200);
    const widget = await fetch(`${url}/widget.js`);
    assert.equal(widget.status, 200);
    assert.match(widget.headers.get('content-type') ?? '', /^text\/javascript/);
    assert.equal(await widget.text(), readFileSync(join(installed, 'dist/assets/widget.js'), 'utf8'));
  } finally {
    await parley.stop();
  }
  assert.deepEqual(await parley.ended, { code: 0, signal: null });
});

test('the command parley names the setting that is missing and ends with 78 [S2.13]', async () => {
  for (const name of Object.keys(SETTINGS)) {
    const parley = startParley(command(), { ...SETTINGS, [name]: '' });
    assert.deepEqual(await parley.ended, { code: 78, signal: null });
    assert.match(parley.complaint(), new RegExp(`^${name} is missing\\..*\\n$`));
  }
});

test('the package and its tag can be imported on a server, where there is no DOM', async () => {
  const script = `
    const { ParleyChat } = await import('parley-chat');
    await import('parley-chat/define');
    if (typeof ParleyChat !== 'function') throw new Error('no element class');
    console.log(typeof document);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: site });
  assert.equal(stdout.trim(), 'undefined');
});

test("the package's types compile in a strict project, whichever way it resolves modules", async () => {
  const source = `
    import { ParleyChat, type Theme } from 'parley-chat';
    import 'parley-chat/define';
    const theme: Theme = 'dark';
    const chat = document.querySelector('parley-chat');
    if (chat) chat.theme = theme;
    export const isChat: boolean = chat instanceof ParleyChat;
    // @ts-expect-error: the types are read, or this would be no error.
    if (chat) chat.theme = 42;`;
  writeFileSync(join(site, 'page.ts'), source);
  for (const [module, moduleResolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ] as const) {
    const compilerOptions = {
      ...{ module, moduleResolution, target: 'es2022', lib: ['es2023', 'dom', 'dom.iterable'] },
      ...{ strict: true, noEmit: true, types: [] },
    };
    writeFileSync(join(site, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['page.ts'] }));
    await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', site]).catch((error: { stdout: string }) => {
      assert.fail(`${moduleResolution}: ${error.stdout}`);
    });
  }
});

/** The file that `npm install` would link as `parley`. */
function command(): string {
  return join(installed, manifest.bin.parley!);
}
