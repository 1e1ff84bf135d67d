// The way out of an agent's sandbox: an HTTP proxy on a Unix socket that connects to named hosts and to nothing else. The
// names are looked up here, and an address of this machine is refused, where Temporal and other servers listen.
import { lookup } from 'node:dns/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { BlockList, connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';

const CONNECTIONS_MAX = 64;

const thisMachine = new BlockList();
thisMachine.addSubnet('127.0.0.0', 8);
thisMachine.addSubnet('0.0.0.0', 8);
thisMachine.addSubnet('169.254.0.0', 16);
thisMachine.addAddress('::1', 'ipv6');
thisMachine.addAddress('::', 'ipv6');
thisMachine.addSubnet('fe80::', 10, 'ipv6');
thisMachine.addSubnet('::ffff:0:0', 96, 'ipv6');

export interface NamedHosts {
  close(): Promise<void>;
}

type Resolve = (host: string) => Promise<string>;

const resolveOutside: Resolve = async (host) => {
  const { address, family } = await lookup(host);
  // Read each time, because interfaces come and go.
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  if (
    thisMachine.check(address, family === 6 ? 'ipv6' : 'ipv4') ||
    own.some((one) => one.address === address)
  ) {
    throw new Error(`${host} is an address of this machine`);
  }
  return address;
};

/** `hosts` are `name:port`. */
export async function serveNamedHosts(
  socketPath: string,
  hosts: readonly string[],
  resolve: Resolve = resolveOutside,
): Promise<NamedHosts> {
  const open = new Set<Duplex>();
  const server = createServer((_, response) => {
    response.writeHead(405).end('this way out takes CONNECT alone\n');
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.on('connect', (request: IncomingMessage, inside: Duplex) => {
    open.add(inside);
    inside.once('close', () => open.delete(inside));
    inside.on('error', () => inside.destroy());
    tunnel(request.url ?? '', hosts, resolve, inside).catch(() => {
      inside.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(socketPath, listening);
  });
  return {
    close: async () => {
      for (const socket of open) socket.destroy();
      server.closeAllConnections();
      await new Promise((closed) => {
        server.close(closed);
      });
    },
  };
}

async function tunnel(
  target: string,
  hosts: readonly string[],
  resolve: Resolve,
  inside: Duplex,
): Promise<void> {
  if (!hosts.includes(target.toLowerCase())) throw new Error(`${target} is not named`);
  const colon = target.lastIndexOf(':');
  const address = await resolve(target.slice(0, colon));
  const outside: Socket = connect(Number(target.slice(colon + 1)), address);
  outside.once('connect', () => {
    inside.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    outside.pipe(inside).pipe(outside);
  });
  outside.on('error', () => inside.destroy());
  inside.once('close', () => outside.destroy());
}
