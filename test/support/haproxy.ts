import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProxyProgram } from './reverse-proxy.ts';

/** What Debian's haproxy.cfg says to a service of the system; a test runs in a place of its own. */
const OF_THE_SYSTEM = /^\s*(chroot|stats|user|group|daemon|log \/dev\/log)\b.*$/gm;

/** Debian's own haproxy.cfg, as it is installed, with the shown file at its end. */
export const HAPROXY: ProxyProgram = {
  configuration: 'haproxy.cfg',
  listen: (port) => ['bind :80\n', `bind 127.0.0.1:${port}\n`],
  prepare: (directory, configuration) => {
    const file = join(directory, 'haproxy.cfg');
    const stock = readFileSync('/etc/haproxy/haproxy.cfg', 'utf8').replace(OF_THE_SYSTEM, '');
    writeFileSync(file, `${stock}\n${configuration}`);
    return ['haproxy', '-db', '-f', file];
  },
};
