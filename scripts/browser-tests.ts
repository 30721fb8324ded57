/**
 * Runs the tests of the widget in real browsers: `node scripts/browser-tests.ts [--in chromium,firefox,webkit] [file …]`.
 * Ends with `N passed, N failed`; a browser that ran no test is a failure.
 */
import { parseArgs } from 'node:util';
import { esbuildPlugin } from '@web/dev-server-esbuild';
import {
  type BrowserLauncher,
  defaultReporter,
  type Reporter,
  startTestRunner,
  type TestResult,
  type TestSession,
  type TestSuiteResult,
} from '@web/test-runner';
import { chromeLauncher, puppeteerCore as puppeteer } from '@web/test-runner-chrome';
import { webdriverLauncher } from '@web/test-runner-webdriver';
import { browserPath } from './browser-path.ts';
import { addCounts, type Counts, formatCounts } from './counts.ts';
import { startWebKitDriver } from './web-kit-driver.ts';

const TEST_FILES = ['test/widget/**/*.browser.test.ts'];
const TEST_LIMIT_MS = 20_000;
const FILE_LIMIT_MS = 180_000;
const START_LIMIT_MS = 60_000;
const LAUNCHERS: Readonly<Record<string, (cleanUp: AsyncDisposableStack) => Promise<BrowserLauncher>>> = {
  chromium: async () =>
    chromeLauncher({
      puppeteer,
      launchOptions: {
        executablePath: browserPath('chromium'),
        args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
      },
    }),
  firefox: async () =>
    chromeLauncher({ puppeteer, launchOptions: { browser: 'firefox', executablePath: browserPath('firefox') } }),
  webkit: async (cleanUp) => {
    const driver = cleanUp.use(await startWebKitDriver());
    // Both casts: the packages' types know neither WebKitGTK's options nor exact optional properties.
    const capabilities = {
      browserName: 'MiniBrowser',
      'wdio:enforceWebDriverClassic': true,
      'webkitgtk:browserOptions': { binary: browserPath('webkit'), args: ['--automation'] },
    } as Parameters<typeof webdriverLauncher>[0]['capabilities'];
    return webdriverLauncher({ hostname: '127.0.0.1', port: driver.port, path: '/', capabilities }) as BrowserLauncher;
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { in: { type: 'string', default: Object.keys(LAUNCHERS).join(',') } },
});
await using cleanUp = new AsyncDisposableStack();
const browsers = new Map<BrowserLauncher, string>();
for (const name of values.in.split(',')) {
  const launch = LAUNCHERS[name];
  if (!launch) throw new Error(`--in takes ${Object.keys(LAUNCHERS).join(', ')} and not ${name}`);
  browsers.set(await launch(cleanUp), name);
}

const counts: Counts[] = [];
const runner = await startTestRunner({
  readCliArgs: false,
  readFileConfig: false,
  autoExitProcess: false,
  config: {
    rootDir: process.cwd(),
    files: positionals.length > 0 ? positionals : TEST_FILES,
    browsers: [...browsers.keys()],
    nodeResolve: true,
    // The compiler options are those of the type checker: Lit's declared fields must stay declarations.
    plugins: [esbuildPlugin({ ts: true, target: 'es2022', tsconfig: 'tsconfig.json' })],
    // One page at a time in each browser: a page in the background gets no animation frames and no focus.
    concurrency: 1,
    concurrentBrowsers: 2,
    browserStartTimeout: START_LIMIT_MS,
    testsStartTimeout: START_LIMIT_MS,
    testsFinishTimeout: FILE_LIMIT_MS,
    testFramework: { config: { timeout: TEST_LIMIT_MS } },
    reporters: [defaultReporter({ reportTestResults: true, reportTestProgress: false }), countingReporter()],
  },
});
if (!runner) process.exit(1);
await new Promise((resolve) => runner.on('finished', resolve));
await runner.stop();
const sum = addCounts(counts);
console.log(formatCounts(sum));
if (sum.failed > 0) process.exitCode = 1;

function countingReporter(): Reporter {
  return {
    onTestRunFinished({ sessions }) {
      for (const [launcher, name] of browsers) {
        const own = countOf(sessions.filter((session) => session.browser === launcher));
        console.log(`${name}: ${formatCounts(own)}`);
        counts.push(own);
      }
    },
  };
}

/** A file that failed outside of its tests is a failure, as is a file without a test. */
function countOf(sessions: readonly TestSession[]): Counts {
  const ofSessions = sessions.map((session): Counts => {
    const tests = session.testResults ? testsOf(session.testResults) : [];
    for (const { name } of tests.filter((test) => test.skipped)) console.log(`skipped: ${name}`);
    const passed = tests.filter((test) => test.passed && !test.skipped).length;
    const failed = tests.filter((test) => !test.passed && !test.skipped).length;
    const isFileBroken = failed === 0 && (!session.passed || tests.length === 0);
    return { passed, failed: failed + (isFileBroken ? 1 : 0) };
  });
  return sessions.length === 0 ? { passed: 0, failed: 1 } : addCounts(ofSessions);
}

function testsOf(suite: TestSuiteResult): TestResult[] {
  return [...suite.tests, ...suite.suites.flatMap(testsOf)];
}
