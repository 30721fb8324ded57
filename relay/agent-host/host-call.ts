import * as http from 'node:http';
import * as https from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { AgentHostError } from './agent-host.ts';
import { failureOfConnection, type HostCallName } from './host-failure.ts';

export interface HostCall {
  readonly name: HostCallName;
  readonly method: 'POST' | 'DELETE' | 'HEAD';
  readonly server: URL;
  /** Sent as it stands: a URL would resolve its dots. */
  readonly path: string;
  readonly headers: http.OutgoingHttpHeaders;
  readonly body?: string;
  readonly agent: http.Agent;
  /**
   * Where a connection of `agent` that served before turns out to be dead, the call is made once more over this one,
   * which keeps none. Only for calls that may reach the host twice.
   */
  readonly retryAgent?: http.Agent;
  /** Until what `takeAnswer` returns is settled. */
  readonly timeoutMs: number;
}

/**
 * Makes one HTTP call and gives the answer to `takeAnswer` as soon as its headers are there, in the same tick, so that
 * nothing that happens to the answer is missed. Redirects are not followed. Throws `AgentHostError`, what `takeAnswer`
 * throws, or the signal's reason; in each case the connection is closed. Once `takeAnswer` is settled, the answer is
 * its own affair.
 */
export async function callHost<Answer>(
  call: HostCall,
  signal: AbortSignal,
  takeAnswer: (response: http.IncomingMessage) => Answer | Promise<Answer>,
): Promise<Answer> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = send(call);

  let isSettled = false;
  const fail = (reason: unknown) => {
    isSettled = true;
    reject(reason);
  };
  const onAbort = () => fail(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => {
    fail(new AgentHostError('upstream_timeout', `no answer to the call "${call.name}" within ${call.timeoutMs} ms`));
  }, call.timeoutMs);

  let bytesReadBefore = 0;
  request.once('socket', (socket) => {
    bytesReadBefore = socket.bytesRead;
  });
  // Stays for the whole life of the request: an error without a listener would end the process.
  request.on('error', (error) => {
    const isDeadConnection = request.reusedSocket && request.socket?.bytesRead === bytesReadBefore;
    if (isDeadConnection && call.retryAgent && !isSettled) {
      const { retryAgent, ...rest } = call;
      resolve(callHost({ ...rest, agent: retryAgent }, signal, takeAnswer));
    } else {
      fail(failureOfConnection(error, call.name));
    }
  });
  request.once('upgrade', () => {
    fail(new AgentHostError('upstream_protocol', 'the agent host wants to change to another protocol'));
  });
  request.once('response', (response) => {
    isSettled = true;
    // For an answer that nobody listens to any more.
    response.on('error', () => {});
    try {
      resolve(takeAnswer(response));
    } catch (error) {
      fail(error);
    }
  });
  request.end(call.body);

  try {
    return await promise;
  } catch (error) {
    request.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

function send({ server, path, agent, method, headers }: HostCall): http.ClientRequest {
  // Not the whole of the options: they would make a sign-in out of a name in the address.
  const { protocol, hostname, port } = urlToHttpOptions(server);
  const request = protocol === 'https:' ? https.request : http.request;
  return request({ protocol, hostname, port, path, agent, method, headers });
}
