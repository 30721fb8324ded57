/** Where the real descriptions are, once this folder's packages are installed. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { parse } from 'yaml';

const PACKAGES = fileURLToPath(new URL('./node_modules/', import.meta.url));

export interface RealDescription {
  readonly name: string;
  readonly file: string;
  /** As the test reads it, apart from the code under test. */
  readonly root: Record<string, unknown>;
}

export const GITHUB_FILE = path.join(PACKAGES, '@octokit/openapi/generated/api.github.com.json');

/** OpenAPI 3.0 in JSON, 1 200 operations. */
export async function gitHub(): Promise<RealDescription> {
  return { name: 'GitHub', file: GITHUB_FILE, root: JSON.parse(await readFile(GITHUB_FILE, 'utf8')) };
}

/** OpenAPI 3.0 in YAML. */
export async function blockfrost(): Promise<RealDescription> {
  const file = path.join(PACKAGES, '@blockfrost/openapi/openapi.yaml');
  return { name: 'Blockfrost', file, root: parse(await readFile(file, 'utf8'), { maxAliasCount: -1 }) };
}

/** Swagger 2 in JSON, 1 000 operations. It is packed: `clean` takes the unpacked file away. */
export async function kubernetes(): Promise<RealDescription & { readonly clean: () => Promise<void> }> {
  const text = gunzipSync(
    await readFile(path.join(PACKAGES, 'kubernetes-client/lib/specs/swagger-1.13.json.gz')),
  ).toString();
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-kubernetes-'));
  const file = path.join(folder, 'swagger.json');
  await writeFile(file, text);
  return {
    name: 'Kubernetes',
    file,
    root: JSON.parse(text),
    clean: () => rm(folder, { recursive: true, force: true }),
  };
}
