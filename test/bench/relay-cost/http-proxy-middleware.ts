/** `http-proxy-middleware` under Express. Argument: the host's address. Prints its own. */
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';

const app = express();
app.use(
  createProxyMiddleware({
    target: process.argv[2] ?? '',
    headers: { 'x-api-key': 'key', 'x-session-secret': 'secret' },
  }),
);
const server = app.listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
