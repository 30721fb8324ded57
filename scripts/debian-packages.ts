import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';

/** What the tests run besides Node: the Debian package, and the program of it that they start. */
const PROGRAMS: Readonly<Record<string, string>> = {
  chromium: '/usr/bin/chromium',
  'firefox-esr': '/usr/bin/firefox-esr',
  'webkit2gtk-driver': '/usr/bin/WebKitWebDriver',
  'libwebkit2gtk-4.1-0': '/usr/lib/*/webkit2gtk-4.1/MiniBrowser',
  xvfb: '/usr/bin/Xvfb',
  'redis-server': '/usr/bin/redis-server',
  nginx: '/usr/sbin/nginx',
  haproxy: '/usr/sbin/haproxy',
  caddy: '/usr/bin/caddy',
};

/** Installs the packages that are missing, where this process is root on Debian. Returns those that are still missing. */
export function installDebianPackages(): readonly string[] {
  const missing = missingPackages();
  if (missing.length === 0 || process.getuid?.() !== 0 || globSync('/usr/bin/apt-get').length === 0) return missing;
  aptGet('update');
  aptGet('install', '--yes', '--no-install-recommends', ...missing);
  return missingPackages();
}

function missingPackages(): string[] {
  return Object.entries(PROGRAMS)
    .filter(([, program]) => globSync(program).length === 0)
    .map(([name]) => name);
}

/** A failure shows in what is still missing afterwards. */
function aptGet(...args: string[]): void {
  spawnSync('apt-get', args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
}
