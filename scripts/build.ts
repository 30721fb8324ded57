/** `npm run build`: everything that the package holds, into `dist/`: the widget's files for pages, and all modules as JavaScript with their types. */
import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
run('vite', 'build', '--logLevel', 'warn');
run('tsc', '-p', 'tsconfig.build.json');
// The command `parley`; npm marks it when it installs the package, whoever unpacks it by hand has it too.
chmodSync('dist/relay/main.js', 0o755);

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: 'inherit' });
}
