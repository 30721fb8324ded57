/** `GET /widget.js` and `GET /widget@{version}/…`: the built widget, read once and served from memory. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type Request, type Response, Router } from 'express';
import { RelayError } from '../errors.ts';

export interface WidgetAssets {
  /** Where the build has put them; `widget.js` among them. */
  readonly directory: string;
  readonly version: string;
}

interface Asset {
  readonly type: string;
  readonly etag: string;
  readonly body: Buffer;
  readonly encoded: Map<string, Promise<Buffer>>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const ENCODERS = {
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (body: Buffer) => promisify(gzip)(body, { level: 9 }),
} as const;

/** A file that is not of a known type is not served. Throws when the directory cannot be read. */
export function assetRoutes({ directory, version }: WidgetAssets): Router {
  const assets = readAssets(directory);
  const routes = Router();
  routes.get('/widget.js', (request, response) => serve(assets.get('widget.js'), 'no-cache', request, response));
  routes.get(`/widget@${version}/*path`, (request, response) => {
    const path = (request.params as { path?: string[] }).path ?? [];
    return serve(assets.get(path.join('/')), 'public, max-age=31536000, immutable', request, response);
  });
  return routes;
}

function readAssets(directory: string): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>();
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const body = readFileSync(file);
    const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
    assets.set(relative(directory, file).split(sep).join('/'), { type, etag, body, encoded: new Map() });
  }
  return assets;
}

async function serve(
  asset: Asset | undefined,
  cacheControl: string,
  request: Request,
  response: Response,
): Promise<void> {
  if (!asset) throw new RelayError('not_found');
  response.setHeader('Content-Type', asset.type);
  response.setHeader('Cache-Control', cacheControl);
  response.setHeader('ETag', asset.etag);
  // Any site may run the script; what it may then do is decided where it asks for something.
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  response.vary('Accept-Encoding');
  if (request.fresh) {
    response.status(304).end();
    return;
  }
  const encoding = request.acceptsEncodings('br', 'gzip', 'identity');
  if (encoding !== 'br' && encoding !== 'gzip') {
    response.end(asset.body);
    return;
  }
  let encoded = asset.encoded.get(encoding);
  if (!encoded) {
    encoded = ENCODERS[encoding](asset.body);
    asset.encoded.set(encoding, encoded);
  }
  response.setHeader('Content-Encoding', encoding);
  response.end(await encoded);
}
