// Finds out whether a port of this machine is taken, and by which process.
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';

export const HOST = '127.0.0.1';

/** Binds the port for a moment; for 0 the kernel picks one. Null if it is taken. */
export function probePort(port: number): Promise<number | null> {
  return new Promise((settle, fail) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') settle(null);
      else fail(error);
    });
    server.listen({ port, host: HOST, exclusive: true }, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address ? address.port : port;
      server.close(() => settle(bound));
    });
  });
}

/** "redis-server (pid 812)", or null if it is not known: another user's process, or not Linux. */
export function portHolder(port: number): string | null {
  const inodes = listeningInodes(port);
  if (inodes.size === 0) return null;
  for (const pid of readdirOr('/proc').filter((name) => /^\d+$/.test(name))) {
    for (const file of readdirOr(`/proc/${pid}/fd`)) {
      const inode = /^socket:\[(\d+)\]$/.exec(readlinkOr(`/proc/${pid}/fd/${file}`))?.[1];
      if (inode && inodes.has(inode)) return `${commandName(pid)} (pid ${pid})`;
    }
  }
  return null;
}

function listeningInodes(port: number): Set<string> {
  const inodes = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readOr(table).split('\n').slice(1)) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      const listens = state === '0A' && Number.parseInt(local?.split(':')[1] ?? '', 16) === port;
      if (listens && inode) inodes.add(inode);
    }
  }
  return inodes;
}

const commandName = (pid: string): string => readOr(`/proc/${pid}/comm`).trim() || 'a process';
const readOr = (path: string): string => attempt(() => readFileSync(path, 'utf8'), '');
const readlinkOr = (path: string): string => attempt(() => readlinkSync(path), '');
const readdirOr = (path: string): string[] => attempt(() => readdirSync(path), []);

function attempt<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
