import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, test } from 'node:test';
import { SmtpDelivery } from '../../relay/verification/smtp-delivery.ts';

/** A mail server that takes every mail and keeps what it was told (RFC 5321, without extensions). */
async function startMailServer() {
  const said: string[] = [];
  const server = createServer((socket) => {
    let isData = false;
    socket.write('220 mail.test\r\n');
    socket.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.split('\r\n').filter((part) => part !== '')) {
        said.push(line);
        if (isData && line !== '.') continue;
        const isEnd = isData;
        isData = line === 'DATA';
        if (line === 'QUIT') socket.end('221 bye\r\n');
        else socket.write(isData ? '354 go on\r\n' : isEnd ? '250 taken\r\n' : '250 mail.test\r\n');
      }
    });
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, said, [Symbol.asyncDispose]: async () => void server.close() };
}

const CODE = {
  code: '493027',
  transactionId: 'AAAAAAAAAAAAAAAAAAAAAA',
  tool: 'coach_book',
  domain: 'coach',
  arguments: { trip: 'T1' },
  expiresAtMs: Date.now() + 300_000,
};

describe('a code by mail', () => {
  test('goes to the address of the look-up, with the code and how long it is valid', async () => {
    await using server = await startMailServer();
    const delivery = new SmtpDelivery({ host: '127.0.0.1', port: server.port, from: 'chat@example.com' });
    const recipient = { address: 'visitor@example.org' };
    await delivery.deliver({ ...CODE, recipient }, AbortSignal.timeout(10_000));
    delivery.close();
    assert.ok(server.said.includes('RCPT TO:<visitor@example.org>'));
    assert.ok(server.said.includes('493027'));
    assert.match(server.said.join(' '), /valid for 5 minutes/);
  });

  for (const address of [
    'app/visitor',
    'a@b.example, c@d.example',
    'a@b.example\r\nRCPT TO:<x@y.example>',
    '"x" <a@b.example>',
  ]) {
    test(`${JSON.stringify(address)} is no address that a mail is sent to`, async () => {
      await using server = await startMailServer();
      const delivery = new SmtpDelivery({ host: '127.0.0.1', port: server.port, from: 'chat@example.com' });
      const sending = delivery.deliver({ ...CODE, recipient: { address } }, AbortSignal.timeout(10_000));
      await assert.rejects(sending, /no address/);
      delivery.close();
      assert.deepEqual(server.said, []);
    });
  }

  test('a password is never sent to a server without TLS', async () => {
    await using server = await startMailServer();
    const login = { user: 'chat', password: 'CANARY-password' };
    const delivery = new SmtpDelivery({ host: '127.0.0.1', port: server.port, from: 'chat@example.com', ...login });
    const recipient = { address: 'visitor@example.org' };
    await assert.rejects(delivery.deliver({ ...CODE, recipient }, AbortSignal.timeout(10_000)));
    delivery.close();
    assert.doesNotMatch(server.said.join(' '), /AUTH|CANARY/);
  });
});
