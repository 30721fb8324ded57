import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProxyProgram } from './reverse-proxy.ts';

/** Debian's own nginx.conf, as it is installed, which takes the shown file in as one of `conf.d`. */
export const NGINX: ProxyProgram = {
  configuration: 'nginx.conf',
  listen: (port) => ['listen 80;', `listen 127.0.0.1:${port};`],
  prepare: (directory, configuration) => {
    const site = join(directory, 'parley.conf');
    writeFileSync(site, configuration);
    const stock = readFileSync('/etc/nginx/nginx.conf', 'utf8')
      .replace(/^user .*$/m, '')
      .replace('worker_processes auto', 'worker_processes 1')
      .replace('/run/nginx.pid', join(directory, 'pid'))
      .replace('include /etc/nginx/modules-enabled/*.conf;', '')
      .replace('/var/log/nginx/error.log', join(directory, 'error.log'))
      .replace('/var/log/nginx/access.log', join(directory, 'access.log'))
      .replace('include /etc/nginx/sites-enabled/*;', '')
      .replace('/etc/nginx/conf.d/*.conf', site);
    const main = join(directory, 'nginx.conf');
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${join(directory, kind)};`,
    );
    writeFileSync(main, stock.replace('http {', `http {\n${places.join('\n')}`));
    return ['nginx', '-c', main, '-e', join(directory, 'error.log'), '-g', 'daemon off;'];
  },
};
