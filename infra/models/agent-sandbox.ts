// The command that runs an agent of the user's confined: it sees the system's programs, the folders that it is given, and
// a folder of its own in memory; no other process, no network of its own, and no variable of ours.
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findNode, findOnPath } from '../machine/paths.mjs';

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64'];
/** What the dynamic linker and TLS read. */
const ETC = [
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/alternatives',
  '/etc/ssl',
  '/etc/pki',
  '/etc/ca-certificates',
];
const NOBODY = '65534';
const MEMORY_BYTES = 256 * 1024 * 1024;
const INSIDE = fileURLToPath(new URL('agent-inside.mjs', import.meta.url));
const PROXY = 'http://127.0.0.1:3128';

export interface Sandboxed {
  readonly command: readonly string[];
  /** Shown at `/agent`, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** Folders that the command needs. */
  readonly readOnly: readonly string[];
  /** The socket to the named hosts; null without any. */
  readonly hostsSocket: string | null;
  readonly variables: Readonly<Record<string, string>>;
}

/** The program that confines; null if it is not installed. */
export const findBubblewrap = (): string | null => findOnPath('bwrap') ?? null;

export interface SandboxArguments {
  /** For bubblewrap's `--args`, so that the command line, which everybody can read, has no key. */
  readonly options: readonly string[];
  /** Of the command line. */
  readonly command: readonly string[];
}

export function sandboxArguments(given: Sandboxed): SandboxArguments {
  const { command, files, readOnly, hostsSocket, variables } = given;
  const node = findNode();
  if (node === undefined) throw new Error('there is no Node.js for the sandbox: run npm run setup');
  const proxied = hostsSocket === null ? {} : { HTTPS_PROXY: PROXY, https_proxy: PROXY };
  const shown = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: '/agent',
    NODE_USE_ENV_PROXY: '1',
    ...proxied,
    ...variables,
  };
  const options = [
    ...['--unshare-all', '--unshare-user', '--disable-userns'],
    ...['--uid', NOBODY, '--gid', NOBODY, '--hostname', 'sandbox', '--cap-drop', 'ALL'],
    ...['--die-with-parent', '--new-session', '--clearenv'],
    ...Object.entries(shown).flatMap(([name, value]) => ['--setenv', name, value]),
    ...SYSTEM.flatMap(systemFolder),
    ...ETC.flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['/dev/shm', '/tmp', '/agent'].flatMap(inMemory),
    ...readOnly.flatMap((path) => ['--ro-bind', path, path]),
    ...['--dir', '/run', '--ro-bind', node, '/run/node', '--ro-bind', INSIDE, '/run/inside.mjs'],
    ...(hostsSocket === null ? [] : ['--bind', hostsSocket, '/run/hosts.sock']),
    ...Object.entries(files).flatMap(([name, path]) => ['--ro-bind', path, `/agent/${name}`]),
    ...['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', '/agent'],
  ];
  const inside = ['/run/node', '/run/inside.mjs', hostsSocket === null ? 'no' : 'yes'];
  return { options, command: [...inside, ...command] };
}

const inMemory = (path: string): string[] => [
  ...['--perms', '1777', '--size', String(MEMORY_BYTES), '--tmpfs', path],
];

/** Where one of the system's folders is a link, the link. */
function systemFolder(path: string): string[] {
  if (!existsSync(path)) return [];
  return lstatSync(path).isSymbolicLink()
    ? ['--symlink', readlinkSync(path), path]
    : ['--ro-bind', path, path];
}
