// The network between a store and its server, as a TCP proxy to which a test adds faults for chosen requests.
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Faults of the answer to a request that has reached the server. */
export type NetworkFault =
  | { readonly kind: 'drop' }
  | { readonly kind: 'delay'; readonly ms: number }
  /** The connection stays open without further data. */
  | { readonly kind: 'fall-silent'; readonly afterBytes: number }
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** At the head of the request, before the server has all of it. */
  | { readonly kind: 'call'; readonly action: () => void };

interface Rule {
  readonly matches: RegExp;
  readonly fault: NetworkFault;
  times: number;
}

export interface FaultProxy {
  readonly endpoint: string;
  /** The first lines of all requests so far, as `PUT /bucket/key`. */
  readonly requests: readonly string[];
  /** Applies to the next `times` requests whose first line matches. */
  plan(matches: RegExp, fault: NetworkFault, times?: number): void;
  close(): Promise<void>;
}

const HEAD = /^(?:GET|PUT|POST|HEAD|DELETE) \S+ HTTP\/1\.1\r\n/;

export async function faultProxy(target: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(target);
  const rules: Rule[] = [];
  const requests: string[] = [];
  const open = new Set<Socket>();
  const faultOf = (line: string): NetworkFault | null => {
    const rule = rules.find(({ matches, times }) => times > 0 && matches.test(line));
    if (rule) rule.times -= 1;
    return rule?.fault ?? null;
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const onward = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    const pairs = [
      [client, onward],
      [onward, client],
    ] as const;
    client.on('end', () => onward.end());
    // The server closes the connection after its answer, which may still be in transit.
    let answered: Promise<void> = Promise.resolve();
    onward.on('end', () => void answered.then(() => client.end()));
    for (const [socket, other] of pairs) {
      open.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => open.delete(socket));
    }
    client.on('close', () => onward.destroy());
    let fault: NetworkFault | null = null;
    client.on('data', (chunk: Buffer) => {
      const line = HEAD.exec(chunk.subarray(0, 4096).toString('latin1'))?.[0];
      if (line !== undefined) {
        requests.push(line.slice(0, line.lastIndexOf(' ')));
        fault = faultOf(line);
        if (fault?.kind === 'call') fault.action();
      }
      if (!onward.write(chunk)) {
        client.pause();
        onward.once('drain', () => client.resume());
      }
    });
    onward.on('data', (chunk: Buffer) => {
      answered = answered.then(async () => answer(chunk, client, onward, fault));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    plan: (matches, fault, times = 1) => rules.push({ matches, fault, times }),
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

async function answer(
  chunk: Buffer,
  client: Socket,
  onward: Socket,
  fault: NetworkFault | null,
): Promise<void> {
  if (fault?.kind === 'drop') return void client.destroy();
  if (fault?.kind === 'delay') {
    onward.pause();
    await sleep(fault.ms);
    onward.resume();
  }
  const cutsHere =
    (fault?.kind === 'fall-silent' || fault?.kind === 'cut') &&
    client.bytesWritten + chunk.length > fault.afterBytes;
  if (cutsHere) {
    client.write(chunk.subarray(0, Math.max(0, fault.afterBytes - client.bytesWritten)));
    if (fault.kind === 'cut') client.end();
    onward.pause();
    return new Promise(() => {});
  }
  if (!client.write(chunk)) {
    onward.pause();
    client.once('drain', () => onward.resume());
  }
}
