// A real sshd for one test, as the user who runs it, with host and user keys of its own.
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { compileCache } from '../../infra/machine/paths.mjs';
import { waitUntil } from '../../infra/jobs/wait-until.ts';
import { freePort } from './free-port.ts';

const SSHD = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/opt/homebrew/sbin/sshd'].find((path) =>
  existsSync(path),
);

/** The reason for skipping, for titles; empty if the tests run. */
export const sshMissing = SSHD
  ? ''
  : ' (not run: sshd is missing, install OpenSSH’s server, e.g. apt-get install openssh-server)';

/** A shell of level 2 leaves out the start files of the user who runs the tests, which may take a second. */
const SESSION = { SHLVL: '2', NODE_COMPILE_CACHE: compileCache };

export interface SshServer {
  readonly port: number;
  readonly user: string;
  readonly identityFile: string;
  readonly knownHosts: string;
  /** Ends the server and its connections at once, like a cut cable. */
  kill(): Promise<void>;
  runs(): boolean;
  /** Ends only the connections; returns the number of processes that served them. */
  hangUp(): number;
  start(): Promise<void>;
}

/** `variables`: added to the environment of each session. */
export async function startSshServer(
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<SshServer> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The folder for sshd's privilege separation, if it is used.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
  const [hostKey, identityFile] = [join(folder, 'host-key'), join(folder, 'user-key')];
  for (const file of [hostKey, identityFile]) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
  }
  const port = await freePort();
  const knownHosts = join(folder, 'known_hosts');
  writeFileSync(knownHosts, `[127.0.0.1]:${port} ${readFileSync(`${hostKey}.pub`, 'utf8')}`);
  writeFileSync(join(folder, 'authorized'), readFileSync(`${identityFile}.pub`));
  const config = join(folder, 'sshd_config');
  const setEnv = Object.entries({ ...SESSION, ...variables }).map(
    ([name, value]) => `${name}=${value}`,
  );
  const lines = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${hostKey}`,
    `AuthorizedKeysFile ${join(folder, 'authorized')}`,
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    'MaxStartups 100',
    'MaxSessions 100',
    'PidFile none',
    `SetEnv ${setEnv.join(' ')}`,
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  let server: ChildProcess;
  const start = async (): Promise<void> => {
    server = spawn(SSHD ?? 'sshd', ['-D', '-e', '-f', config], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    server.stderr?.resume();
    if (!(await waitUntil(() => answers(port), 20_000))) throw new Error('sshd did not start');
  };
  const runs = (): boolean => server.exitCode === null && server.signalCode === null;
  const hangUp = (): number => {
    const serving = server.pid !== undefined && runs() ? connections(server.pid) : [];
    serving.forEach(killHard);
    return serving.length;
  };
  const kill = async (): Promise<void> => {
    if (server.pid === undefined || !runs()) return;
    const over = once(server, 'exit');
    hangUp();
    killHard(server.pid);
    await over;
  };
  await start();
  return { port, user: userInfo().username, identityFile, knownHosts, kill, runs, hangUp, start };
}

/** Processes that serve a connection, without the processes that they started. */
function connections(server: number): number[] {
  const table = execFileSync('ps', ['-eo', 'pid=,ppid=,comm='], { encoding: 'utf8' });
  const rows = table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const sshd = rows.filter(([, , name]) => name?.startsWith('sshd'));
  const below = (parent: number): number[] =>
    sshd
      .filter(([, ppid]) => Number(ppid) === parent)
      .flatMap(([pid]) => [...below(Number(pid)), Number(pid)]);
  return below(server);
}

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => resolve(true));
    socket.once('close', () => resolve(false));
    socket.once('error', () => resolve(false));
    setTimeout(() => socket.destroy(), 2_000);
    socket.once('data', () => socket.destroy());
  });
}
