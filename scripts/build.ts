/**
 * `npm run build`: everything that the package holds, into `dist/`: the widget for pages and as modules (`vite.config.ts` says
 * how), the types of its modules, and the relay as JavaScript, because Node strips no types below `node_modules`.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

rmSync('dist', { recursive: true, force: true });
run('vite', 'build');
run('tsc', '-p', 'tsconfig.build-types.json');
run('tsc', '-p', 'tsconfig.build.json');
chmodSync('dist/relay/main.js', 0o755);

function run(program: string, ...args: string[]): void {
  const env = { ...process.env, PATH: `${resolve('node_modules/.bin')}${delimiter}${process.env.PATH}` };
  execFileSync(program, args, { stdio: 'inherit', env });
}
