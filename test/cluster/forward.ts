// A port of this machine's loopback on the loopback of other hosts: connections are passed on, twice. As a program, one
// half of it: node forward.ts LISTEN_ADDRESS PORT TO_ADDRESS PORT.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Daemon } from './daemon.ts';
import type { HostNetwork } from './network.ts';

const LOOPBACK = '127.0.0.1';
const SELF = fileURLToPath(import.meta.url);

export interface Forwarding {
  close(): Promise<void>;
}

interface End {
  readonly host: string;
  readonly port: number;
}

export async function startForwarding(
  { gateway, enter }: HostNetwork,
  hosts: readonly string[],
  port: number,
  log: string,
): Promise<Forwarding> {
  const { server, sockets } = await passOn({ host: gateway, port }, { host: LOOPBACK, port });
  const halves = hosts.map((host) => {
    const words = [process.execPath, SELF, LOOPBACK, `${port}`, gateway, `${port}`];
    return new Daemon(enter(host, words), log);
  });
  for (const half of halves) half.start();
  return {
    async close() {
      for (const half of halves) await half.kill();
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

async function passOn(from: End, to: End): Promise<{ server: Server; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(to);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(from);
  await once(server, 'listening');
  return { server, sockets };
}

if (process.argv[1] === SELF) {
  const [host = '', port = '', toHost = '', toPort = ''] = process.argv.slice(2);
  await passOn({ host, port: Number(port) }, { host: toHost, port: Number(toPort) });
}
