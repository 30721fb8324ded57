import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProxyProgram } from './reverse-proxy.ts';

export const CADDY: ProxyProgram = {
  configuration: 'Caddyfile',
  listen: (port) => [':80 {', `http://127.0.0.1:${port} {`],
  prepare: (directory, configuration) => {
    const file = join(directory, 'Caddyfile');
    writeFileSync(file, `{\n\tadmin off\n}\n${configuration}`);
    return ['caddy', 'run', '--adapter', 'caddyfile', '--config', file];
  },
};
